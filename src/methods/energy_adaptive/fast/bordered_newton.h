/* Bordered Newton iteration for a step of few unknowns whose step size is an unknown, on the stack.
 *
 * For the step size h = e^x the unknowns u solve r(u,x) = 0, and the discrete energy E(u,x) must be
 * E_k. One evaluation at a guess gives both and their derivatives. With J = r_u, J d = r, J k =
 * r_x,
 *     u(x) = u - d + O(d^2),   E(x) = E - E_u.d + d.E_uu d/2 + O(h d^2),
 *     du/dx = -k,              dE/dx = E_x - E_u.k,
 * so that one iteration of the search for x is one iteration of Newton's method for (u,x): the
 * bordered matrix is solved by two right-hand sides of J. At the final step size the same J gives
 * the last correction of u. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_ENERGY_ADAPTIVE_FAST_BORDERED_NEWTON_H
#define METHODS_ENERGY_ADAPTIVE_FAST_BORDERED_NEWTON_H

#include "mechanics/small_newton.h"
#include "methods/energy_adaptive/step_size_search.h"

/* Residual and energy at one (u,x), with their derivatives. */
struct bordered_evaluation {
    real r[SMALL_MAX], J[SMALL_SQUARE], rx[SMALL_MAX];
    real energy_defect, Eu[SMALL_MAX], Ex; /* energy at the start minus E */
    real noise;                            /* round-off of the energy defect */
};

/* Time and energy of a run of steps. */
struct energy_run_state {
    real t, h; /* end and step size of the last step */
    real energy_target, energy_defect, energy;
    noe_lane_status outcome;
};

/* The functions of one method; `self` is its step. */
struct energy_rule {
    const struct small_newton_equation *equation; /* equation of u for the step size that was set */
    real (*energy)(void *self);                   /* energy at the start */
    void (*begin)(void *self, const struct energy_run_state *clock);
    void (*set)(void *self, real h);
    void (*evaluate)(void *self, const real *u, struct bordered_evaluation *values);
    /* d.E_uu d/2, and an estimate of the remaining error of E. */
    real (*quadratic_remainder)(const void *self, const struct bordered_evaluation *values,
                                const real *d, real *left);
    /* Ends step k with its energy and energy defect. The defect at the start is known, unless the
     * step size was given. */
    void (*end)(void *self, long k, const real *u, struct step_size_search *length,
                struct energy_run_state *clock);
};

/* A step whose step size is searched. */
struct energy_search {
    void *self;
    real *past; /* unknowns of earlier steps (mechanics/extrapolation.h) */
    real u[SMALL_MAX],
        slope[SMALL_MAX];              /* root for the last trial step size, up to d^2, and du/dx */
    struct small_newton_matrix matrix; /* J at that root */
    real dd;                           /* d.d */
};

REAL_INLINE real bordered_dot(int n, const real *x, const real *y) {
    real sum = {0};
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

REAL_INLINE void bordered_keep(int n, struct energy_search *s,
                               const struct small_newton_matrix *matrix, mask where) {
    s->matrix.inverse = real_select(where, matrix->inverse, s->matrix.inverse);
    for (int e = 0; e < n * n; e++)
        s->matrix.a[e] = real_select(where, matrix->a[e], s->matrix.a[e]);
    for (int i = 0; i < n && n != 3; i++)
        s->matrix.pivot[i] = lane_index_select(where, matrix->pivot[i], s->matrix.pivot[i]);
}

/* Result of the Newton iteration for one trial step size. */
struct bordered_iterate {
    struct bordered_evaluation values;
    struct small_newton_matrix matrix;
    real u[SMALL_MAX], d[SMALL_MAX], dd;
    real quadratic;         /* d.E_uu d/2 */
    mask is_good, is_going; /* J is regular; d^2 is still visible in E */
};

/* Iterates from u until the error of order d^2 is far below the round-off of E. A guess far from
 * the root is replaced by the last root. */
REAL_INLINE void bordered_newton(int n, const struct energy_rule *rule,
                                 const struct energy_search *s, mask where,
                                 struct bordered_iterate *at) {
    real left;
    at->is_going = where;
    at->is_good = mask_broadcast(true);
    for (int count = 1;; count++) {
        rule->evaluate(s->self, at->u, &at->values);
        const mask is_regular = small_newton_factor(n, &at->matrix, at->values.J);
        small_newton_apply(n, &at->matrix, at->values.r, at->d);
        at->dd = small_newton_square(n, at->d);
        at->quadratic = rule->quadratic_remainder(s->self, &at->values, at->d, &left);
        const mask is_finite = real_is_finite(at->dd), is_bad = mask_not(is_regular & is_finite);
        at->is_good &= mask_not(at->is_going & is_bad);
        at->is_going &= at->is_good & (left > step_search_left * at->values.noise);
        if (!mask_any(at->is_going) || count == SMALL_NEWTON_ITERATIONS_MAX) return;
        const mask is_far = count == 1 ? at->dd > small_newton_far * small_newton_square(n, at->u)
                                       : mask_broadcast(false);
        for (int i = 0; i < n; i++) {
            const real next = real_select(is_far, s->past[i], at->u[i] - at->d[i]);
            at->u[i] = real_select(at->is_going, next, at->u[i]);
        }
    }
}

/* Computes the root, up to d^2, and the energy defect for the trial step size h. */
REAL_INLINE void bordered_probe(int n, const struct energy_rule *rule, struct energy_search *s,
                                real h, real dx, mask where, struct step_trial *trial) {
    struct bordered_iterate at;
    real k[SMALL_MAX];
    for (int i = 0; i < n; i++) at.u[i] = s->u[i] + s->slope[i] * dx;
    rule->set(s->self, h);
    bordered_newton(n, rule, s, where, &at);
    small_newton_apply(n, &at.matrix, at.values.rx, k);
    const real energy_defect =
        at.values.energy_defect + (bordered_dot(n, at.values.Eu, at.d) - at.quadratic);
    const real slope = at.values.Ex - bordered_dot(n, at.values.Eu, k);
    const mask is_finite =
        real_is_finite(small_newton_square(n, at.values.r) + at.values.energy_defect);
    noe_lane_status outcome =
        lane_status_join(lane_status_broadcast(NOE_OK), mask_not(is_finite), NOE_NOT_FINITE);
    outcome = lane_status_join(outcome, mask_not(at.is_good), NOE_SINGULAR);
    outcome = lane_status_join(outcome, at.is_going, NOE_NOT_CONVERGED);
    outcome = lane_status_join(outcome, mask_not(real_is_finite(energy_defect)), NOE_NOT_FINITE);
    trial->outcome = lane_status_select(where, outcome, trial->outcome);
    trial->energy_defect = real_select(where, energy_defect, trial->energy_defect);
    trial->noise = real_select(where, at.values.noise, trial->noise);
    trial->stretch = real_select(where, -energy_defect / slope, trial->stretch);
    s->dd = real_select(where, at.dd, s->dd);
    for (int i = 0; i < n; i++) {
        s->u[i] = real_select(where, at.u[i] - at.d[i], s->u[i]);
        s->slope[i] = real_select(where, -k[i], s->slope[i]);
    }
    bordered_keep(n, s, &at.matrix, where);
}

/* The root for the step size h, at the distance dx = log(h/h') from the last trial h'. A correction
 * e with the J of that trial leaves about 2 |e|^2 over the distance since, as in
 * mechanics/small_newton.h. Returns the lanes with a root. */
REAL_INLINE mask bordered_root(int n, const struct energy_rule *rule, struct energy_search *s,
                               real h, real dx) {
    const scalar left = small_newton_left * small_newton_left,
                 noise = small_newton_noise * small_newton_noise;
    real u[SMALL_MAX], r[SMALL_MAX], e[SMALL_MAX], w[SMALL_MAX];
    for (int i = 0; i < n; i++) u[i] = s->u[i] + s->slope[i] * dx;
    rule->set(s->self, h);
    rule->equation->residual(s->self, n, u, r, NULL);
    small_newton_apply(n, &s->matrix, r, e);
    for (int i = 0; i < n; i++) w[i] = u[i] - e[i];
    const real distance = s->dd + dx * dx * small_newton_square(n, s->slope);
    const real ww = small_newton_square(n, w), ee = small_newton_square(n, e);
    const mask is_near = 4 * ee * ee <= left * ww * distance;
    const mask is_noise = (distance <= noise * ww) & (ee <= noise * ww);
    const mask is_found = is_near | is_noise;
    for (int i = 0; i < n; i++) s->u[i] = w[i];
    if (mask_all(is_found)) return is_found;
    const mask is_better = small_newton_solve(n, rule->equation, s->self, NULL, s->past, w);
    for (int i = 0; i < n; i++) s->u[i] = real_select(is_found, s->u[i], w[i]);
    return is_found | is_better;
}

/* A step of given step size. The first step of a run defines the discrete energy. */
REAL_INLINE void bordered_given(const struct noe_interval *interval, const struct energy_rule *rule,
                                step_search_probe *probe, struct energy_search *s,
                                struct step_size_search *length, struct energy_run_state *clock) {
    struct step_trial trial = {.outcome = lane_status_broadcast(NOE_OK)};
    const bool is_first = interval->from->k == 0;
    if (is_first) {
        clock->energy_target = rule->energy(s->self);
        clock->energy_defect = real_broadcast(0);
        rule->begin(s->self, clock);
    }
    probe(s, interval->h, real_broadcast(0), interval->is_active, &trial);
    length->tries++;
    length->energy_defect = trial.energy_defect;
    length->is_held |= interval->is_active;
    clock->outcome =
        is_first ? step_search_begin(interval, length, clock->energy_target, trial) : trial.outcome;
    if (!is_first) return;
    clock->energy_target -= trial.energy_defect;
    clock->energy_defect = trial.energy_defect;
}

/* Finds the step size of the next step, at the distance dx from the last trial. The status is set
 * in lanes without one. */
REAL_INLINE real bordered_length(const struct noe_interval *interval, step_search_probe *probe,
                                 struct energy_search *s, struct step_size_search *length,
                                 struct energy_run_state *clock, real *dx) {
    const struct noe_problem *problem = interval_problem(interval);
    struct step_search search =
        step_search_open(problem, length, interval->is_active, clock->h, clock->energy_defect,
                         step_search_guess(length, clock->h));
    search.trial = (struct step_trial){.outcome = lane_status_broadcast(NOE_OK)};
    step_search_find(problem, length, &search, probe, s, true);
    clock->outcome = step_search_judge(problem, length, &search);
    length->tries += search.tries + mask_any(search.h != search.tried);
    *dx = real_select(search.is_sure, search.dx, real_broadcast(0));
    if (!mask_any(search.is_lost)) return search.h;
    *dx = real_select(search.is_lost, step_search_log(search.h / search.tried - 1), *dx);
    if (problem->internals->guard.is_anchored)
        clock->outcome =
            lane_status_select(search.is_lost, lane_status_broadcast(NOE_OK), clock->outcome);
    return search.h;
}

/* Step k of a run. */
REAL_INLINE void bordered_step(const struct noe_interval *interval, int n,
                               const struct energy_rule *rule, step_search_probe *probe,
                               struct energy_search *s, long k, struct step_size_search *length,
                               struct energy_run_state *clock) {
    const real last_gap = length->last_gap;
    real h = interval->h, dx = {0};
    rule->begin(s->self, clock);
    extrapolation_guess(n, s->past, s->u);
    for (int i = 0; i < n; i++) s->slope[i] = real_broadcast(0);
    if (interval->is_fixed || k == 0)
        bordered_given(interval, rule, probe, s, length, clock);
    else
        h = bordered_length(interval, probe, s, length, clock, &dx);
    clock->outcome = lane_status_join(clock->outcome, mask_not(bordered_root(n, rule, s, h, dx)),
                                      NOE_NOT_CONVERGED);
    extrapolation_record(n, s->past, s->u);
    rule->end(s->self, k, s->u, length, clock);
    clock->h = h;
    clock->t += h;
    clock->outcome = lane_status_join(
        clock->outcome, mask_not(real_is_finite(clock->energy_defect)), NOE_NOT_FINITE);
    step_search_settle(interval_problem(interval), length, &clock->energy_target,
                       &clock->energy_defect);
    length->last_gap = real_select(clock->outcome == NOE_OK, length->last_gap, last_gap);
    step_search_remember(length, h);
}

/* True if one of several steps failed, so that fewer must be taken. */
REAL_INLINE bool bordered_has_failed(const struct noe_interval *interval, long count,
                                     const struct energy_run_state *clock) {
    return count > 1 && mask_any(interval->is_active & (clock->outcome != NOE_OK));
}

/* Takes `count` steps. If one of several fails it returns false, and nothing has changed. */
REAL_INLINE bool bordered_run(struct noe_interval *interval, long count, int n,
                              const struct energy_rule *rule, step_search_probe *probe,
                              struct energy_search *s, struct energy_run_state *clock) {
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    struct step_size_search length = *interval->length;
    *clock = (struct energy_run_state){.t = interval->t,
                                       .h = from->h,
                                       .energy_target = from->energy_target,
                                       .energy_defect = from->energy_defect,
                                       .energy = from->energy,
                                       .outcome = lane_status_broadcast(NOE_OK)};
    for (long k = 0; k < count; k++) {
        bordered_step(interval, n, rule, probe, s, from->k + k, &length, clock);
        interval->good_steps = k;
        if (bordered_has_failed(interval, count, clock)) return false;
    }
    *interval->length = length;
    to->energy = clock->energy;
    to->energy_target = clock->energy_target;
    to->energy_target_carry = from->k == 0 ? real_broadcast(0) : from->energy_target_carry;
    to->energy_defect = clock->energy_defect;
    return true;
}

/* Sets the interval after the family has stored the end of `count` steps. */
REAL_INLINE void bordered_store(struct noe_interval *interval, const struct energy_run_state *clock,
                                long count) {
    interval->h = interval->h_next = clock->h;
    interval->t1 = clock->t;
    interval->taken = count;
    interval->has_previous_step = true;
}

#endif
