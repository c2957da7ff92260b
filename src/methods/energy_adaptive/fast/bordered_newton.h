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
#ifndef METHODS_ENERGY_FEW_H
#define METHODS_ENERGY_FEW_H

#include "methods/fast/small_newton.h"
#include "methods/energy_adaptive/step_size_search.h"

/* Both equations at one (u,x). */
struct energy_look {
    real r[SMALL_MAX], J[SMALL_SQUARE], rx[SMALL_MAX];
    real gap, Eu[SMALL_MAX], Ex; /* gap: the energy at the start less E */
    real noise;                  /* its round-off */
};

/* What a run of steps carries besides points and momenta. */
struct energy_clock {
    real t, h; /* of the last step, its end and its length */
    real anchor, gap, energy;
    noe_outcome outcome;
};

/* What tells one method from another; `self` is its step. */
struct energy_rule {
    const struct few_equation *few; /* of u for the length that was set */
    real (*energy)(void *self);     /* at the start */
    void (*begin)(void *self, const struct energy_clock *clock);
    void (*set)(void *self, real h);
    void (*look)(void *self, const real *u, struct energy_look *look);
    /* d.E_uu d/2, and about what d leaves of E then. */
    real (*bend)(const void *self, const struct energy_look *look, const real *d, real *left);
    /* Takes the k-th step of a run to its end: its energy, and the gap there. That at the start is
     * known, unless the length was given. */
    void (*end)(void *self, long k, const real *u, struct length *length,
                struct energy_clock *clock);
};

/* A step whose length is sought. */
struct energy_search {
    void *self;
    real *past;                         /* unknowns of the steps before, as in few.h */
    real u[SMALL_MAX], turn[SMALL_MAX]; /* the root for the length tried last, up to d^2; du/dx */
    struct few_matrix matrix;           /* J there */
    real dd;                            /* d.d */
};

STEP_INLINE real energy_few_dot(int n, const real *x, const real *y) {
    real sum = {0};
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

STEP_INLINE void energy_few_keep(int n, struct energy_search *s, const struct few_matrix *matrix,
                                 truth where) {
    s->matrix.inverse = real_select(where, matrix->inverse, s->matrix.inverse);
    for (int e = 0; e < n * n; e++)
        s->matrix.a[e] = real_select(where, matrix->a[e], s->matrix.a[e]);
    for (int i = 0; i < n && n != 3; i++)
        s->matrix.pivot[i] = lane_int_select(where, matrix->pivot[i], s->matrix.pivot[i]);
}

/* What looks for one length end with. */
struct energy_sight {
    struct energy_look look;
    struct few_matrix matrix;
    real u[SMALL_MAX], d[SMALL_MAX], dd;
    real bent;               /* d.E_uu d/2 */
    truth is_good, is_going; /* it has a matrix; what d^2 leaves shows in E */
};

/* Looks near u, until what d^2 leaves is far below the round-off of E. A guess that is far off is
 * given up for the last root. */
STEP_INLINE void energy_few_see(int n, const struct energy_rule *rule,
                                const struct energy_search *s, truth where,
                                struct energy_sight *at) {
    real left;
    at->is_going = where;
    at->is_good = truth_of(true);
    for (int count = 1;; count++) {
        rule->look(s->self, at->u, &at->look);
        const truth is_regular = few_factor(n, &at->matrix, at->look.J);
        few_apply(n, &at->matrix, at->look.r, at->d);
        at->dd = few_square(n, at->d);
        at->bent = rule->bend(s->self, &at->look, at->d, &left);
        const truth is_finite = real_is_finite(at->dd), is_bad = truth_not(is_regular & is_finite);
        at->is_good &= truth_not(at->is_going & is_bad);
        at->is_going &= at->is_good & (left > length_left * at->look.noise);
        if (!truth_any(at->is_going) || count == FEW_PASSES_MAX) return;
        const truth is_far = count == 1 ? at->dd > few_far * few_square(n, at->u) : truth_of(false);
        for (int i = 0; i < n; i++) {
            const real next = real_select(is_far, s->past[i], at->u[i] - at->d[i]);
            at->u[i] = real_select(at->is_going, next, at->u[i]);
        }
    }
}

/* The root up to d^2 and the gap, for the length h. */
STEP_INLINE void energy_few_probe(int n, const struct energy_rule *rule, struct energy_search *s,
                                  real h, real dx, truth where, struct length_trial *trial) {
    struct energy_sight at;
    real k[SMALL_MAX];
    for (int i = 0; i < n; i++) at.u[i] = s->u[i] + s->turn[i] * dx;
    rule->set(s->self, h);
    energy_few_see(n, rule, s, where, &at);
    few_apply(n, &at.matrix, at.look.rx, k);
    const real gap = at.look.gap + (energy_few_dot(n, at.look.Eu, at.d) - at.bent);
    const real slope = at.look.Ex - energy_few_dot(n, at.look.Eu, k);
    const truth is_finite = real_is_finite(few_square(n, at.look.r) + at.look.gap);
    noe_outcome outcome = outcome_join(outcome_of(NOE_OK), truth_not(is_finite), NOE_NOT_FINITE);
    outcome = outcome_join(outcome, truth_not(at.is_good), NOE_SINGULAR);
    outcome = outcome_join(outcome, at.is_going, NOE_NOT_CONVERGED);
    outcome = outcome_join(outcome, truth_not(real_is_finite(gap)), NOE_NOT_FINITE);
    trial->outcome = outcome_select(where, outcome, trial->outcome);
    trial->gap = real_select(where, gap, trial->gap);
    trial->noise = real_select(where, at.look.noise, trial->noise);
    trial->stretch = real_select(where, -gap / slope, trial->stretch);
    s->dd = real_select(where, at.dd, s->dd);
    for (int i = 0; i < n; i++) {
        s->u[i] = real_select(where, at.u[i] - at.d[i], s->u[i]);
        s->turn[i] = real_select(where, -k[i], s->turn[i]);
    }
    energy_few_keep(n, s, &at.matrix, where);
}

/* The root for the length h, which is dx from the one tried last: a correction e with J of that one
 * leaves about 2 |e|^2 over the way since, as in few.h. Returns where it is found. */
STEP_INLINE truth energy_few_root(int n, const struct energy_rule *rule, struct energy_search *s,
                                  real h, real dx) {
    const scalar left = few_left * few_left, noise = few_noise * few_noise;
    real u[SMALL_MAX], r[SMALL_MAX], e[SMALL_MAX], w[SMALL_MAX];
    for (int i = 0; i < n; i++) u[i] = s->u[i] + s->turn[i] * dx;
    rule->set(s->self, h);
    rule->few->residual(s->self, n, u, r, NULL);
    few_apply(n, &s->matrix, r, e);
    for (int i = 0; i < n; i++) w[i] = u[i] - e[i];
    const real way = s->dd + dx * dx * few_square(n, s->turn);
    const real ww = few_square(n, w), ee = few_square(n, e);
    const truth is_near = 4 * ee * ee <= left * ww * way;
    const truth is_noise = (way <= noise * ww) & (ee <= noise * ww);
    const truth is_found = is_near | is_noise;
    for (int i = 0; i < n; i++) s->u[i] = w[i];
    if (truth_all(is_found)) return is_found;
    const truth is_better = few_solve(n, rule->few, s->self, s->past, w);
    for (int i = 0; i < n; i++) s->u[i] = real_select(is_found, s->u[i], w[i]);
    return is_found | is_better;
}

/* A step whose length is given; the first of a run says what the discrete energy is. */
STEP_INLINE void energy_few_given(const struct noe_interval *interval,
                                  const struct energy_rule *rule, length_probe *probe,
                                  struct energy_search *s, struct length *length,
                                  struct energy_clock *clock) {
    struct length_trial trial = {.outcome = outcome_of(NOE_OK)};
    const bool is_first = interval->from->k == 0;
    if (is_first) {
        clock->anchor = rule->energy(s->self);
        clock->gap = real_of(0);
        rule->begin(s->self, clock);
    }
    probe(s, interval->h, real_of(0), interval->is_active, &trial);
    length->tries++;
    length->gap = trial.gap;
    length->is_held |= interval->is_active;
    clock->outcome =
        is_first ? length_begin(interval, length, clock->anchor, trial) : trial.outcome;
    if (!is_first) return;
    clock->anchor -= trial.gap;
    clock->gap = trial.gap;
}

/* The length of the next step, dx from the one tried last; the outcome says where there is none. */
STEP_INLINE real energy_few_length(const struct noe_interval *interval, length_probe *probe,
                                   struct energy_search *s, struct length *length,
                                   struct energy_clock *clock, real *dx) {
    const struct noe_problem *problem = interval_problem(interval);
    struct length_search search = length_open(problem, length, interval->is_active, clock->h,
                                              clock->gap, length_guess(length, clock->h));
    search.trial = (struct length_trial){.outcome = outcome_of(NOE_OK)};
    length_find(problem, length, &search, probe, s, true);
    clock->outcome = length_judge(problem, length, &search);
    length->tries += search.tries + truth_any(search.h != search.tried);
    *dx = real_select(search.is_sure, search.dx, real_of(0));
    if (!truth_any(search.is_lost)) return search.h;
    *dx = real_select(search.is_lost, length_log(search.h / search.tried - 1), *dx);
    if (problem->guard.is_anchored)
        clock->outcome = outcome_select(search.is_lost, outcome_of(NOE_OK), clock->outcome);
    return search.h;
}

/* The k-th step of a run. */
STEP_INLINE void energy_few_step(const struct noe_interval *interval, int n,
                                 const struct energy_rule *rule, length_probe *probe,
                                 struct energy_search *s, long k, struct length *length,
                                 struct energy_clock *clock) {
    const real last_gap = length->last_gap;
    real h = interval->h, dx = {0};
    rule->begin(s->self, clock);
    few_guess(n, s->past, s->u);
    for (int i = 0; i < n; i++) s->turn[i] = real_of(0);
    if (interval->is_fixed || k == 0)
        energy_few_given(interval, rule, probe, s, length, clock);
    else
        h = energy_few_length(interval, probe, s, length, clock, &dx);
    clock->outcome = outcome_join(clock->outcome, truth_not(energy_few_root(n, rule, s, h, dx)),
                                  NOE_NOT_CONVERGED);
    few_learn(n, s->past, s->u);
    rule->end(s->self, k, s->u, length, clock);
    clock->h = h;
    clock->t += h;
    clock->outcome =
        outcome_join(clock->outcome, truth_not(real_is_finite(clock->gap)), NOE_NOT_FINITE);
    length_settle(interval_problem(interval), length, &clock->anchor, &clock->gap);
    length->last_gap = real_select(clock->outcome == NOE_OK, length->last_gap, last_gap);
    length_remember(length, h);
}

/* Must a run of more than one step be taken again, for fewer? */
STEP_INLINE bool energy_few_has_failed(const struct noe_interval *interval, long count,
                                       const struct energy_clock *clock) {
    return count > 1 && truth_any(interval->is_active & (clock->outcome != NOE_OK));
}

/* `count` steps, unless one of several fails; then false, and nothing has changed. */
STEP_INLINE bool energy_few_run(struct noe_interval *interval, long count, int n,
                                const struct energy_rule *rule, length_probe *probe,
                                struct energy_search *s, struct energy_clock *clock) {
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    struct length length = *interval->length;
    *clock = (struct energy_clock){.t = interval->t,
                                   .h = from->h,
                                   .anchor = from->anchor,
                                   .gap = from->gap,
                                   .energy = from->energy,
                                   .outcome = outcome_of(NOE_OK)};
    for (long k = 0; k < count; k++) {
        energy_few_step(interval, n, rule, probe, s, from->k + k, &length, clock);
        if (energy_few_has_failed(interval, count, clock)) return false;
    }
    *interval->length = length;
    to->energy = clock->energy;
    to->anchor = clock->anchor;
    to->anchor_carry = from->k == 0 ? real_of(0) : from->anchor_carry;
    to->gap = clock->gap;
    return true;
}

/* After the family has stored the end of `count` steps. */
STEP_INLINE void energy_few_store(struct noe_interval *interval, const struct energy_clock *clock,
                                  long count) {
    interval->h = interval->h_next = clock->h;
    interval->t1 = clock->t;
    interval->taken = count;
    interval->force_known = true;
}

#endif
