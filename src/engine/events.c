/* Steps whose ends are looked at for changes of sign, and steps taken in part. */
/* SPDX-License-Identifier: MIT */
#include "engine/events.h"

#include "engine/event_root.h"

/* A function f > 0 that falls at the start of a step and rises at its end has a minimum between.
 * Where it is convex it lies above its tangents, so that it crosses zero only if these meet below.
 */
STEP_INLINE bool cross_dips(real f0, real f1, real rate0, real rate1, real h) {
    if (!(rate0 < 0 && rate1 > 0)) return false;
    const real x = (f0 - f1 + rate1 * h) / (rate1 - rate0);
    return f0 + rate0 * x <= 0;
}

/* Has one of the functions changed? If not, their sides are those of the end. */
STEP_INLINE bool cross_compare(const struct noe_work *work, struct noe_signs *signs) {
    const int count = work_problem(work)->system->ncrossings;
    const real *before = signs->before, *after = signs->after, h = work->now->h;
    bool has_changed = false;
    for (int i = 0; i < count; i++) {
        const int side = signs->side[i], sign = (after[i] > 0) - (after[i] < 0);
        const bool is_wanted = signs->from[i] == 0 || signs->from[i] == side;
        const real s = (real)side;
        if (!real_is_finite(after[i])) has_changed = true;
        if (side != 0 && sign != side && is_wanted) has_changed = true;
        if (side != 0 && sign == side &&
            cross_dips(s * before[i], s * after[i], s * before[count + i], s * after[count + i], h))
            has_changed = true;
    }
    for (int i = 0; i < count && !has_changed; i++)
        signs->side[i] = (after[i] > 0) - (after[i] < 0);
    return has_changed;
}

/* Velocity, energy and crossing functions at the end of a step. */
STEP_INLINE enum noe_status cross_look(struct noe_work *work, struct noe_signs *signs) {
    real energy;
    const enum noe_status status = advance_energy(work, &energy);
    const real deviation = noe_abs(energy - signs->energy);
    signs->has_failed = status != NOE_OK || !real_is_finite(energy);
    if (signs->has_failed) return status != NOE_OK ? status : NOE_NOT_FINITE;
    signs->count++;
    signs->energy_sum += deviation;
    signs->energy_max = noe_max(signs->energy_max, deviation);
    real *before = signs->before;
    signs->before = signs->after;
    signs->after = before;
    cross_evaluate(work, signs->after);
    return NOE_OK;
}

#ifdef NOE_SIGHT
/* The functions depend on time and velocity alone, and on the latter they do: no rates are known.
 */
STEP_INLINE bool interval_sees(struct noe_interval *interval, long k, const real *p) {
    const struct noe_system *system = interval_problem(interval)->system;
    const struct noe_system *self = interval->problem->system;
    struct noe_signs *signs = interval->signs;
    if (!signs) return false;
    enum { COUNT = NOE_SIGHT };
    const real t = interval->origin + (scalar)k * interval->h;
    real v[SMALL_MAX], values[COUNT];
    bool is_seen = legendre_velocity(interval->legendre, t, interval->from->q, p, v) != NOE_OK;
    real energy = -system->lagrangian(self, t, interval->from->q, v);
    for (int i = 0; i < system->n; i++) energy += p[i] * v[i];
    system->crossings(self, t, interval->from->q, v, values);
    for (int i = 0; i < COUNT; i++) {
        const int side = signs->side[i], sign = (values[i] > 0) - (values[i] < 0);
        const bool is_wanted = signs->from[i] == 0 || signs->from[i] == side;
        is_seen |= !real_is_finite(values[i]) || (side != 0 && sign != side && is_wanted);
    }
    if (is_seen || !real_is_finite(energy)) return true;
    const real deviation = noe_abs(energy - signs->energy);
    signs->count++;
    signs->energy_sum += deviation;
    signs->energy_max = noe_max(signs->energy_max, deviation);
    for (int i = 0; i < COUNT; i++) {
        signs->after[i] = values[i];
        signs->side[i] = (values[i] > 0) - (values[i] < 0);
    }
    return false;
}

/* Steps of a kernel that looks at their ends itself. */
static enum noe_status cross_advance(struct noe_work *work, long count, struct noe_signs *signs) {
    if (!signs->skips_points) return advance_steps(work, 1);
    const long first = work->now->k;
    advance_interval(work, work->h_next);
    work->interval.is_fixed = false;
    work->interval.skips_points = true;
    work->interval.signs = signs;
    const enum noe_status status = advance_take(work, true, count);
    work->interval.signs = NULL;
    if (status == NOE_OK) work->effort.steps += work->now->k - first - work->interval.taken;
    return status;
}
#else
static enum noe_status cross_advance(struct noe_work *work, long count, struct noe_signs *signs) {
    (void)count, (void)signs;
    return advance_steps(work, 1);
}
#endif

enum noe_status cross_steps(struct noe_work *work, long count, struct noe_signs *signs) {
    const long end = work->now->k + count;
    signs->has_changed = signs->has_failed = false;
    while (work->now->k < end && !signs->has_changed) {
        const long seen = signs->count - work->now->k;
        enum noe_status status = cross_advance(work, end - work->now->k, signs);
        if (status != NOE_OK) return status;
        if (signs->count - work->now->k == seen) continue; /* the kernel has noted them all */
        status = cross_look(work, signs);
        if (status != NOE_OK) return status;
        signs->has_changed = cross_compare(work, signs);
    }
    return NOE_OK;
}

static void cross_copy(int count, real *to, const real *from) {
    for (int i = 0; i < count; i++) to[i] = from[i];
}

/* Puts `part` where the last step of `work` began. */
STEP_INLINE void cross_place(struct noe_work *part, const struct noe_work *work) {
    const struct noe_problem *problem = work_problem(work);
    const int n = problem->system->n, m = constraint_count(problem->system);
    const struct noe_state *from = work->next;
    struct noe_state *now = part->now, arrays = *now;
    *now = *from;
    now->q = arrays.q;
    now->p = arrays.p;
    now->q_carry = arrays.q_carry;
    now->p_carry = arrays.p_carry;
    now->multipliers = arrays.multipliers;
    cross_copy(problem->np, now->q, from->q);
    cross_copy(n, now->p, from->p);
    cross_copy(n, now->q_carry, from->q_carry);
    cross_copy(n, now->p_carry, from->p_carry);
    cross_copy(m, now->multipliers, from->multipliers);
    cross_copy(n + m, part->interval.velocity, work->interval.velocity);
    part->t0 = work->interval.is_fixed ? work->t0_before : work->t0;
    part->h = work->h;
    part->h_next = work->h_next;
    for (int lane = 0; lane < REAL_LANES; lane++) {
        part->interval.seed[lane] = work->interval.seed[lane];
        part->interval.member[lane] = work->interval.member[lane];
    }
    part->has_start = true;
    part->interval.is_active = truth_of(true);
}

enum noe_status cross_part(struct noe_work *part, const struct noe_work *work, real h,
                           real *values) {
    real energy;
    cross_place(part, work);
    advance_given(part, h);
    part->interval.skips_points = work->interval.skips_points;
    enum noe_status status = advance_take(part, work_problem(work)->use_kernel, 1);
    if (status != NOE_OK || !values) return status;
    status = advance_energy(part, &energy);
    cross_evaluate(part, values);
    return status;
}

/* The method of a specialised stepper knows what drives its parts or does not, and what it does not
 * know cannot be compiled with it. */
#if defined NOE_SIGHT || !defined NOE_SPECIALISED
real cross_root(struct noe_work *part, const struct noe_work *work, real before, real after) {
    cross_place(part, work);
    const struct root_step step = {work->next->t, work->now->h, work->next->p, before, after};
    return root_find(part, &step, truth_of(true));
}
#endif
