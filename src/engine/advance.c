/* The step path: by the method's explicit kernel, or guess, root, finish. No words here: a
 * specialised stepper is made of this file, the method's, and those below them. */
/* SPDX-License-Identifier: MIT */
#include "engine/advance.h"

void advance_interval(struct noe_work *work, real h) {
    const struct noe_problem *problem = work_problem(work);
    struct noe_interval *interval = &work->interval;
    const struct noe_state *now = work->now;
    const bool on_grid =
        h == work->interval.problem->h && !(problem->method->traits & NOE_ADAPTIVE);
    interval->from = now;
    interval->to = work->next;
    interval->t = now->t;
    interval->h = h;
    interval->t1 = on_grid ? work->t0 + (real)(now->k + 1) * h : now->t + h;
    interval->origin = on_grid ? work->t0 : now->t - (real)now->k * h;
    interval->evaluations = interval->rejected = 0;
}

/* By the method's contraction; what it iterates comes from the step before, or from a guess. */
static enum noe_status contract(struct noe_work *work) {
    struct contraction *contraction = &work->contraction;
    struct newton *newton = &work->newton;
    struct noe_interval *interval = &work->interval;
    if (!interval->force_known && !predictor_guess(&work->predictor, newton->u))
        work_problem(work)->method->guess(interval, newton->u);
    const enum noe_status status = contraction_solve(contraction, interval, newton->u);
    newton->iterations = contraction->iterations;
    newton->residual =
        contraction->residual * real_norm((size_t)work_problem(work)->system->n, work->now->p);
    return status;
}

/* A root from what a contraction reached, the extrapolated guess, else the method's own. */
static enum noe_status find_root(struct noe_work *work) {
    const struct noe_method *method = work_problem(work)->method;
    struct newton *newton = &work->newton;
    struct noe_interval *interval = &work->interval;
    if (work_problem(work)->use_contraction && contract(work) == NOE_OK) return NOE_OK;
    interval->force_known = false;
    const bool has_iterate = work_problem(work)->use_contraction && work->contraction.has_iterate;
    if (has_iterate || predictor_guess(&work->predictor, newton->u)) {
        if (newton_solve(newton, interval) == NOE_OK) return NOE_OK;
        predictor_reset(&work->predictor);
        newton->has_factors = false;
    }
    method->guess(interval, newton->u);
    return newton_solve(newton, interval);
}

static void count_effort(struct noe_work *work) {
    struct noe_effort *effort = &work->effort;
    const struct newton *newton = &work->newton;
    const real scale = real_norm((size_t)work_problem(work)->system->n, work->now->p);
    effort->iterations += newton->iterations;
    if (newton->iterations > effort->iterations_max) effort->iterations_max = newton->iterations;
    if (newton->residual > effort->residual_max * scale && scale > 0)
        effort->residual_max = newton->residual / scale;
}

static enum noe_status implicit_step(struct noe_work *work) {
    const enum noe_status status = find_root(work);
    if (status != NOE_OK) return status;
    count_effort(work);
    work_problem(work)->method->finish(&work->interval, work->newton.u);
    if (work->interval.force_known)
        predictor_reset(
            &work->predictor); /* the stages are known: the next guess comes from them */
    else
        predictor_learn(&work->predictor, work->newton.u);
    work->interval.taken = 1;
    work->interval.h_next = work->interval.h; /* only a kernel adapts it */
    return NOE_OK;
}

static bool is_finite_state(const struct noe_problem *problem, const struct noe_state *state) {
    real sum = 0; /* x - x is 0, or NaN where x is not finite */
    for (int i = 0; i < problem->np; i++) sum += state->q[i] - state->q[i];
    for (int i = 0; i < problem->system->n; i++) sum += state->p[i] - state->p[i];
    return sum == 0;
}

enum noe_status advance_take(struct noe_work *work, bool use_kernel, long count) {
    struct noe_interval *interval = &work->interval;
    const struct noe_problem *problem = work_problem(work);
    enum noe_status status =
        use_kernel ? problem->method->kernel(interval, count) : implicit_step(work);
    if (status == NOE_OK && !is_finite_state(problem, work->next)) status = NOE_NOT_FINITE;
    work->effort.evaluations += interval->evaluations;
    work->effort.rejected += interval->rejected;
    if (status != NOE_OK) {
        interval->force_known = false;
        return status;
    }
    struct noe_state *next = work->next;
    next->k = work->now->k + interval->taken;
    next->t = interval->t1;
    next->h = interval->h;
    work->next = work->now;
    work->now = next; /* only now does the step count */
    work->effort.steps += interval->taken;
    return NOE_OK;
}

enum noe_status advance_steps(struct noe_work *work, long count) {
    const struct noe_problem *problem = work_problem(work);
    const long end = work->now->k + count;
    while (work->now->k < end) {
        advance_interval(work, work->h_next);
        work->interval.is_fixed = false;
        const enum noe_status status = advance_take(work, problem->use_kernel, end - work->now->k);
        if (status != NOE_OK) return status;
        if (problem->method->traits & NOE_ADAPTIVE) work->h_next = work->interval.h_next;
    }
    return NOE_OK;
}

/* A degenerate Lagrangian has no inverse Legendre transform; then the velocity is the scheme's. */
static enum noe_status current_velocity(struct noe_work *work) {
    const struct noe_state *now = work->now;
    const int n = work_problem(work)->system->n;
    for (int i = 0; i < n; i++) work->velocity[i] = work->interval.velocity[i];
    const enum noe_status status =
        legendre_velocity(&work->legendre, now->t, now->q, now->p, work->velocity);
    return status == NOE_SINGULAR ? NOE_OK : status;
}

enum noe_status advance_measure(struct noe_work *work, real *energy) {
    const struct noe_system *system = work_problem(work)->system;
    const struct noe_system *self = work->interval.problem->system;
    const struct noe_state *now = work->now;
    const enum noe_status status = current_velocity(work);
    const real *v = work->velocity;
    if (status != NOE_OK) return status;
    real sum = -system->lagrangian(self, now->t, now->q, v);
    for (int i = 0; i < system->n; i++) sum += now->p[i] * v[i];
    if (system->nvalues) system->quantities(self, now->t, now->q, v, work->values);
    *energy = sum;
    return NOE_OK;
}

/* The deviations from the start at the current state. */
static enum noe_status note(struct noe_work *work, struct noe_watch *watch, real energy) {
    const int nvalues = work_problem(work)->system->nvalues;
    const real deviation = noe_abs(energy - watch->energy);
    watch->count++;
    watch->energy_sum += deviation;
    watch->energy_max = noe_max(watch->energy_max, deviation);
    for (int i = 0; i < nvalues; i++) {
        const real value = work->values[i], error = noe_abs(value - watch->values[i]);
        watch->value_max[i] = noe_max(watch->value_max[i], error);
        if (real_is_finite(value) || watch->bad_value >= 0) continue;
        watch->bad_value = i;
        watch->bad_step = work->now->k;
    }
    return real_is_finite(energy) ? NOE_OK : NOE_NOT_FINITE;
}

enum noe_status advance_watch(struct noe_work *work, struct noe_watch *watch) {
    watch->moment.v = work->velocity;
    watch->moment.values = work->values;
    enum noe_status status = advance_measure(work, &watch->moment.energy);
    if (status == NOE_OK) status = note(work, watch, watch->moment.energy);
    watch->has_failed = status != NOE_OK;
    return status;
}

enum noe_status advance_watched(struct noe_work *work, long count, struct noe_watch *watch) {
    for (long i = 0; i < count; i++) {
        enum noe_status status = advance_steps(work, 1);
        if (status == NOE_OK) status = advance_watch(work, watch);
        if (status != NOE_OK) return status;
    }
    return NOE_OK;
}
