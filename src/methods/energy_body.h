/* One body that turns by steps whose length is an unknown, in local numbers.
 *
 * For the length h = e^x the unknowns u solve r(u,x) = 0, and the discrete energy E(u,x) is to be
 * E_k. One look at a guess gives both and their derivatives. With J = r_u, J d = r, J k = r_x
 *     u(x) = u - d + O(d^2),   E(x) = E - E_u.d + d.Md/2 + O(h |u| d^2),
 *     du/dx = -k,              dE/dx = E_x - E_u.k,
 * so that an iteration of the search for x is one of Newton's method for (u,x) together: their
 * bordered matrix is solved by two right sides of J. At the length that is found the same J gives
 * the last correction of u. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_ENERGY_BODY_H
#define METHODS_ENERGY_BODY_H

#include "methods/body.h"
#include "methods/length.h"

/* h |u| d^2 over |u|^2 that does not show in E. */
static const double energy_left = 0.2 * NOE_EPSILON;

/* Both equations at one (u,x). */
struct body_look {
    real r[3], J[9], rx[3];
    real E, Eu[3], Ex;
    real size, scale; /* of E's terms; E_uu is about `scale` M */
};

/* What tells one method from another; `self` is its step. */
struct body_rule {
    const struct few_equation *few; /* of u for the length that was set */
    void (*begin)(void *self, const struct body *body, real U);
    void (*set)(void *self, real h);
    void (*look)(void *self, const real *u, struct body_look *look);
    /* Takes the k-th step of a run to its end; returns E, and the potential at the end. */
    real (*end)(void *self, long k, const real *u, struct body *body, real *U);
};

/* A step whose length is sought. */
struct body_search {
    void *self;
    const struct body_mass *mass;
    real mobility[9];   /* one over it */
    real anchor, gap;   /* at its start */
    real u[3], turn[3]; /* the root for the length tried last, up to d^2, and du/dx */
    const real *last;   /* that of the step before */
    real J[9], inverse; /* adjugate of J there, and one over its determinant */
    real dd;            /* d.d */
};

/* x = A^-1 r, from the adjugate. */
STEP_INLINE void body_apply(const real *adjugate, real inverse, const real *r, real *x) {
    three_apply(x, adjugate, r);
    for (int i = 0; i < 3; i++) x[i] *= inverse;
}

/* The root up to d^2 and the gap, for the length h: passes go on until what d^2 leaves is far below
 * the round-off of E. A guess that is far off is given up for the last root. */
STEP_INLINE void body_probe(const struct body_rule *rule, struct body_search *s, real h, real dx,
                            truth where, struct length_trial *trial) {
    struct body_look look;
    real u[3], d[3], k[3], A[9], Md[3], inverse, dd;
    truth is_going = where, is_good = truth_of(true);
    for (int i = 0; i < 3; i++) u[i] = s->u[i] + s->turn[i] * dx;
    rule->set(s->self, h);
    for (int count = 1;; count++) {
        rule->look(s->self, u, &look);
        inverse = 1 / three_adjugate(A, look.J);
        body_apply(A, inverse, look.r, d);
        dd = three_dot(d, d);
        const real uu = three_dot(u, u);
        is_good &= truth_not(is_going) | (real_is_finite(dd) & (inverse != 0));
        const truth is_near = h * h * dd * dd <= energy_left * energy_left * uu;
        const truth is_far = count == 1 ? dd > few_far * uu : truth_of(false);
        is_going &= is_good & truth_not(is_near);
        if (!truth_any(is_going) || count == FEW_PASSES_MAX) break;
        for (int i = 0; i < 3; i++)
            u[i] = real_select(is_going, real_select(is_far, s->last[i], u[i] - d[i]), u[i]);
    }
    body_apply(A, inverse, look.rx, k);
    body_momentum(s->mass, d, Md);
    const real bent = 0.5 * look.scale * three_dot(d, Md);
    const real E = look.E - (three_dot(look.Eu, d) - bent), slope = look.Ex - three_dot(look.Eu, k);
    const real gap = s->gap + (s->anchor - E);
    trial->gap = real_select(where, gap, trial->gap);
    trial->noise = real_select(where, 2 * NOE_EPSILON * look.size, trial->noise);
    trial->stretch = real_select(where, -gap / slope, trial->stretch);
    noe_outcome outcome = outcome_join(outcome_of(NOE_OK), truth_not(is_good), NOE_SINGULAR);
    outcome = outcome_join(outcome, is_going, NOE_NOT_CONVERGED);
    outcome = outcome_join(outcome, truth_not(real_is_finite(gap)), NOE_NOT_FINITE);
    trial->outcome = outcome_select(where, outcome, trial->outcome);
    s->inverse = real_select(where, inverse, s->inverse);
    s->dd = real_select(where, dd, s->dd);
    for (int i = 0; i < 3; i++) {
        s->u[i] = real_select(where, u[i] - d[i], s->u[i]);
        s->turn[i] = real_select(where, -k[i], s->turn[i]);
    }
    for (int e = 0; e < 9; e++) s->J[e] = real_select(where, A[e], s->J[e]);
}

/* The root for the length h, which is dx from the one tried last: a correction e with J of that one
 * leaves about 2 |e|^2 over the way since, as in few.h. Returns where it is found. */
STEP_INLINE truth body_root(const struct body_rule *rule, struct body_search *s, real h, real dx) {
    const scalar left = few_left * few_left, noise = few_noise * few_noise;
    real u[3], r[3], e[3], w[3];
    for (int i = 0; i < 3; i++) u[i] = s->u[i] + s->turn[i] * dx;
    rule->set(s->self, h);
    rule->few->residual(s->self, 3, u, r, NULL);
    body_apply(s->J, s->inverse, r, e);
    for (int i = 0; i < 3; i++) w[i] = u[i] - e[i];
    const real way = s->dd + dx * dx * three_dot(s->turn, s->turn);
    const real ww = three_dot(w, w), ee = three_dot(e, e);
    const truth is_near = 4 * ee * ee <= left * ww * way;
    const truth is_noise = (way <= noise * ww) & (ee <= noise * ww);
    truth is_found = is_near | is_noise;
    for (int i = 0; i < 3; i++) s->u[i] = w[i];
    if (truth_all(is_found)) return is_found;
    const truth is_better = few_solve(3, rule->few, s->self, s->last, w);
    for (int i = 0; i < 3; i++) s->u[i] = real_select(is_found, s->u[i], w[i]);
    return is_found | is_better;
}

static inline void body_search_load(struct body_search *s, void *self,
                                    const struct body_mass *mass) {
    *s = (struct body_search){.self = self, .mass = mass};
    if (mass->is_diagonal) {
        for (int i = 0; i < 3; i++) s->mobility[4 * i] = 1 / mass->M[4 * i];
        return;
    }
    const real inverse = 1 / three_adjugate(s->mobility, mass->M);
    for (int e = 0; e < 9; e++) s->mobility[e] *= inverse;
}

/* What a run of steps carries besides the body. */
struct body_clock {
    real t, h; /* of the last step, its end and its length */
    real anchor, gap, energy;
    real U; /* the potential */
    noe_outcome outcome;
};

/* p.M^-1 p/2. */
STEP_INLINE real body_kinetic(const struct body_search *s, const real *p) {
    real v[3];
    for (int i = 0; i < 3; i++) v[i] = s->mobility[4 * i] * p[i];
    if (!s->mass->is_diagonal) three_apply(v, s->mobility, p);
    return 0.5 * three_dot(p, v);
}

/* A step whose length is given; the first of a run says what the discrete energy is. */
STEP_INLINE noe_outcome body_given(const struct noe_interval *interval, length_probe *probe,
                                   struct body_search *s, struct length *length,
                                   struct body_clock *clock, const struct body *body) {
    const truth is_active = interval->is_active;
    struct length_trial trial = {.outcome = outcome_of(NOE_OK)};
    const bool is_first = interval->from->k == 0;
    const real H = is_first ? body_kinetic(s, body->p) + clock->U : real_of(0);
    if (is_first) {
        s->anchor = H;
        s->gap = real_of(0);
    }
    probe(s, interval->h, real_of(0), is_active, &trial);
    length->tries++;
    length->gap = trial.gap;
    length->is_held |= is_active;
    if (!is_first) return trial.outcome;
    clock->gap = trial.gap;
    clock->anchor = H - trial.gap;
    return length_begin(interval, length, H, trial);
}

/* The length of the next step, dx from the one tried last; the outcome says where there is none. */
STEP_INLINE real body_length(const struct noe_interval *interval, length_probe *probe,
                             struct body_search *s, struct length *length, struct body_clock *clock,
                             real *dx) {
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
STEP_INLINE void body_length_step(const struct noe_interval *interval, const struct body_rule *rule,
                                  length_probe *probe, struct body_search *s, long k,
                                  struct length *length, struct body_clock *clock,
                                  struct body *body) {
    const struct noe_problem *problem = interval_problem(interval);
    real h = interval->h, dx = {0};
    s->anchor = clock->anchor;
    s->gap = clock->gap;
    s->last = body->past;
    rule->begin(s->self, body, clock->U);
    few_guess(3, body->past, s->u);
    for (int i = 0; i < 3; i++) s->turn[i] = real_of(0);
    if (interval->is_fixed || k == 0)
        clock->outcome = body_given(interval, probe, s, length, clock, body);
    else
        h = body_length(interval, probe, s, length, clock, &dx);
    clock->outcome =
        outcome_join(clock->outcome, truth_not(body_root(rule, s, h, dx)), NOE_NOT_CONVERGED);
    few_learn(3, body->past, s->u);
    clock->energy = rule->end(s->self, k, s->u, body, &clock->U);
    clock->gap = (body_kinetic(s, body->p) + clock->U) - clock->anchor;
    clock->h = h;
    clock->t += h;
    clock->outcome =
        outcome_join(clock->outcome, truth_not(real_is_finite(clock->gap)), NOE_NOT_FINITE);
    length_settle(problem, length, &clock->anchor, &clock->gap);
    length_remember(length, h);
}

/* What a run of steps begins with. */
STEP_INLINE struct body_clock body_clock_load(const struct noe_interval *interval,
                                              const struct body *body) {
    const struct noe_state *from = interval->from;
    real R[9];
    walk_point(interval_problem(interval)->system->factors->space, &body->g, R);
    return (struct body_clock){.t = interval->t,
                               .h = from->h,
                               .anchor = from->anchor,
                               .gap = from->gap,
                               .energy = from->energy,
                               .U = body_potential(interval, interval->t, R),
                               .outcome = outcome_of(NOE_OK)};
}

/* What it leaves; body_store has been called. */
STEP_INLINE void body_clock_store(struct noe_interval *interval, const struct body_clock *clock) {
    struct noe_state *to = interval->to;
    interval->h = interval->h_next = clock->h;
    interval->t1 = clock->t;
    to->energy = clock->energy;
    to->anchor = clock->anchor;
    to->anchor_carry = interval->from->k == 0 ? real_of(0) : interval->from->anchor_carry;
    to->gap = clock->gap;
}

/* `count` steps from `from` to `to`, unless one of several fails. */
STEP_INLINE noe_outcome body_length_run(struct noe_interval *interval, long count,
                                        const struct body_rule *rule, length_probe *probe,
                                        struct body_search *s, struct body *body) {
    const struct noe_space *space = interval_problem(interval)->system->factors->space;
    struct length length = *interval->length;
    struct body_clock clock = body_clock_load(interval, body);
    const long start = interval->from->k;
    for (long k = 0; k < count; k++) {
        body_length_step(interval, rule, probe, s, start + k, &length, &clock, body);
        if (body_has_failed(interval, count, clock.outcome)) return clock.outcome;
    }
    body_store(interval, 3, space, body, count);
    body_clock_store(interval, &clock);
    *interval->length = length;
    return clock.outcome;
}

#endif
