/* Steps of a few unknowns whose length is an unknown, in local numbers.
 *
 * For the length h = e^x the unknowns u solve r(u,x) = 0, and the discrete energy E(u,x) is to be
 * E_k. One look at a guess gives both and their derivatives. With J = r_u, J d = r, J k = r_x
 *     u(x) = u - d + O(d^2),   E(x) = E - E_u.d + d.E_uu d/2 + O(h d^2),
 *     du/dx = -k,              dE/dx = E_x - E_u.k,
 * so that an iteration of the search for x is one of Newton's method for (u,x) together: their
 * bordered matrix is solved by two right sides of J. At the length that is found the same J gives
 * the last correction of u. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_ENERGY_ADAPTIVE_FAST_BORDERED_NEWTON_H
#define METHODS_ENERGY_ADAPTIVE_FAST_BORDERED_NEWTON_H

#include "methods/energy_adaptive/step_size_search.h"
#include "methods/fast/small_newton.h"

/* Both equations at one (u,x). */
struct bordered_evaluation {
    real r[SMALL_MAX], J[SMALL_SQUARE], rx[SMALL_MAX];
    real energy_defect, Eu[SMALL_MAX], Ex; /* gap: the energy at the start less E */
    real noise;                            /* its round-off */
};

/* What a run of steps carries besides points and momenta. */
struct energy_run_state {
    real t, h; /* of the last step, its end and its length */
    real energy_target, energy_defect, energy;
    noe_lane_status outcome;
};

/* What tells one method from another; `self` is its step. */
struct energy_rule {
    const struct small_newton_equation *few; /* of u for the length that was set */
    real (*energy)(void *self);              /* at the start */
    void (*begin)(void *self, const struct energy_run_state *clock);
    void (*set)(void *self, real h);
    void (*look)(void *self, const real *u, struct bordered_evaluation *look);
    /* d.E_uu d/2, and about what d leaves of E then. */
    real (*quadratic_remainder)(const void *self, const struct bordered_evaluation *look,
                                const real *d, real *left);
    /* Takes the k-th step of a run to its end: its energy, and the gap there. That at the start is
     * known, unless the length was given. */
    void (*end)(void *self, long k, const real *u, struct step_size_search *length,
                struct energy_run_state *clock);
};

/* A step whose length is sought. */
struct energy_search {
    void *self;
    real *past;                         /* unknowns of the steps before, as in few.h */
    real u[SMALL_MAX], turn[SMALL_MAX]; /* the root for the length tried last, up to d^2; du/dx */
    struct small_newton_matrix matrix;  /* J there */
    real dd;                            /* d.d */
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

/* What looks for one length end with. */
struct bordered_iterate {
    struct bordered_evaluation look;
    struct small_newton_matrix matrix;
    real u[SMALL_MAX], d[SMALL_MAX], dd;
    real bent;              /* d.E_uu d/2 */
    mask is_good, is_going; /* it has a matrix; what d^2 leaves shows in E */
};

/* Looks near u, until what d^2 leaves is far below the round-off of E. A guess that is far off is
 * given up for the last root. */
REAL_INLINE void bordered_see(int n, const struct energy_rule *rule, const struct energy_search *s,
                              mask where, struct bordered_iterate *at) {
    real left;
    at->is_going = where;
    at->is_good = mask_broadcast(true);
    for (int count = 1;; count++) {
        rule->look(s->self, at->u, &at->look);
        const mask is_regular = small_newton_factor(n, &at->matrix, at->look.J);
        small_newton_apply(n, &at->matrix, at->look.r, at->d);
        at->dd = small_newton_square(n, at->d);
        at->bent = rule->quadratic_remainder(s->self, &at->look, at->d, &left);
        const mask is_finite = real_is_finite(at->dd), is_bad = mask_not(is_regular & is_finite);
        at->is_good &= mask_not(at->is_going & is_bad);
        at->is_going &= at->is_good & (left > step_search_left * at->look.noise);
        if (!mask_any(at->is_going) || count == SMALL_NEWTON_PASSES_MAX) return;
        const mask is_far = count == 1 ? at->dd > small_newton_far * small_newton_square(n, at->u)
                                       : mask_broadcast(false);
        for (int i = 0; i < n; i++) {
            const real next = real_select(is_far, s->past[i], at->u[i] - at->d[i]);
            at->u[i] = real_select(at->is_going, next, at->u[i]);
        }
    }
}

/* The root up to d^2 and the gap, for the length h. */
REAL_INLINE void bordered_probe(int n, const struct energy_rule *rule, struct energy_search *s,
                                real h, real dx, mask where, struct step_trial *trial) {
    struct bordered_iterate at;
    real k[SMALL_MAX];
    for (int i = 0; i < n; i++) at.u[i] = s->u[i] + s->turn[i] * dx;
    rule->set(s->self, h);
    bordered_see(n, rule, s, where, &at);
    small_newton_apply(n, &at.matrix, at.look.rx, k);
    const real energy_defect =
        at.look.energy_defect + (bordered_dot(n, at.look.Eu, at.d) - at.bent);
    const real slope = at.look.Ex - bordered_dot(n, at.look.Eu, k);
    const mask is_finite =
        real_is_finite(small_newton_square(n, at.look.r) + at.look.energy_defect);
    noe_lane_status outcome =
        lane_status_join(lane_status_broadcast(NOE_OK), mask_not(is_finite), NOE_NOT_FINITE);
    outcome = lane_status_join(outcome, mask_not(at.is_good), NOE_SINGULAR);
    outcome = lane_status_join(outcome, at.is_going, NOE_NOT_CONVERGED);
    outcome = lane_status_join(outcome, mask_not(real_is_finite(energy_defect)), NOE_NOT_FINITE);
    trial->outcome = lane_status_select(where, outcome, trial->outcome);
    trial->energy_defect = real_select(where, energy_defect, trial->energy_defect);
    trial->noise = real_select(where, at.look.noise, trial->noise);
    trial->stretch = real_select(where, -energy_defect / slope, trial->stretch);
    s->dd = real_select(where, at.dd, s->dd);
    for (int i = 0; i < n; i++) {
        s->u[i] = real_select(where, at.u[i] - at.d[i], s->u[i]);
        s->turn[i] = real_select(where, -k[i], s->turn[i]);
    }
    bordered_keep(n, s, &at.matrix, where);
}

/* The root for the length h, which is dx from the one tried last: a correction e with J of that one
 * leaves about 2 |e|^2 over the way since, as in few.h. Returns where it is found. */
REAL_INLINE mask bordered_root(int n, const struct energy_rule *rule, struct energy_search *s,
                               real h, real dx) {
    const scalar left = small_newton_left * small_newton_left,
                 noise = small_newton_noise * small_newton_noise;
    real u[SMALL_MAX], r[SMALL_MAX], e[SMALL_MAX], w[SMALL_MAX];
    for (int i = 0; i < n; i++) u[i] = s->u[i] + s->turn[i] * dx;
    rule->set(s->self, h);
    rule->few->residual(s->self, n, u, r, NULL);
    small_newton_apply(n, &s->matrix, r, e);
    for (int i = 0; i < n; i++) w[i] = u[i] - e[i];
    const real way = s->dd + dx * dx * small_newton_square(n, s->turn);
    const real ww = small_newton_square(n, w), ee = small_newton_square(n, e);
    const mask is_near = 4 * ee * ee <= left * ww * way;
    const mask is_noise = (way <= noise * ww) & (ee <= noise * ww);
    const mask is_found = is_near | is_noise;
    for (int i = 0; i < n; i++) s->u[i] = w[i];
    if (mask_all(is_found)) return is_found;
    const mask is_better = small_newton_solve(n, rule->few, s->self, s->past, w);
    for (int i = 0; i < n; i++) s->u[i] = real_select(is_found, s->u[i], w[i]);
    return is_found | is_better;
}

/* A step whose length is given; the first of a run says what the discrete energy is. */
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

/* The length of the next step, dx from the one tried last; the outcome says where there is none. */
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
    if (problem->guard.is_anchored)
        clock->outcome =
            lane_status_select(search.is_lost, lane_status_broadcast(NOE_OK), clock->outcome);
    return search.h;
}

/* The k-th step of a run. */
REAL_INLINE void bordered_step(const struct noe_interval *interval, int n,
                               const struct energy_rule *rule, step_search_probe *probe,
                               struct energy_search *s, long k, struct step_size_search *length,
                               struct energy_run_state *clock) {
    const real last_gap = length->last_gap;
    real h = interval->h, dx = {0};
    rule->begin(s->self, clock);
    small_newton_extrapolate(n, s->past, s->u);
    for (int i = 0; i < n; i++) s->turn[i] = real_broadcast(0);
    if (interval->is_fixed || k == 0)
        bordered_given(interval, rule, probe, s, length, clock);
    else
        h = bordered_length(interval, probe, s, length, clock, &dx);
    clock->outcome = lane_status_join(clock->outcome, mask_not(bordered_root(n, rule, s, h, dx)),
                                      NOE_NOT_CONVERGED);
    small_newton_record(n, s->past, s->u);
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

/* Must a run of more than one step be taken again, for fewer? */
REAL_INLINE bool bordered_has_failed(const struct noe_interval *interval, long count,
                                     const struct energy_run_state *clock) {
    return count > 1 && mask_any(interval->is_active & (clock->outcome != NOE_OK));
}

/* `count` steps, unless one of several fails; then false, and nothing has changed. */
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
        if (bordered_has_failed(interval, count, clock)) return false;
    }
    *interval->length = length;
    to->energy = clock->energy;
    to->energy_target = clock->energy_target;
    to->energy_target_carry = from->k == 0 ? real_broadcast(0) : from->energy_target_carry;
    to->energy_defect = clock->energy_defect;
    return true;
}

/* After the family has stored the end of `count` steps. */
REAL_INLINE void bordered_store(struct noe_interval *interval, const struct energy_run_state *clock,
                                long count) {
    interval->h = interval->h_next = clock->h;
    interval->t1 = clock->t;
    interval->taken = count;
    interval->has_previous_step = true;
}

#endif
