/* Explicit paths to the root of the partitioned Runge-Kutta residual. */
/* SPDX-License-Identifier: MIT */
/* A callback stores its results one by one; reading two at once would stall on those stores. */
#ifndef NOE_SPECIALISED /* there the callback is inlined, and another option would prevent that */
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#include "base/sum.h"
#include "methods/interval.h"
#include "methods/prk.h"
#include "spaces/product.h"

STEP_INLINE void force(const struct prk_view *at, real t, const real *q, const real *v, real *w) {
    const struct noe_system *system = at->system;
    if (system->force)
        system->force(at->self, t, q, v, w);
    else
        system->first(at->self, t, q, v, at->P, w);
}

/* (q,p) with the round-off of their sums; W is the force, evaluated at the point `at`. */
struct phase {
    real *q, *p, *q_carry, *p_carry, *W, *at;
};

/* How a composition begins and ends. */
struct kicks {
    int last, count;  /* index of the last, number of those that are not zero */
    bool keeps_force; /* the last kick's force is the next step's first */
};

STEP_INLINE struct kicks kicks_of(const struct tableau *tableau) {
    struct kicks kicks = {.last = tableau->nkicks - 1};
    for (int i = 0; i <= kicks.last; i++) kicks.count += tableau->kick[i] != 0;
    kicks.keeps_force = tableau->kick[0] != 0 && tableau->drift[kicks.last] == 0;
    return kicks;
}

/* x + dx, and the compensated sum for later: what is returned has one rounding and is ready early,
 * what is kept in (x, carry) has its lost part added again. */
STEP_INLINE real add(real *x, real *carry, real dx) {
    const real sum = *x + dx, lost = *carry + (dx - (sum - *x)), whole = sum + lost;
    *carry = lost - (whole - sum);
    *x = whole;
    return sum;
}

/* p += kick W, q += drift v(p), where v(p) = M^-1 p; the next force is wanted at the new z.at. */
STEP_INLINE void kick_then_drift(int n, struct legendre *legendre, real kick, real drift,
                                 struct phase z) {
    const real *inverse = legendre->inverse;
    if (legendre_is_diagonal(legendre)) {
        for (int k = 0; k < n; k++) {
            const real p = add(&z.p[k], &z.p_carry[k], kick * z.W[k]);
            z.at[k] = add(&z.q[k], &z.q_carry[k], (drift * inverse[k]) * p);
        }
        return;
    }
    for (int k = 0; k < n; k++) z.at[k] = add(&z.p[k], &z.p_carry[k], kick * z.W[k]);
    legendre_velocity(legendre, real_of(0), z.q, z.at, z.at);
    for (int k = 0; k < n; k++) z.at[k] = add(&z.q[k], &z.q_carry[k], drift * z.at[k]);
}

/* p += h kick_i W(t,q), q += h drift_i M^-1 p, for i = 0, 1, ...: L = v.Mv/2 - U(t,q) makes every
 * stage of the residual explicit. Where the last force is the next step's first, the last kick is
 * left to it: two kicks in one sum (`is_late`), one rounding less in the chain from step to step.
 */
STEP_INLINE void compose(int n, const struct prk_view *at, struct kicks kicks,
                         struct legendre *legendre, real t, real t1, bool is_late, struct phase z) {
    const struct tableau *tableau = at->tableau;
    const real h = at->h;
    scalar c = 0;
    for (int k = 0; k < n && !is_late; k++) z.at[k] = z.q[k];
    for (int i = 0; i <= kicks.last; i++) {
        const bool ends = i == kicks.last && kicks.keeps_force;
        const bool joins = i == 0 && is_late;
        if (tableau->kick[i] != 0 && !joins) force(at, ends ? t1 : t + c * h, z.at, at->V, z.W);
        if (ends) return;
        const scalar kick = tableau->kick[i] + (joins ? tableau->kick[kicks.last] : 0);
        kick_then_drift(n, legendre, h * kick, h * tableau->drift[i], z);
        c += tableau->drift[i];
    }
}

STEP_INLINE void read_state(int n, const struct prk_view *at, const struct noe_state *from,
                            bool is_late, struct phase z) {
    for (int k = 0; k < n; k++) {
        z.q[k] = from->q[k];
        z.q_carry[k] = from->q_carry[k];
        z.p[k] = is_late ? at->late[k] : from->p[k];
        z.p_carry[k] = is_late ? at->late[n + k] : from->p_carry[k];
        z.W[k] = is_late ? at->W[k] : real_of(0);
    }
}

STEP_INLINE truth is_finite_phase(int n, struct phase z) {
    real sum = {0}; /* x - x is 0, or NaN where x is not finite */
    for (int k = 0; k < n; k++) sum += (z.q[k] - z.q[k]) + (z.p[k] - z.p[k]);
    return sum == 0;
}

/* The state at the end of a step, with the last kick if it is late. */
STEP_INLINE void write_state(int n, const struct prk_view *at, struct kicks kicks,
                             const struct noe_state *to, struct phase z) {
    const real factor = at->h * (kicks.keeps_force ? at->tableau->kick[kicks.last] : 0);
    for (int k = 0; k < n; k++) {
        at->W[k] = z.W[k];
        at->late[k] = z.p[k];
        at->late[n + k] = z.p_carry[k];
        to->q[k] = z.q[k];
        to->q_carry[k] = z.q_carry[k];
        to->p[k] = z.p[k];
        to->p_carry[k] = z.p_carry[k];
        if (kicks.keeps_force) add(&to->p[k], &to->p_carry[k], factor * z.W[k]);
    }
}

/* `count` steps from `from` in z. What is not finite stays so: one look at the end is enough. Where
 * it sees such a thing nothing has changed but z, unless there was but one step to take. */
STEP_INLINE noe_outcome run_kicks(int n, struct noe_interval *interval, long count,
                                  struct phase z) {
    const struct prk_view at = prk_view(interval);
    const struct kicks kicks = kicks_of(at.tableau);
    const struct noe_state *from = interval->from;
    const bool began_late = interval->force_known;
    bool is_late = began_late;
    real t = interval->t, t1 = interval->t1;
    read_state(n, &at, from, is_late, z);
    for (long k = 1; k <= count; k++) {
        compose(n, &at, kicks, interval->legendre, t, t1, is_late, z);
        is_late = kicks.keeps_force;
        t = t1;
        t1 = interval->origin + (scalar)(from->k + k + 1) * at.h;
    }
    interval->evaluations +=
        count * (kicks.count - kicks.keeps_force) + (kicks.keeps_force && !began_late);
    const noe_outcome outcome =
        outcome_join(outcome_of(NOE_OK), truth_not(is_finite_phase(n, z)), NOE_NOT_FINITE);
    if (count > 1 && truth_any(interval->is_active & (outcome != NOE_OK))) return outcome;
    interval->force_known = is_late;
    interval->taken = count;
    interval->t1 = t;
    write_state(n, &at, kicks, interval->to, z);
    return outcome;
}

enum { SMALL = 4 };

/* Systems of few degrees of freedom run in registers. */
STEP_INLINE noe_outcome small_kicks(struct noe_interval *interval, long count) {
    real q[SMALL], p[SMALL], q_carry[SMALL], p_carry[SMALL], W[SMALL], at[SMALL];
    const struct phase z = {q, p, q_carry, p_carry, W, at};
    switch (interval_problem(interval)->system->n) {
    case 1: return run_kicks(1, interval, count, z);
    case 2: return run_kicks(2, interval, count, z);
    case 3: return run_kicks(3, interval, count, z);
    default: return run_kicks(4, interval, count, z);
    }
}

/* Others run in memory. */
STEP_INLINE noe_outcome large_kicks(struct noe_interval *interval, long count) {
    const struct noe_state *to = interval->to;
    const struct prk_view at = prk_view(interval);
    const struct phase z = {to->q, to->p, to->q_carry, to->p_carry, at.Q, at.x};
    return run_kicks(at.n, interval, count, z);
}

/* Many steps at a time; where one of them fails, as many as do not, by halves. */
STEP_INLINE noe_outcome many_kicks(struct noe_interval *interval, long count) {
    enum { BLOCK = 256 };
    const bool is_small = interval_problem(interval)->system->n <= SMALL;
    noe_outcome outcome;
    if (count > BLOCK) count = BLOCK;
    interval->taken = 0;
    do {
        outcome = is_small ? small_kicks(interval, count) : large_kicks(interval, count);
        count /= 2;
    } while (!interval->taken);
    return outcome;
}

/* Stage after stage for strictly lower triangular tableaux; only the Legendre transform is
 * inverted. */
STEP_INLINE noe_outcome explicit_stages(struct noe_interval *interval) {
    const struct prk_view at = prk_view(interval);
    const struct tableau *t = at.tableau;
    const int n = at.n;
    noe_outcome outcome = outcome_of(NOE_OK);
    for (int i = 0; i < at.s; i++) {
        real *Q = at.Q + i * at.np, *V = at.V + i * n, *P = at.P + i * n;
        const real time = interval->t + t->c[i] * at.h;
        prk_point(&at, t->a[i], i, at.V, interval->from->q, Q);
        for (int k = 0; k < n; k++)
            P[k] = interval->from->p[k] + prk_component(&at, t->ahat[i], i, at.W, k);
        for (int k = 0; k < n; k++) V[k] = i ? V[k - n] : interval->velocity[k];
        const noe_outcome found = legendre_velocity(interval->legendre, time, Q, P, V);
        outcome = outcome_select(outcome == NOE_OK, found, outcome);
        if (!truth_any(outcome == NOE_OK)) return outcome;
        force(&at, time, Q, V, at.W + i * n);
    }
    prk_update(interval, &at, at.V);
    interval->evaluations += at.s;
    interval->taken = 1;
    return outcome;
}

noe_outcome prk_kernel(struct noe_interval *interval, long count) {
    if (prk_tableau(interval_problem(interval))->is_explicit) return explicit_stages(interval);
    return many_kicks(interval, count);
}
