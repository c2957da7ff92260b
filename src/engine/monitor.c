/* Steps whose deviations are noted. */
/* SPDX-License-Identifier: MIT */
#include "engine/monitor.h"

#include "spaces/product.h"

/* How far the measured state is from its constraints. */
static void note_constraints(struct noe_work *work, struct noe_watch *watch) {
    const struct noe_system *system = work_problem(work)->system;
    const int nposition = system->nholonomic, m = constraint_count(system);
    real *c = work->constraint;
    if (m == 0) return;
    system->constraints(work->interval.problem->system, work->now->t, work->now->q, work->velocity,
                        c);
    for (int i = 0; i < nposition; i++)
        watch->position_max = noe_max(watch->position_max, noe_abs(c[i]));
    for (int i = nposition; i < nposition + m; i++)
        watch->velocity_max = noe_max(watch->velocity_max, noe_abs(c[i]));
}

/* The deviations from the start at the current state. */
static enum noe_status note(struct noe_work *work, struct noe_watch *watch, real energy) {
    const int nvalues = work_problem(work)->system->nvalues;
    const real deviation = noe_abs(energy - watch->energy);
    watch->count++;
    watch->energy_sum += deviation;
    watch->energy_max = noe_max(watch->energy_max, deviation);
    if (work_problem(work)->system->factors)
        watch->group_max =
            noe_max(watch->group_max, product_defect(work_problem(work)->system, work->now->q));
    if (work_problem(work)->method->balance && !work->duration.length.is_held &&
        !work_problem(work)->guard.is_relative) {
        const real off = noe_abs(work->now->energy - work->now->anchor);
        watch->discrete_count++;
        watch->discrete_sum += off;
        watch->discrete_max = noe_max(watch->discrete_max, off);
    }
    note_constraints(work, watch);
    for (int i = 0; i < nvalues; i++) {
        const real value = work->values[i], error = noe_abs(value - watch->values[i]);
        watch->value_max[i] = noe_max(watch->value_max[i], error);
        if (real_is_finite(value) || watch->bad_value >= 0) continue;
        watch->bad_value = i;
        watch->bad_step = work->now->k;
    }
    return real_is_finite(energy) ? NOE_OK : NOE_NOT_FINITE;
}

enum noe_status watch_now(struct noe_work *work, struct noe_watch *watch) {
    watch->moment.v = work->velocity;
    watch->moment.values = work->values;
    watch->moment.multipliers = work->now->multipliers;
    enum noe_status status = advance_measure(work, &watch->moment.energy);
    if (status == NOE_OK) status = note(work, watch, watch->moment.energy);
    watch->has_failed = status != NOE_OK;
    return status;
}

enum noe_status watch_steps(struct noe_work *work, long count, struct noe_watch *watch) {
    for (long i = 0; i < count; i++) {
        enum noe_status status = advance_steps(work, 1);
        if (status == NOE_OK) status = watch_now(work, watch);
        if (status != NOE_OK) return status;
    }
    return NOE_OK;
}
