/* Newton iteration, stopped at the round-off level of the residual.
 *
 * Solves r(u) = 0 by u <- u - d, J d = r(u). The Jacobian is kept (simplified Newton) while the
 * corrections shrink fast. With the observed rate theta = |d_k|/|d_(k-1)| the error after the k-th
 * correction is about theta/(1-theta) |d_k|. It has the same sign step after step, so it must lie
 * far below the last bit of u, or the energy drifts (Hairer, McLachlan and Razakarivony, 2008).
 * Otherwise the iteration ends when the corrections no longer shrink, because then they are
 * round-off. */
/* SPDX-License-Identifier: MIT */
#include "engine/newton.h"

#include <string.h>

#include "mechanics/interval.h"
#include "methods/method.h"

enum { ITERATIONS_MAX = 40, REFRESH_EVERY_STEP_UP_TO = 24 };
static const double keep_rate = 0.1; /* the Jacobian is renewed if the rate is slower */
static const double stagnation_rate = 0.25;
static const double stray_rate = 0.5;   /* at a faster rate the nearest root is unique */
static const double long_way = 0.5;     /* after a relative correction this large */
static const double linear_rate = 1e-3; /* the rate must be this small (nearly linear residual) */
static const double stray_size = 1e-3;  /* smaller corrections stay at the root */
static const double error_left = 1e-5;  /* remaining error in units of the last bit */
static const double quadratic_remainder =
    100; /* curvature bound: relative distance of the Jacobian to its rate */
static const double bend_unseen = 1e4; /* curvature bound before a second correction was observed */
static const double least_bent =
    1e-7; /* relative correction below which the curvature is lost in round-off */
static const double noise = 64; /* corrections this small may stagnate, in units of the last bit */
static const double most_noise = 1e-6; /* relative limit in ill-conditioned systems */
static const double other_scale = 0.1; /* relative correction that recomputes the weights */
static const double component_floor =
    1e-6;                              /* smaller unknowns count as this fraction of the largest */
static const double smallest = 1e-280; /* smaller numbers lose digits */

#ifdef NOE_LANES
/* One lane must not change the bits of another. So lanes renew the Jacobian in every iteration and
 * carry every correction into the forces. */
enum { IS_UNIFORM = true };
#else
enum { IS_UNIFORM = false };
#endif

/* The inverse of the size of an unknown. Small unknowns count as a millionth of the largest. */
static inline real weight_of(real size, real norm) {
    return 1 / real_max(size, real_max(component_floor * norm, real_broadcast(smallest)));
}

/* Weights by the iterate u - d. An unknown that passes zero keeps the scale of the previous steps.
 */
static void weigh(struct newton *newton, int n, mask where) {
    const real *u = newton->u, *d = newton->d, *scale = newton->scale;
    const real norm = real_distance((size_t)n, u, d);
    for (int i = 0; i < n; i++) {
        const real size = real_max(noe_abs(u[i] - d[i]), 0.5 * scale[i]);
        newton->weight[i] = real_select(where, weight_of(size, norm), newton->weight[i]);
    }
    newton->has_weights = true;
}

/* d = J^-1 r(u), with a new Jacobian if `renew` is true. Returns the status of the lanes. */
static noe_lane_status correct(struct newton *newton, struct noe_interval *interval, bool renew) {
    const struct scheme *scheme = interval_problem(interval)->internals->scheme;
    const int n = interval_problem(interval)->internals->nu;
    mask is_regular = mask_broadcast(true);
    if (renew) {
        newton->has_factors = false;
        newton->factorisations++;
        scheme->jacobian(interval, newton->u, newton->d, newton->values);
    } else {
        scheme->residual(interval, newton->u, newton->d);
    }
    newton->residual = real_norm((size_t)n, newton->d);
    const mask is_finite = real_is_finite(newton->residual);
    if (!mask_any(is_finite)) return lane_status_broadcast(NOE_NOT_FINITE);
    if (renew) is_regular = linear_factor(&newton->linear, n, newton->values);
    const noe_lane_status outcome =
        lane_status_join(lane_status_broadcast(NOE_OK), mask_not(is_finite), NOE_NOT_FINITE);
    if (!mask_any(is_regular)) return lane_status_join(outcome, mask_broadcast(true), NOE_SINGULAR);
    if (renew && constraint_count(interval_problem(interval)->system))
        newton->sign = linear_sign(&newton->linear, n);
    newton->has_factors = true;
    linear_solve(&newton->linear, n, newton->d);
    return lane_status_join(outcome, mask_not(is_regular), NOE_SINGULAR);
}

/* True if a stagnating correction of this relative size is round-off. Larger corrections are, if
 * the Jacobian belongs to this step or if the residual is at the round-off level of the momentum.
 */
static mask is_round_off(const struct newton *newton, const struct noe_interval *interval,
                         bool is_fresh, real size) {
    const mask is_noise = size <= noise * NOE_EPSILON;
    if (!is_fresh || mask_all(is_noise)) return is_noise;
    const real momentum =
        real_norm((size_t)interval_problem(interval)->system->n, interval->from->p);
    const real min = real_max(NOE_EPSILON * momentum, interval->noise);
    return is_noise | (size <= most_noise) | (newton->residual <= 16 * min);
}

/* The corrections of one call, relative to the unknowns. */
struct progress {
    real size, last, moved;  /* this one, the previous one, the sum since the last Jacobian */
    mask is_near;            /* the remaining error is below the last bit */
    bool is_first, is_fresh; /* the first correction; the Jacobian belongs to this call */
};

static void measure(struct newton *newton, int n, struct progress *now) {
    if (!newton->has_weights) weigh(newton, n, mask_broadcast(true));
    now->size = real_weighted_norm((size_t)n, newton->d, newton->weight);
    const mask is_other = mask_not(now->size < other_scale);
    if (mask_any(is_other)) {
        weigh(newton, n, is_other);
        now->size = real_weighted_norm((size_t)n, newton->d, newton->weight);
    }
    now->moved += now->size;
}

/* True if the second correction with the Jacobian of the first would leave too large an error.
 * Newton's method turns a first correction of relative size x into c x^2, where c is the curvature
 * observed in earlier steps, and the old Jacobian then contracts at the rate 2 c x. */
static mask is_bent(const struct newton *newton, real x) {
    const real c = newton->curvature;
    return mask_not(2 * c * c * x * x * x <= error_left * NOE_EPSILON);
}

/* Measures the curvature by the second correction, if the first was large enough. */
static void learn_curvature(struct newton *newton, const struct progress *now) {
    const real seen = now->size / (now->last * now->last);
    newton->curvature = real_select(now->last > least_bent, seen, newton->curvature);
}

/* True if a correction appears to lead away from the root nearest to the guess. */
static mask strays(const struct progress *now) {
    const real rate =
        real_select(now->last > long_way, real_broadcast(linear_rate), real_broadcast(stray_rate));
    return (now->size > stray_size) & mask_not(now->size <= rate * now->last);
}

/* Bound on the rate of contraction with a Jacobian of this call, by the distance moved since. */
static real bent_path(const struct newton *newton, const struct progress *now) {
    const scalar min = now->is_first ? bend_unseen : quadratic_remainder;
    return real_max(4 * newton->curvature, real_broadcast(min)) * now->moved;
}

/* True if u - d is the root. The remaining error at the rate of contraction r is r/(1-r) times the
 * correction, where r is |d_k|/|d_(k-1)|, or the bound above if there is only one correction. */
static mask is_found(struct newton *newton, const struct noe_interval *interval,
                     struct progress *now) {
    const real left = real_broadcast(error_left * NOE_EPSILON), size = now->size, last = now->last;
    const real path = bent_path(newton, now);
    mask is_near = (size < last) & (size * size <= left * (last - size));
    if (now->is_fresh) is_near |= (path < 1) & (size * path <= left * (1 - path));
    now->is_near = is_near |= size == 0;
    if (now->is_first) return is_near;
    const mask stagnates = mask_not(is_near) & (size > stagnation_rate * last);
    if (!mask_any(stagnates)) return is_near;
    return is_near | (stagnates & is_round_off(newton, interval, now->is_fresh, size));
}

static bool wants_jacobian(const struct newton *newton, const struct progress *now, bool is_cheap) {
    if (IS_UNIFORM) return true;
    if (now->is_first) return is_cheap && mask_any(is_bent(newton, now->size));
    return mask_any((now->size > keep_rate * now->last) & (now->size > noise * NOE_EPSILON));
}

/* Estimates the remaining residual: it shrinks like the error, unless both are round-off. */
static void leave_residual(struct newton *newton, const struct progress *now) {
    const real rate = real_select(now->size < now->last, now->size / now->last, real_broadcast(1));
    const real path = now->is_fresh ? bent_path(newton, now) : real_broadcast(1);
    const real left = real_select(path < rate, path, rate);
    newton->residual *= real_select(now->is_near, left, real_broadcast(1));
}

/* Returns NOE_SINGULAR if the determinant of the Jacobian changed its sign, because then the root
 * does not belong to the motion. */
static noe_lane_status refuse_turned(struct newton *newton, struct noe_interval *interval,
                                     noe_lane_status outcome) {
    if (!constraint_count(interval_problem(interval)->system)) return outcome;
    interval->has_turned = (newton->sign * newton->normal < 0) & (interval->h > 0);
    return lane_status_join(outcome, interval->has_turned, NOE_SINGULAR);
}

void newton_orient(struct newton *newton, struct noe_interval *interval) {
    newton->sign = real_broadcast(0);
    const noe_lane_status outcome = correct(newton, interval, true);
    newton->normal = real_select(outcome == NOE_OK, newton->sign, real_broadcast(0));
    newton_forget(newton);
}

noe_lane_status newton_solve(struct newton *newton, struct noe_interval *interval, mask wanted) {
    const int n = interval_problem(interval)->internals->nu;
    const bool is_cheap =
        n <= REFRESH_EVERY_STEP_UP_TO || LINEAR_KIND(&newton->linear) >= LINEAR_BANDED;
    bool renew = IS_UNIFORM || !newton->has_factors || is_cheap;
    struct progress now = {.is_first = true};
    noe_lane_status outcome = lane_status_broadcast(NOE_OK);
    mask is_going = wanted;
    newton->has_strayed = mask_broadcast(false);
    for (newton->iterations = 1;; newton->iterations++) {
        outcome = lane_status_select(is_going, correct(newton, interval, renew), outcome);
        is_going &= outcome == NOE_OK;
        if (!mask_any(is_going)) break;
        if (renew) now.moved = real_broadcast(0);
        now.is_fresh |= renew;
        measure(newton, n, &now);
        if (newton->iterations == 2) learn_curvature(newton, &now);
        if (now.is_first)
            newton->first = now.size;
        else
            newton->has_strayed |= is_going & strays(&now);
        interval->correction = IS_UNIFORM || mask_any(now.size > NOE_EPSILON) ? newton->d : NULL;
        is_going &= mask_not(is_found(newton, interval, &now));
        if (!mask_any(is_going)) break;
        if (newton->iterations == ITERATIONS_MAX) {
            newton->has_factors = false;
            return lane_status_join(outcome, is_going, NOE_NOT_CONVERGED);
        }
        for (int i = 0; i < n; i++)
            newton->u[i] = real_select(is_going, newton->u[i] - newton->d[i], newton->u[i]);
        renew = wants_jacobian(newton, &now, is_cheap);
        now.is_first = false;
        now.last = now.size;
    }
    leave_residual(newton, &now);
    /* A singular Jacobian far from the initial guess does not make the step singular. */
    const mask is_astray = newton->has_strayed & (outcome == NOE_SINGULAR);
    outcome = lane_status_select(is_astray, lane_status_broadcast(NOE_NOT_CONVERGED), outcome);
    return refuse_turned(newton, interval, outcome);
}

void newton_restart(struct newton *newton, int n, mask where) {
    const real norm = real_norm((size_t)n, newton->scale);
    for (int i = 0; i < n; i++)
        newton->weight[i] =
            real_select(where, weight_of(newton->scale[i], norm), newton->weight[i]);
    newton->has_factors = false;
}

void newton_finish(struct newton *newton, int n, mask is_root) {
    real *restrict u = newton->u, *restrict scale = newton->scale;
    for (int i = 0; i < n; i++) {
        u[i] -= newton->d[i];
        const real size = real_max(noe_abs(u[i]), 0.5 * scale[i]);
        scale[i] = real_select(is_root, size, scale[i]);
    }
    const real norm = real_norm((size_t)n, u);
    for (int i = 0; i < n; i++)
        newton->weight[i] = real_select(is_root, weight_of(scale[i], norm), newton->weight[i]);
}

void newton_forget(struct newton *newton) {
    newton->has_weights = newton->has_factors = false;
    newton->curvature = real_broadcast(0);
    memset(newton->scale, 0, (size_t)newton->linear.n * sizeof *newton->scale);
}
