/* Steps for callers of the library, with error messages. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/status.h"
#include "engine/consistent_start.h"
#include "engine/monitor.h"
#include "engine/problem.h"
#include "engine/step.h"
#include "mechanics/lie_product.h"

/* Constraints whose smallest singular value is below this fraction of the largest row count as
 * dependent. */
static const double least_independent = 0.05;

/* The limit of |x|. A retraction load is |x| divided by it. */
static double retraction_limit(const struct noe_problem *problem) {
    const real unit[SMALL_MAX] = {1};
    for (int k = 0; k < problem->internals->lie_product->npieces; k++) {
        const struct noe_space *space = problem->internals->lie_product->piece[k].space;
        if (space) return 1 / (double)space->maps.retraction_load(problem->retraction, unit);
    }
    return 0;
}

static bool has_choice(const struct noe_method_info *method) {
    for (const struct noe_option *option = method->options; option && option->name; option++)
        if (strcmp(option->name, "retraction") == 0) return true;
    return false;
}

/* |x| grows with the step size, so the message states the step size at the limit. */
static enum noe_status outside_retraction(const struct noe_work *work, struct noe_error *error) {
    const double limit = retraction_limit(work->problem),
                 retraction_load = (double)work->interval.retraction_load;
    return status_set(error, NOE_NOT_CONVERGED,
                      "step %ld from t = %.9g: a turn of |x| = %.4g leaves the domain of the "
                      "retraction, |x| < %.4g; try a step smaller than %.2g%s",
                      work->now->k + 1, (double)work->now->t, retraction_load * limit, limit,
                      (double)work->interval.h / retraction_load,
                      has_choice(work->problem->method) ? ", or retraction = cay"
                                                        : ", or verlet, whose turns have no limit");
}

/* Message if the step size is an unknown and has no solution. */
static enum noe_status no_step(const struct noe_work *work, struct noe_error *error) {
    const long k = work->now->k + 1;
    const double t = (double)work->now->t, h = (double)work->now->h;
    const struct step_size_search *length = &work->adaptive_step.length;
    const double first = (double)work->h, cap = (double)work->problem->internals->guard.cap;
    switch (length->reason) {
    case STEP_SEARCH_STILL:
        return status_set(error, NOE_NO_STEP,
                          "step %ld from t = %.9g: the discrete energy does not depend on the "
                          "step: this is an equilibrium or a motion without forces, or the step "
                          "%.3g is so short that it shows round-off only; try another "
                          "start or step, or a method of fixed steps",
                          k, t, first);
    case STEP_SEARCH_SIGN:
        return status_set(error, NOE_NO_STEP,
                          "step %ld from t = %.9g: the curvature D has changed its sign: no step "
                          "keeps the discrete energy here; try guard = hold",
                          k, t);
    case STEP_SEARCH_CAP:
        return status_set(error, NOE_NO_STEP,
                          "step %ld from t = %.9g: the step has grown from %.3g to %.3g and would "
                          "exceed max_ratio = %g times the first: where energy is dissipated try "
                          "defect = relative, else guard = hold",
                          k, t, first, h, cap);
    case STEP_SEARCH_SHRUNK:
        return status_set(error, NOE_NO_STEP,
                          "step %ld from t = %.9g: the step has shrunk from %.3g to %.3g and would "
                          "fall below the first over max_ratio = %g; where energy is supplied try "
                          "defect = relative, else a method of fixed steps",
                          k, t, first, h, cap);
    default:
        return status_set(
            error, NOE_NO_STEP,
            "step %ld from t = %.9g: no step within a factor of four of the last, "
            "%.3g, keeps the discrete energy: the curvature D comes near zero (%.2g "
            "of its first value), or the first step is too long; try guard = hold",
            k, t, h,
            (double)step_search_curvature(work->problem, length, work->now->h, length->last_gap));
    }
}

/* Message if the root of a step lies on the other side of a singular configuration. */
static enum noe_status turned(struct noe_work *work, struct noe_error *error) {
    real row = 0;
    const double min = (double)consistent_least_on_way(work, &row);
    const long k = work->now->k + 1;
    const double t = (double)work->now->t, h = (double)work->interval.h;
    if (min >= 0 && min < least_independent * (double)row)
        return status_set(
            error, NOE_SINGULAR,
            "step %ld from t = %.9g: on its way the constraints depend on one another, "
            "and the motion is not determined there: the smallest singular value of "
            "their derivatives falls to %.3g, the largest row is %.3g; no step goes "
            "on from here",
            k, t, min, (double)row);
    return status_set(
        error, NOE_SINGULAR,
        "step %ld from t = %.9g: the only root that was found does not belong to the "
        "motion: the constraints turn by more than a right angle in the step, and the "
        "smallest singular value of their derivatives falls to %.3g (the largest row "
        "is %.3g); try a step smaller than %.3g",
        k, t, min, (double)row, h);
}

/* Message if the mass matrix is regular along the constraints only, which leaves the velocities of
 * stages open. */
static enum noe_status no_stages(const struct noe_work *work, struct noe_error *error) {
    return status_set(error, NOE_SINGULAR,
                      "step %ld from t = %.9g: the mass matrix is singular, though regular along "
                      "the constraints, and the equations of this method's stages are singular "
                      "with it (residual %.3g); midpoint serves such a system",
                      work->now->k + 1, (double)work->now->t, (double)work->newton.residual);
}

/* Message if the constraints are linearly dependent, or nearly so, and no multipliers were found.
 */
static enum noe_status no_multipliers(struct noe_work *work, enum noe_status status,
                                      struct noe_error *error) {
    real row = 0;
    const double min = (double)consistent_least_singular(work, &row);
    if (min >= 0 && min < least_independent * (double)row) status = NOE_SINGULAR;
    return status_set(error, status,
                      "step %ld from t = %.9g: no multipliers were found that keep the constraints "
                      "(residual %.3g after %d iterations); the smallest singular value of their "
                      "derivatives is %.3g, the largest row %.3g: where it is small they depend on "
                      "one another; try another start or step than %.3g, or redundant = "
                      "least-squares",
                      work->now->k + 1, (double)work->now->t, (double)work->newton.residual,
                      work->newton.iterations, min, (double)row, (double)work->interval.h);
}

static enum noe_status no_root(const struct noe_work *work, struct noe_error *error) {
    const long k = work->now->k + 1;
    const double t = (double)work->now->t, h = (double)work->interval.h;
    const double reached = (double)work->follow.reached;
    const char *given = work->problem->method->advice, *advice = given ? given : "";
    const char *mark = given ? "; " : "";
    if (reached > 0 && reached < 1)
        return status_set(error, NOE_NOT_CONVERGED,
                          "step %ld from t = %.9g: the step's equation has no root that continues "
                          "the motion: the one for shorter steps ends at h = %.3g; try a step "
                          "smaller than that%s%s",
                          k, t, reached * h, mark, advice);
    return status_set(error, NOE_NOT_CONVERGED,
                      "step %ld from t = %.9g: Newton's method did not converge (residual %.3g "
                      "after %d iterations); try a step smaller than %.3g%s%s",
                      k, t, (double)work->newton.residual, work->newton.iterations - 1, h, mark,
                      advice);
}

static enum noe_status failure(struct noe_work *work, enum noe_status status,
                               struct noe_error *error) {
    const long k = work->now->k + 1;
    const double t = (double)work->now->t, h = (double)work->interval.h;
    if (work->problem->internals->lie_product && work->interval.retraction_load >= 1)
        return outside_retraction(work, error);
    if (status == NOE_SINGULAR && work->interval.has_turned) return turned(work, error);
    const bool is_lost = status == NOE_SINGULAR || status == NOE_NOT_CONVERGED;
    const bool is_constrained = constraint_count(work->problem->system);
    if (status == NOE_SINGULAR && is_constrained && work->has_singular_mass)
        return no_stages(work, error);
    if (is_lost && is_constrained) return no_multipliers(work, status, error);
    if (status == NOE_NOT_CONVERGED && kernel_is_direct(work->problem))
        return status_set(error, status,
                          "step %ld from t = %.9g: the equation of the step has no root near the "
                          "one before; try a step smaller than %.3g",
                          k, t, h);
    if (status == NOE_NO_STEP) return no_step(work, error);
    if (status == NOE_NOT_CONVERGED) return no_root(work, error);
    if (status == NOE_SINGULAR)
        return status_set(error, status,
                          "step %ld from t = %.9g: the matrix of the step is singular (residual "
                          "%.3g); a degenerate Lagrangian needs projected-gauss, "
                          "a regular one another step than %.3g",
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

static enum noe_status no_start(struct noe_error *error) {
    return status_set(error, NOE_BAD_INPUT, "the run has no start yet");
}

enum noe_status noe_work_steps(struct noe_work *work, long count, struct noe_error *error) {
    const struct problem_stepper *stepper = &work->problem->internals->stepper;
    if (!work->has_start) return no_start(error);
    const enum noe_status status =
        stepper->steps ? stepper->steps(work, count) : advance_steps(work, count);
    return status == NOE_OK ? NOE_OK : failure(work, status, error);
}

static enum noe_status no_energy(const struct noe_work *work, enum noe_status status,
                                 struct noe_error *error) {
    return status_set(error, status,
                      "step %ld, t = %.9g: the energy is not a finite number; the model is "
                      "undefined there",
                      work->now->k, (double)work->now->t);
}

enum noe_status noe_work_steps_monitored(struct noe_work *work, long count,
                                         struct noe_monitor *monitor, struct noe_error *error) {
    const struct problem_stepper *stepper = &work->problem->internals->stepper;
    if (!work->has_start) return no_start(error);
    const enum noe_status status = stepper->monitored ? stepper->monitored(work, count, monitor)
                                                      : monitor_steps(work, count, monitor);
    if (status == NOE_OK) return NOE_OK;
    return monitor->has_failed ? no_energy(work, status, error) : failure(work, status, error);
}

enum noe_status step_scan_events(struct noe_work *work, long count, struct event_scan *scan,
                                 struct noe_error *error) {
    const struct problem_stepper *stepper = &work->problem->internals->stepper;
    if (!work->has_start) return no_start(error);
    const enum noe_status status = stepper->scan_events ? stepper->scan_events(work, count, scan)
                                                        : events_steps(work, count, scan);
    if (status == NOE_OK) return NOE_OK;
    return scan->has_failed ? no_energy(work, status, error) : failure(work, status, error);
}

enum noe_status step_substep(struct noe_work *part, const struct noe_work *work, noe_real h,
                             noe_real *values, struct noe_error *error) {
    const struct noe_problem *problem = work->problem;
    const struct problem_stepper *stepper = &work->problem->internals->stepper;
    if (part == work || part->problem != problem || !events_can_part(work))
        return status_set(error, NOE_BAD_INPUT,
                          "there is no single step of this problem that could be taken in part");
    const enum noe_status status = stepper->substep ? stepper->substep(part, work, h, values)
                                                    : events_part(part, work, h, values);
    return status == NOE_OK ? NOE_OK : failure(part, status, error);
}

noe_real step_event_root(struct noe_work *part, const struct noe_work *work, noe_real before,
                         noe_real after) {
    const struct noe_problem *problem = work->problem;
    const struct problem_stepper *stepper = &work->problem->internals->stepper;
    const bool is_served = part != work && part->problem == problem && events_can_part(work) &&
                           problem_has_kernel_events(problem) && problem->system->nevents == 1;
    if (!is_served) return 0;
    return stepper->event_root ? stepper->event_root(part, work, before, after)
                               : events_root(part, work, before, after);
}

enum noe_status step_update_monitor(struct noe_work *work, struct noe_monitor *monitor,
                                    struct noe_error *error) {
    if (!work->has_start) return no_start(error);
    const enum noe_status status = monitor_update(work, monitor);
    return status == NOE_OK ? NOE_OK : no_energy(work, status, error);
}

enum noe_status noe_work_step(struct noe_work *work, struct noe_error *error) {
    return noe_work_steps(work, 1, error);
}

static enum noe_status take(struct noe_work *work, bool use_kernel, struct noe_error *error) {
    if (!work->has_start) return no_start(error);
    const enum noe_status status = advance_step(work, use_kernel, 1);
    return status == NOE_OK ? NOE_OK : failure(work, status, error);
}

enum noe_status noe_work_step_by(struct noe_work *work, noe_real h, struct noe_error *error) {
    advance_set_step_size(work, h);
    const enum noe_status status = take(work, kernel_takes_steps(work->problem), error);
    work->t0 = work->now->t - (real)work->now->k *
                                  work->problem->h; /* step numbers and times continue from here */
    advance_reset_history(work);
    return status;
}

static bool has_derivative(const struct noe_problem *problem) {
    return problem->internals->scheme->tangent && !problem->internals->has_no_derivative;
}

static enum noe_status no_derivative(const struct noe_problem *problem, struct noe_error *error) {
    if (problem->traits & NOE_MULTISTEP)
        return status_set(
            error, NOE_NOT_SERVED,
            "%s remembers more than (q,p) from step to step: a step has no derivative "
            "in (q,p) alone",
            problem->method->name);
    return status_set(error, NOE_NOT_SERVED, "%s gives no derivative of a step",
                      problem->method->name);
}

/* Takes the prepared step and factorises the Jacobian at its root. */
static enum noe_status take_linearised(struct noe_work *work, struct noe_error *error) {
    const struct scheme *scheme = work->problem->internals->scheme;
    struct newton *newton = &work->newton;
    const bool is_solved = scheme->tangent->residual;
    const enum noe_status status = take(work, !is_solved, error);
    if (status != NOE_OK) return status;
    if (is_solved) scheme->jacobian(&work->interval, newton->u, newton->d, newton->values);
    if (is_solved && !linear_factor(&newton->linear, work->problem->internals->nu, newton->values))
        return status_set(error, NOE_SINGULAR, "the matrix of the step is singular");
    return NOE_OK;
}

/* With r(u, z) = 0 and z = (q,p): du = -J^-1 dr/dz dz. A direct kernel has no u. */
static void move_tangent(struct noe_work *work, const real *dz, real *dz1) {
    const struct scheme *scheme = work->problem->internals->scheme;
    struct newton *newton = &work->newton;
    const int nu = work->problem->internals->nu;
    if (scheme->tangent->residual) {
        scheme->tangent->residual(&work->interval, dz, newton->d);
        linear_solve(&newton->linear, nu, newton->d);
        for (int i = 0; i < nu; i++) newton->d[i] = -newton->d[i];
    }
    scheme->tangent->update(&work->interval, dz, scheme->tangent->residual ? newton->d : NULL, dz1);
}

enum noe_status noe_work_step_linearised(struct noe_work *work, noe_real *derivative,
                                         struct noe_error *error) {
    const int n = work->problem->system->n;
    if (!has_derivative(work->problem)) return no_derivative(work->problem, error);
    advance_set_step_size(work, work->h_next);
    const enum noe_status status = take_linearised(work, error);
    if (status != NOE_OK) return status;
    real *dz = work->variation, *dz1 = dz + 2 * n;
    for (int j = 0; j < 2 * n; j++) {
        memset(dz, 0, 2 * (size_t)n * sizeof *dz);
        dz[j] = 1;
        move_tangent(work, dz, dz1);
        for (int i = 0; i < 2 * n; i++) derivative[i * 2 * n + j] = dz1[i];
    }
    advance_reset_history(work);
    return NOE_OK;
}

enum noe_status noe_work_step_tangent(struct noe_work *work, int count, noe_real *vectors,
                                      struct noe_error *error) {
    const int n = work->problem->system->n;
    if (!has_derivative(work->problem)) return no_derivative(work->problem, error);
    advance_interval(work, work->h_next); /* the history of earlier steps is valid, because calls of
                                             this function follow one another */
    work->interval.is_fixed = false;
    const enum noe_status status = take_linearised(work, error);
    if (status != NOE_OK) return status;
    for (int j = 0; j < count; j++, vectors += 2 * n) {
        memcpy(work->variation, vectors, 2 * (size_t)n * sizeof *vectors);
        move_tangent(work, work->variation, vectors);
    }
    if (kernel_is_fixed_point(work->problem))
        advance_reset_history(work); /* the history is overwritten */
    return NOE_OK;
}
