/* Explicit kernels of partitioned Runge-Kutta methods: kicks and drifts, and explicit stages. */
/* SPDX-License-Identifier: MIT */
/* A callback stores its results one by one; a vector load of two of them would stall on those
 * stores. */
#ifndef NOE_SPECIALISED /* in a stepper the callback is inlined, and another option would prevent  \
                           that */
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#include "base/compensated_sum.h"
#include "mechanics/interval.h"
#include "methods/runge_kutta/prk.h"
#include "spaces/product.h"

REAL_INLINE void force(const struct prk_view *at, real t, const real *q, const real *v, real *w) {
    interval_force(at->system, at->self, t, q, v, at->P, w);
}

/* State (q,p) with the carries of its sums. W is the force, evaluated at the configuration `at`. */
struct phase {
    real *q, *p, *q_carry, *p_carry, *W, *at;
};

/* The kicks of a composition. */
struct kicks {
    int last, count;  /* index of the last kick, number of nonzero kicks */
    bool keeps_force; /* the force of the last kick is that of the first kick of the next step */
};

REAL_INLINE struct kicks kicks_of(const struct tableau *tableau) {
    struct kicks kicks = {.last = tableau->nkicks - 1};
    for (int i = 0; i <= kicks.last; i++) kicks.count += tableau->kick[i] != 0;
    kicks.keeps_force = tableau->kick[0] != 0 && tableau->drift[kicks.last] == 0;
    return kicks;
}

/* Largest system in registers; smallest system for which a loop with one array less is worthwhile.
 */
enum { SMALL = 4, LONG = 32 };

/* p += kick W, q += drift M^-1 p for small systems with diagonal M. The operands of the next force
 * are computed before the carries. */
REAL_INLINE void kick_then_drift_few(int n, const real *inverse, real kick, real drift,
                                     bool is_inner, struct phase z) {
    real p[SMALL];
    for (int k = 0; k < n; k++) {
        p[k] = compensated_begin(&z.p[k], &z.p_carry[k], kick, z.W[k]);
        z.at[k] = compensated_begin(&z.q[k], &z.q_carry[k], drift * inverse[k], p[k]);
    }
    for (int k = 0; k < n; k++) {
        compensated_commit(&z.p[k], &z.p_carry[k], kick, z.W[k], p[k], is_inner);
        compensated_commit(&z.q[k], &z.q_carry[k], drift * inverse[k], p[k], z.at[k], is_inner);
    }
}

/* p += kick W, q += drift v(p) with v(p) = M^-1 p. z.at receives the configuration of the next
 * force. Inside a step the carries are deferred to its end, which shortens the dependency chain. */
REAL_INLINE void kick_then_drift(int n, struct legendre *legendre, real kick, real drift,
                                 bool is_inner, struct phase z) {
    const real *inverse = legendre->inverse;
    if (legendre_is_diagonal(legendre) && n <= SMALL) {
        kick_then_drift_few(n, inverse, kick, drift, is_inner, z);
        return;
    }
    if (legendre_is_diagonal(legendre) && n > LONG && legendre->is_uniform) {
        const real rate = drift * inverse[0]; /* one array less to read */
#pragma GCC ivdep
        for (int k = 0; k < n; k++) {
            const real p = compensated_update(&z.p[k], &z.p_carry[k], kick, z.W[k], is_inner);
            z.at[k] = compensated_update(&z.q[k], &z.q_carry[k], rate, p, is_inner);
        }
        return;
    }
    if (legendre_is_diagonal(legendre)) {
#pragma GCC ivdep /* the arrays do not overlap */
        for (int k = 0; k < n; k++) {
            const real p = compensated_update(&z.p[k], &z.p_carry[k], kick, z.W[k], is_inner);
            z.at[k] = compensated_update(&z.q[k], &z.q_carry[k], drift * inverse[k], p, is_inner);
        }
        return;
    }
    for (int k = 0; k < n; k++)
        z.at[k] = compensated_update(&z.p[k], &z.p_carry[k], kick, z.W[k], is_inner);
    legendre_velocity(legendre, real_broadcast(0), z.q, z.at, z.at);
    for (int k = 0; k < n; k++)
        z.at[k] = compensated_update(&z.q[k], &z.q_carry[k], drift, z.at[k], is_inner);
}

/* p += h kick_i W(t,q), q += h drift_i M^-1 p, for i = 0, 1, ...: L = v.Mv/2 - U(t,q) makes every
 * stage of the residual explicit. If the last force is the first force of the next step, the last
 * kick is joined with the first kick of that step (`is_late`), which saves a rounding error per
 * step. With `leaves_force` the force itself is left to the next step. */
REAL_INLINE void compose(int n, const struct prk_view *at, struct kicks kicks,
                         struct legendre *legendre, real t, real t1, bool is_late,
                         bool leaves_force, struct phase z) {
    const struct tableau *tableau = at->tableau;
    const real h = at->h;
    scalar c = 0;
    for (int k = 0; k < n && !is_late; k++) z.at[k] = z.q[k];
#ifdef NOE_SPECIALISED
#pragma GCC unroll 8 /* unrolled, because the coefficients are constants */
#endif
    for (int i = 0; i <= kicks.last; i++) {
        const bool ends = i == kicks.last && kicks.keeps_force;
        const bool joins = i == 0 && is_late;
        if (ends && leaves_force) return;
        if (tableau->kick[i] != 0 && !joins) force(at, ends ? t1 : t + c * h, z.at, at->V, z.W);
        if (ends) return;
        const scalar kick = tableau->kick[i] + (joins ? tableau->kick[kicks.last] : 0);
        const bool is_inner = i < kicks.last - kicks.keeps_force;
        kick_then_drift(n, legendre, h * kick, h * tableau->drift[i], is_inner, z);
        c += tableau->drift[i];
    }
}

/* --- Whole stages in registers. */

enum { AT_ONCE_MAX = 32 };

/* True if the system is too large for SMALL but its numbers nearly fit into registers, and the
 * force is evaluated at q. */
REAL_INLINE bool can_be_at_once(const struct noe_interval *interval, struct kicks kicks) {
    const int n = interval_problem(interval)->system->n;
    if (n <= SMALL || n > AT_ONCE_MAX) return false;
    return SUM_BEGINS_WHOLE && legendre_is_diagonal(interval->legendre) && kicks.keeps_force;
}

/* One stage as straight-line code: the force is not stored in memory, and its first components are
 * added while the last ones are computed. */
static STEP_FLAT __attribute__((noinline)) void stage_at_once(const struct noe_interval *interval,
                                                              real t, scalar kick, scalar drift,
                                                              const struct phase *z) {
    const int n = interval_problem(interval)->system->n;
    const struct prk_view at = prk_view(interval);
    const real by = at.h * kick, along = at.h * drift, *inverse = interval->legendre->inverse;
    real W[AT_ONCE_MAX];
    force(&at, t, z->q, at.V, W);
#pragma GCC unroll 32
    for (int k = 0; k < n; k++) {
        const real p = compensated_update(&z->p[k], &z->p_carry[k], by, W[k], true);
        compensated_update(&z->q[k], &z->q_carry[k], along * inverse[k], p, true);
    }
}

/* A step after one that left its last force and kick. */
REAL_INLINE void compose_at_once(const struct noe_interval *interval, struct kicks kicks, real t,
                                 const struct phase *z) {
    const struct tableau *tableau = prk_view(interval).tableau;
    scalar c = 0;
    for (int i = 0; i < kicks.last; i++) {
        const scalar kick = tableau->kick[i] + (i == 0 ? tableau->kick[kicks.last] : 0);
        stage_at_once(interval, t + c * interval->h, kick, tableau->drift[i], z);
        c += tableau->drift[i];
    }
}

REAL_INLINE void read_state(int n, const struct prk_view *at, const struct noe_state *from,
                            bool is_late, struct phase z) {
    for (int k = 0; k < n; k++) {
        z.q[k] = from->q[k];
        z.q_carry[k] = from->q_carry[k];
        z.p[k] = is_late ? at->late[k] : from->p[k];
        z.p_carry[k] = is_late ? at->late[n + k] : from->p_carry[k];
        z.W[k] = is_late ? at->W[k] : real_broadcast(0);
    }
}

REAL_INLINE mask is_finite_phase(int n, struct phase z) {
    real sum = {0}; /* x - x is 0, or NaN if x is not finite */
    for (int k = 0; k < n; k++) sum += (z.q[k] - z.q[k]) + (z.p[k] - z.p[k]);
    return sum == 0;
}

/* Writes the state at the end of a step, with the last kick if it is late. */
REAL_INLINE void write_state(int n, const struct prk_view *at, struct kicks kicks,
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
        if (kicks.keeps_force)
            compensated_update(&to->p[k], &to->p_carry[k], factor, z.W[k], false);
    }
}

/* Step k of all groups of lanes, from the times t, which it advances. */
REAL_INLINE void step_kicks(int n, long k, struct noe_interval *const *interval, struct kicks kicks,
                            bool is_late, bool is_at_once, real *t, const struct phase *z) {
#pragma GCC unroll 4
    for (int g = 0; g < GROUPS; g++) {
        const struct noe_interval *each = interval[g];
        const struct prk_view at = prk_view(each);
        const real t1 = each->origin + (scalar)(each->from->k + k) * at.h;
        if (is_at_once && k > 1)
            compose_at_once(each, kicks, t[g], &z[g]);
        else
            compose(n, &at, kicks, each->legendre, t[g], t1, is_late, is_at_once, z[g]);
        t[g] = t1;
    }
}

/* Takes `count` steps from `from` in z. NaN and infinity propagate, so one check at the end
 * suffices. If one of several steps fails, only z has changed. */
REAL_INLINE void run_kicks(int n, struct noe_interval *interval, long count,
                           const struct phase *z) {
    struct noe_interval *each[GROUPS];
    const struct kicks kicks = kicks_of(prk_view(interval).tableau);
    const bool began_late = interval->has_previous_step;
    const bool is_at_once = count > 1 && can_be_at_once(interval, kicks);
    bool is_late = began_late, is_good = true;
    real t[GROUPS];
    for (int g = 0; g < GROUPS; g++) {
        each[g] = g == 0 ? interval : each[g - 1]->beside;
        const struct prk_view at = prk_view(each[g]);
        read_state(n, &at, each[g]->from, is_late, z[g]);
        t[g] = each[g]->t;
    }
    for (long k = 1; k <= count; k++) {
        step_kicks(n, k, each, kicks, is_late, is_at_once, t, z);
        is_late = kicks.keeps_force;
    }
    for (int g = 0; g < GROUPS && is_at_once; g++) {
        const struct prk_view at = prk_view(each[g]);
        force(&at, t[g], z[g].at, at.V, z[g].W);
    }
    interval->evaluations +=
        count * (kicks.count - kicks.keeps_force) + (kicks.keeps_force && !began_late);
    for (int g = 0; g < GROUPS; g++) {
        const mask is_bad = mask_not(is_finite_phase(n, z[g]));
        each[g]->outcome = lane_status_join(lane_status_broadcast(NOE_OK), is_bad, NOE_NOT_FINITE);
        is_good = is_good && !mask_any(each[g]->is_active & is_bad);
    }
    if (count > 1 && !is_good) return;
    for (int g = 0; g < GROUPS; g++) {
        const struct prk_view at = prk_view(each[g]);
        each[g]->has_previous_step = is_late;
        each[g]->taken = count;
        each[g]->t1 = t[g];
        write_state(n, &at, kicks, each[g]->to, z[g]);
    }
}

/* Systems of at most SMALL degrees of freedom run in registers. */
REAL_INLINE void small_kicks(struct noe_interval *interval, long count) {
    real numbers[GROUPS][6][SMALL];
    struct phase z[GROUPS];
    for (int g = 0; g < GROUPS; g++) {
        real(*const x)[SMALL] = numbers[g];
        z[g] = (struct phase){x[0], x[1], x[2], x[3], x[4], x[5]};
    }
    switch (interval_problem(interval)->system->n) {
    case 1: run_kicks(1, interval, count, z); break;
    case 2: run_kicks(2, interval, count, z); break;
    case 3: run_kicks(3, interval, count, z); break;
    default: run_kicks(4, interval, count, z); break;
    }
}

/* Larger systems run in memory. If the next force is evaluated at the stored q, q is written once.
 */
REAL_INLINE void large_kicks(struct noe_interval *interval, long count) {
    struct phase z[GROUPS];
    struct noe_interval *each = interval;
    for (int g = 0; g < GROUPS; g++, each = each->beside) {
        const struct noe_state *to = each->to;
        const struct prk_view at = prk_view(each);
        const bool is_kept = SUM_BEGINS_WHOLE && legendre_is_diagonal(each->legendre);
        real *point = is_kept ? to->q : at.x;
        z[g] = (struct phase){to->q, to->p, to->q_carry, to->p_carry, at.Q, point};
    }
    run_kicks(interval_problem(interval)->system->n, interval, count, z);
}

static noe_lane_status many_kicks(struct noe_interval *interval, long count) {
    if (interval_problem(interval)->system->n <= SMALL)
        small_kicks(interval, count);
    else
        large_kicks(interval, count);
    return interval->outcome;
}

/* Evaluates the stages in order for strictly lower triangular tableaux. Only the Legendre transform
 * is inverted. */
REAL_INLINE noe_lane_status explicit_stages(struct noe_interval *interval) {
    const struct prk_view at = prk_view(interval);
    const struct tableau *t = at.tableau;
    const int n = at.n;
    noe_lane_status outcome = lane_status_broadcast(NOE_OK);
    interval->taken = 1;
    for (int i = 0; i < at.s; i++) {
        real *Q = at.Q + i * at.np, *V = at.V + i * n, *P = at.P + i * n;
        const real time = interval->t + t->c[i] * at.h;
        prk_point(&at, t->a[i], i, at.V, interval->from->q, Q);
        for (int k = 0; k < n; k++)
            P[k] = interval->from->p[k] + prk_component(&at, t->ahat[i], i, at.W, k);
        for (int k = 0; k < n; k++) V[k] = i ? V[k - n] : interval->velocity[k];
        const noe_lane_status found = legendre_velocity(interval->legendre, time, Q, P, V);
        outcome = lane_status_select(outcome == NOE_OK, found, outcome);
        if (!mask_any(outcome == NOE_OK)) return outcome;
        force(&at, time, Q, V, at.W + i * n);
    }
    prk_write_end(interval, &at, at.V);
    interval->evaluations += at.s;
    return outcome;
}

noe_lane_status prk_explicit_steps(struct noe_interval *interval, long count) {
    (void)count;
    return explicit_stages(interval);
}

static bool explicit_serves(const struct noe_problem *problem) {
    return prk_tableau(problem)->is_explicit;
}

const struct kernel prk_explicit_kernel = {
    .name = "explicit",
    .symbol = "prk_explicit_kernel",
    .source = "methods/runge_kutta/prk_explicit.c",
    .serves = explicit_serves,
    .steps = prk_explicit_steps,
};

static bool splitting_serves(const struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    return prk_tableau(problem)->nkicks && (system->traits & NOE_SEPARABLE) && !system->factors;
}

/* Number of groups of lanes whose numbers stay in registers. */
static int splitting_groups(const struct noe_problem *problem) {
    const int n = problem->system->n;
    return n <= 1 ? 4 : n == 2 ? 3 : n <= 4 ? 2 : 1;
}

const struct kernel prk_splitting_kernel = {
    .name = "splitting",
    .symbol = "prk_splitting_kernel",
    .source = "methods/runge_kutta/prk_explicit.c",
    .serves = splitting_serves,
    .lane_groups = splitting_groups,
    .steps = many_kicks,
};
