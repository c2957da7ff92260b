/* Newton's method, stopped where round-off stops it.
 *
 * r(u) = 0 is solved by u <- u - d, J d = r(u). A Jacobian is kept while the corrections shrink
 * fast. With the observed rate theta = |d_k|/|d_(k-1)| the error after the k-th correction is about
 * theta/(1-theta) |d_k|; it has the same sign step after step, so that it must lie far below the
 * last bit of u, or energy drifts (Hairer, McLachlan and Razakarivony, 2008). Otherwise the
 * iteration ends when corrections no longer shrink: then they are round-off. */
/* SPDX-License-Identifier: MIT */
#include "engine/newton.h"

#include "methods/interval.h"

enum { ITERATIONS_MAX = 40, REFRESH_EVERY_STEP_UP_TO = 12 };
static const double keep_rate = 0.1; /* slower than this and the Jacobian is renewed */
static const double stagnation_rate = 0.25;
static const double error_left = 1e-5; /* in units of the last bit */
static const double bend = 100;        /* a Jacobian this far off, relative, contracts so at most */
static const double noise = 64;        /* corrections this small may stagnate: the same units */
static const double most_noise = 1e-6; /* relative, in ill-conditioned systems */
static const double other_scale = 0.1; /* a correction that makes weights anew */
static const double component_floor = 1e-6; /* of the largest unknown: smaller ones count as this */
static const double smallest = 1e-280;      /* below it numbers lose digits */

/* weight_i = 1/|u_i|, components far below the largest taken as a millionth of it. */
static void weigh(int n, const real *u, real *weight) {
    const real norm = real_norm((size_t)n, u);
    const real floor = component_floor * norm > smallest ? component_floor * norm : smallest;
    for (int i = 0; i < n; i++) {
        const real size = noe_abs(u[i]);
        weight[i] = 1 / (size > floor ? size : floor);
    }
}

/* d = r(u), then J^-1 r in its place, with a new Jacobian if asked for. */
static enum noe_status correct(struct newton *newton, struct noe_interval *interval, bool renew) {
    const struct noe_method *method = interval_problem(interval)->method;
    const int n = interval_problem(interval)->nu;
    if (renew) {
        newton->has_factors = false;
        newton->factorisations++;
        method->jacobian(interval, newton->u, newton->d, newton->values);
    } else {
        method->residual(interval, newton->u, newton->d);
    }
    newton->residual = real_norm((size_t)n, newton->d);
    if (!real_is_finite(newton->residual)) return NOE_NOT_FINITE;
    if (renew && !linear_factor(&newton->linear, newton->values)) return NOE_SINGULAR;
    newton->has_factors = true;
    linear_solve(&newton->linear, newton->d);
    for (int i = 0; i < n; i++) newton->u[i] -= newton->d[i];
    return NOE_OK;
}

/* Is a stagnating correction of this relative size round-off? With a Jacobian of this step, larger
 * ones are, and so are those whose residual is at the round-off of the momentum. */
static bool is_round_off(const struct newton *newton, const struct noe_interval *interval,
                         bool is_fresh, real size) {
    if (size <= noise * NOE_EPSILON) return true;
    if (!is_fresh) return false;
    const real momentum =
        real_norm((size_t)interval_problem(interval)->system->n, interval->from->p);
    return size <= most_noise || newton->residual <= 16 * NOE_EPSILON * momentum;
}

/* Would the second correction, with the Jacobian of the first, leave too much? Newton's method
 * turns a first correction of relative size x into c x^2, where c is what the last step has shown,
 * and the old Jacobian then contracts by 2 c x. */
static bool is_bent(const struct newton *newton, real x) {
    const real c = newton->curvature;
    return !(2 * c * c * x * x * x <= error_left * NOE_EPSILON);
}

enum noe_status newton_solve(struct newton *newton, struct noe_interval *interval) {
    const int n = interval_problem(interval)->nu;
    const bool is_cheap =
        n <= REFRESH_EVERY_STEP_UP_TO || LINEAR_KIND(&newton->linear) >= LINEAR_BANDED;
    bool renew = !newton->has_factors || is_cheap, is_fresh = false;
    real last = 0, moved = 0; /* since the Jacobian was evaluated, relative */
    weigh(n, newton->u, newton->weight);
    for (newton->iterations = 1; newton->iterations <= ITERATIONS_MAX; newton->iterations++) {
        const enum noe_status status = correct(newton, interval, renew);
        if (status != NOE_OK) return status;
        if (renew) moved = 0;
        is_fresh = is_fresh || renew;
        real size = real_weighted_norm((size_t)n, newton->d, newton->weight);
        if (!(size < other_scale)) {
            weigh(n, newton->u, newton->weight);
            size = real_weighted_norm((size_t)n, newton->d, newton->weight);
        }
        interval->correction = size > NOE_EPSILON ? newton->d : NULL;
        if (size == 0) return NOE_OK;
        moved += size;
        if (newton->iterations > 1) {
            const real rate = size / last;
            if (newton->iterations == 2) newton->curvature = rate / last;
            const real bound = is_fresh && bend * moved < rate ? bend * moved : rate;
            if (bound < 1 && size * bound <= error_left * NOE_EPSILON * (1 - bound)) {
                newton->residual *= bound;
                return NOE_OK;
            }
            if (rate > stagnation_rate && is_round_off(newton, interval, is_fresh, size))
                return NOE_OK;
            renew = rate > keep_rate && size > noise * NOE_EPSILON;
        } else {
            renew = is_cheap && is_bent(newton, size);
        }
        last = size;
    }
    newton->has_factors = false;
    return real_is_finite(newton->residual) ? NOE_NOT_CONVERGED : NOE_NOT_FINITE;
}
