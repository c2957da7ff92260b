/* One step: by the method's explicit kernel, or guess, root, finish. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/status.h"
#include "engine/work.h"

/* A root from the extrapolated guess, else from the method's own. */
static enum noe_status solve(struct noe_work *work) {
    const struct noe_method *method = work->problem->method;
    struct newton *newton = &work->newton;
    struct noe_interval *interval = &work->interval;
    if (predictor_guess(&work->predictor, newton->u)) {
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
    const real scale = real_norm((size_t)work->problem->system->n, work->now->p);
    effort->iterations += newton->iterations;
    if (newton->iterations > effort->iterations_max) effort->iterations_max = newton->iterations;
    if (newton->residual > effort->residual_max * scale && scale > 0)
        effort->residual_max = newton->residual / scale;
}

static enum noe_status implicit_step(struct noe_work *work) {
    const enum noe_status status = solve(work);
    if (status != NOE_OK) return status;
    count_effort(work);
    work->problem->method->finish(&work->interval, work->newton.u);
    predictor_learn(&work->predictor, work->newton.u);
    work->interval.taken = 1;
    return NOE_OK;
}

static enum noe_status failure(const struct noe_work *work, enum noe_status status,
                               struct noe_error *error) {
    const long k = work->now->k + 1;
    const double t = (double)work->now->t, h = (double)work->interval.h;
    if (status == NOE_NOT_CONVERGED)
        return status_set(error, status,
                          "step %ld from t = %.9g: Newton's method did not converge (residual %.3g "
                          "after %d iterations); try a step smaller than %.3g",
                          k, t, (double)work->newton.residual, work->newton.iterations - 1, h);
    if (status == NOE_SINGULAR)
        return status_set(error, status,
                          "step %ld from t = %.9g: the matrix of the step is singular (residual "
                          "%.3g); a degenerate Lagrangian needs a variational method such as "
                          "midpoint or gauss, a regular one another step than %.3g",
                          k, t, (double)work->newton.residual, h);
    if (status == NOE_STEP_TOO_SMALL)
        return status_set(error, status,
                          "step %ld from t = %.9g: no step, however small, meets the tolerance; "
                          "is there a singularity?",
                          k, t);
    return status_set(error, status,
                      "step %ld from t = %.9g: a value is not a finite number (residual %.3g); the "
                      "model is undefined there, or try a step smaller than %.3g",
                      k, t, (double)work->newton.residual, h);
}

static bool is_finite_state(const struct noe_problem *problem, const struct noe_state *state) {
    real sum = 0; /* x - x is 0, or NaN where x is not finite */
    for (int i = 0; i < problem->np; i++) sum += state->q[i] - state->q[i];
    for (int i = 0; i < problem->system->n; i++) sum += state->p[i] - state->p[i];
    return sum == 0;
}

/* Takes the step that work_interval has put before the method, or up to `count` of them. */
static enum noe_status take(struct noe_work *work, bool use_kernel, long count,
                            struct noe_error *error) {
    struct noe_interval *interval = &work->interval;
    const struct noe_problem *problem = work->problem;
    if (!work->has_start) return status_set(error, NOE_BAD_INPUT, "the run has no start yet");
    enum noe_status status =
        use_kernel ? problem->method->kernel(interval, count) : implicit_step(work);
    if (status == NOE_OK && !is_finite_state(problem, work->next)) status = NOE_NOT_FINITE;
    work->effort.evaluations += interval->evaluations;
    work->effort.rejected += interval->rejected;
    if (status != NOE_OK) {
        interval->force_known = false;
        return failure(work, status, error);
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

/* Up to `count` steps of the problem's own length. */
static enum noe_status own_steps(struct noe_work *work, long count, struct noe_error *error) {
    work_interval(work, work->h_next);
    work->interval.is_fixed = false;
    const enum noe_status status = take(work, work->problem->use_kernel, count, error);
    if (status == NOE_OK && (work->problem->method->traits & NOE_ADAPTIVE))
        work->h_next = work->interval.h_next;
    return status;
}

enum noe_status noe_step(struct noe_work *work, struct noe_error *error) {
    return own_steps(work, 1, error);
}

enum noe_status noe_steps(struct noe_work *work, long count, struct noe_error *error) {
    const long end = work->now->k + count;
    enum noe_status status = NOE_OK;
    while (status == NOE_OK && work->now->k < end)
        status = own_steps(work, end - work->now->k, error);
    return status;
}

static void forget(struct noe_work *work) {
    predictor_reset(&work->predictor);
    work->newton.has_factors = false;
    work->interval.force_known = false;
}

/* A step of another length: what was learnt from the problem's own steps does not apply. */
static void prepare_given(struct noe_work *work, real h) {
    work_interval(work, h);
    work->interval.is_fixed = true;
    forget(work);
}

enum noe_status noe_step_by(struct noe_work *work, noe_real h, struct noe_error *error) {
    prepare_given(work, h);
    const enum noe_status status = take(work, work->problem->use_kernel, 1, error);
    work->t0 =
        work->now->t - (real)work->now->k * work->problem->h; /* the grid goes on from here */
    forget(work);
    return status;
}

/* With r(u, z) = 0 and z = (q,p): du/dz = -J^-1 dr/dz, column by column. */
enum noe_status noe_step_linearised(struct noe_work *work, noe_real *derivative,
                                    struct noe_error *error) {
    const struct noe_method *method = work->problem->method;
    struct newton *newton = &work->newton;
    struct noe_interval *interval = &work->interval;
    const int n = work->problem->system->n, nu = work->problem->nu;
    prepare_given(work, work->h_next);
    const enum noe_status status = take(work, false, 1, error);
    if (status != NOE_OK) return status;
    method->jacobian(interval, newton->u, newton->r, newton->values);
    if (!linear_factor(&newton->linear, newton->values))
        return status_set(error, NOE_SINGULAR, "the matrix of the step is singular");
    real *dz = work->variation, *dz1 = dz + 2 * n;
    for (int j = 0; j < 2 * n; j++) {
        memset(dz, 0, 2 * (size_t)n * sizeof *dz);
        dz[j] = 1;
        method->vary(interval, dz, newton->d);
        linear_solve(&newton->linear, newton->d);
        for (int i = 0; i < nu; i++) newton->d[i] = -newton->d[i];
        method->vary_finish(interval, dz, newton->d, dz1);
        for (int i = 0; i < 2 * n; i++) derivative[i * 2 * n + j] = dz1[i];
    }
    forget(work);
    return NOE_OK;
}
