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
static const double keep_rate = 0.1;       /* slower than this and the Jacobian is renewed */
static const double quadratic_from = 1e-6; /* a first correction above it repays a new Jacobian */
static const double stagnation_rate = 0.25;
static const double error_left = 1e-5; /* in units of the last bit */
static const double bend = 100;        /* a Jacobian this far off, relative, contracts so */
static const double noise = 64;        /* corrections this small may stagnate: the same units */
static const double most_noise = 1e-6; /* relative, in ill-conditioned systems */
static const double other_scale = 0.1; /* a correction that makes weights anew */
static const double component_floor = 1e-6; /* of the largest unknown: smaller ones count as this */
static const double smallest = 1e-280;      /* below it numbers lose digits */

#ifdef NOE_LANES
/* What one lane needs must not show in another: a new Jacobian in every iteration, and every
 * correction carried into the forces. */
enum { IS_UNIFORM = true };
#else
enum { IS_UNIFORM = false };
#endif

/* weight_i = 1/|x_i| with x = u - d, components far below the largest taken as a millionth of it.
 */
static void weigh(int n, const real *u, const real *d, real *weight, truth where) {
    real norm = {0};
    for (int i = 0; i < n; i++) norm = real_larger(noe_abs(u[i] - d[i]), norm);
    const real floor = real_larger(component_floor * norm, real_of(smallest));
    for (int i = 0; i < n; i++) {
        const real size = real_larger(noe_abs(u[i] - d[i]), floor);
        weight[i] = real_select(where, 1 / size, weight[i]);
    }
}

/* The correction in units of the unknowns: the largest |d_i| weight_i. */
static real relative_size(int n, const real *d, const real *weight) {
    real largest = {0}, poison = {0};
    for (int i = 0; i < n; i++) {
        largest = real_larger(noe_abs(d[i]) * weight[i], largest);
        poison += 0 * d[i];
    }
    return largest + poison;
}

/* d = J^-1 r(u), with a new Jacobian if asked for; where that fails, the outcome says how. */
static noe_outcome correct(struct newton *newton, struct noe_interval *interval, bool renew) {
    const struct noe_method *method = interval_problem(interval)->method;
    const int n = interval_problem(interval)->nu;
    truth is_regular = truth_of(true);
    if (renew) {
        newton->has_factors = false;
        newton->factorisations++;
        method->jacobian(interval, newton->u, newton->d, newton->values);
    } else {
        method->residual(interval, newton->u, newton->d);
    }
    newton->residual = real_norm((size_t)n, newton->d);
    const truth is_finite = real_is_finite(newton->residual);
    if (!truth_any(is_finite)) return outcome_of(NOE_NOT_FINITE);
    if (renew) is_regular = linear_factor(&newton->linear, newton->values);
    const noe_outcome outcome =
        outcome_join(outcome_of(NOE_OK), truth_not(is_finite), NOE_NOT_FINITE);
    if (!truth_any(is_regular)) return outcome_join(outcome, truth_of(true), NOE_SINGULAR);
    newton->has_factors = true;
    linear_solve(&newton->linear, newton->d);
    return outcome_join(outcome, truth_not(is_regular), NOE_SINGULAR);
}

/* Is a stagnating correction of this relative size round-off? With a Jacobian of this step, larger
 * ones are, and so are those whose residual is at the round-off of the momentum. */
static truth is_round_off(const struct newton *newton, const struct noe_interval *interval,
                          bool is_fresh, real size) {
    const truth is_noise = size <= noise * NOE_EPSILON;
    if (!is_fresh || truth_all(is_noise)) return is_noise;
    const real momentum =
        real_norm((size_t)interval_problem(interval)->system->n, interval->from->p);
    return is_noise | (size <= most_noise) | (newton->residual <= 16 * NOE_EPSILON * momentum);
}

/* The corrections of one call, relative to the unknowns. */
struct progress {
    real size, last, moved; /* this one, the one before, all since the Jacobian was evaluated */
    real rate;
    bool is_first, is_fresh; /* the first; the Jacobian is of this call */
};

static void measure(const struct newton *newton, int n, struct progress *now) {
    if (now->is_first) weigh(n, newton->u, newton->d, newton->weight, truth_of(true));
    now->size = relative_size(n, newton->d, newton->weight);
    const truth is_other = truth_not(now->size < other_scale);
    if (!now->is_first && truth_any(is_other)) {
        weigh(n, newton->u, newton->d, newton->weight, is_other);
        now->size = relative_size(n, newton->d, newton->weight);
    }
    now->moved += now->size;
    now->rate = now->size / now->last;
}

/* Is the root found, up to the correction in d? */
static truth is_found(struct newton *newton, const struct noe_interval *interval,
                      const struct progress *now) {
    const real path = bend * now->moved;
    if (now->is_first) return now->size == 0;
    const real bound = now->is_fresh ? real_select(path < now->rate, path, now->rate) : now->rate;
    const truth is_near =
        (bound < 1) & (now->size * bound <= error_left * NOE_EPSILON * (1 - bound));
    newton->residual = real_select(is_near, newton->residual * bound, newton->residual);
    const truth stagnates = truth_not(is_near) & (now->rate > stagnation_rate);
    if (!truth_any(stagnates)) return is_near | (now->size == 0);
    return is_near | (stagnates & is_round_off(newton, interval, now->is_fresh, now->size));
}

static bool wants_jacobian(const struct progress *now, bool is_cheap) {
    if (IS_UNIFORM) return true;
    if (now->is_first) return is_cheap && truth_any(now->size > quadratic_from);
    return truth_any((now->rate > keep_rate) & (now->size > noise * NOE_EPSILON));
}

noe_outcome newton_solve(struct newton *newton, struct noe_interval *interval, truth wanted) {
    const int n = interval_problem(interval)->nu;
    const bool is_cheap =
        n <= REFRESH_EVERY_STEP_UP_TO || LINEAR_KIND(&newton->linear) == LINEAR_SPARSE;
    bool renew = IS_UNIFORM || !newton->has_factors || is_cheap;
    struct progress now = {.is_first = true};
    noe_outcome outcome = outcome_of(NOE_OK);
    truth is_going = wanted;
    for (newton->iterations = 1;; newton->iterations++) {
        outcome = outcome_select(is_going, correct(newton, interval, renew), outcome);
        is_going &= outcome == NOE_OK;
        if (!truth_any(is_going)) break;
        if (renew) now.moved = real_of(0);
        now.is_fresh |= renew;
        measure(newton, n, &now);
        interval->correction = IS_UNIFORM || truth_any(now.size > NOE_EPSILON) ? newton->d : NULL;
        is_going &= truth_not(is_found(newton, interval, &now));
        if (!truth_any(is_going)) break;
        if (newton->iterations == ITERATIONS_MAX) {
            newton->has_factors = false;
            return outcome_join(outcome, is_going, NOE_NOT_CONVERGED);
        }
        for (int i = 0; i < n; i++)
            newton->u[i] = real_select(is_going, newton->u[i] - newton->d[i], newton->u[i]);
        renew = wants_jacobian(&now, is_cheap);
        now.is_first = false;
        now.last = now.size;
    }
    return outcome;
}

void newton_finish(struct newton *newton, int n) {
    for (int i = 0; i < n; i++) newton->u[i] -= newton->d[i];
}
