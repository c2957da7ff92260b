/* Few unknowns: the root of the partitioned Runge-Kutta residual in local numbers, many steps at a
 * time.
 *
 * The residual is that of prk.c, on R^n. A look is a residual with a fresh matrix, and a correction
 * d by them, which leaves c |d|^2. Looks end where that is far below the last bit, as in
 * engine/newton.c, which takes over where no root is found. c is what two corrections of one step
 * have shown lately, |d_2|/|d_1|^2, times a number for safety.
 *
 * Lanes do not wait for one another: in a round each has one look, and where that is the last of a
 * step the lane goes on to its next one. They meet at the end of many steps. */
/* SPDX-License-Identifier: MIT */
#include "base/compensated_sum.h"
#include "mechanics/interval.h"
#include "methods/runge_kutta/prk.h"

enum { PRK_NEWTON_MAX = 2, PRK_NEWTON_DEPTH = 12 };

/* The kernel's memory behind prk_scratch: roots of the steps before, their scale, an extrapolation,
 * and the observed sizes of corrections. */
static inline size_t prk_newton_scratch(const struct noe_problem *problem) {
    return (size_t)(PRK_NEWTON_DEPTH * (problem->nu + 1) + problem->nu + 1);
}

enum { PRK_NEWTON_LOOKS_MAX = 40, PRK_NEWTON_CHOICE_EVERY = 128 };
static const double prk_newton_left = 1e-5 * NOE_EPSILON; /* of the unknowns */
static const double prk_newton_safety = 8;                /* over what has shown of c */
static const double prk_newton_trust = 0.98;              /* in its square after another step */
static const double prk_newton_shows =
    64 * NOE_EPSILON; /* the square of a correction that shows c */
/* The fourth power of a correction that is the last one where c has not shown: as with c = 100. */
static const double prk_newton_unseen = 1e-14 * NOE_EPSILON * NOE_EPSILON;
static const double prk_newton_noise = 1e-6;   /* where these do not shrink, they are round-off */
static const double prk_newton_far = 0.03;     /* a guess this far off is given up */
static const double prk_newton_stray = 1e-3;   /* larger ones shrink, or the root may be another */
static const double prk_newton_floor = 1e-6;   /* of the largest unknown: smaller ones count so */
static const double prk_newton_least = 1e-280; /* below it numbers lose digits */

/* A run of steps, lane by lane. */
struct prk_few {
    struct noe_interval *interval;
    real t, t1;
    real q[PRK_NEWTON_MAX], p[PRK_NEWTON_MAX], q_carry[PRK_NEWTON_MAX], p_carry[PRK_NEWTON_MAX];
    real u[PRK_NEWTON_MAX];      /* where the next look is */
    real weight[PRK_NEWTON_MAX]; /* one over the size of an unknown */
    real before;                 /* the square of the correction before, or infinite */
    real looks, looks_max;       /* of this step; of a step */
    real taken, count;           /* steps, of how many */
    mask is_going, is_lost;
    real residual; /* what the last step leaves of it */
    long rounds;
    real *past;    /* roots of the steps before, the last first */
    real *scale;   /* of the unknowns, which fades by half a step */
    real *weights; /* of the roots in the next guess */
    real *enough;  /* the fourth power of a correction that leaves nothing, by what has shown */
    real *wait;    /* steps before the degree of the guess is chosen anew */
};

/* What is seen from u. */
struct prk_newton_iterate {
    real root[PRK_NEWTON_MAX], r[PRK_NEWTON_MAX], d[PRK_NEWTON_MAX];
    real W[PRK_NEWTON_MAX]; /* forces at the root */
    real dd;                /* the square of the correction, relative to the unknowns */
    mask is_good;           /* the matrix is regular, numbers are finite */
};

/* --- The guess. */

/* Unknowns from the polynomial through as many roots before as its degree has proved good for. */
REAL_INLINE void prk_newton_guess(int n, struct prk_few *few) {
    for (int i = 0; i < n; i++) {
        real sum = {0};
        REAL_UNROLL for (int j = PRK_NEWTON_DEPTH - 2; j >= 0; j--) sum +=
            few->weights[j] * few->past[j * n + i];
        few->u[i] = sum;
    }
}

/* The same after one more root, where there is one. What waits for it is but one term. */
REAL_INLINE void prk_newton_go_on(int n, struct prk_few *few, const real *root, mask where) {
    for (int i = 0; i < n; i++) {
        real *x = few->past + i, sum = {0};
        REAL_UNROLL for (int j = PRK_NEWTON_DEPTH - 1; j > 0; j--) {
            if (j < PRK_NEWTON_DEPTH - 1) sum += few->weights[j] * x[(j - 1) * n];
            x[j * n] = real_select(where, x[(j - 1) * n], x[j * n]);
        }
        few->u[i] = real_select(where, sum + few->weights[0] * root[i], few->u[i]);
        x[0] = real_select(where, root[i], x[0]);
    }
}

/* Of degree d: sum_j (-1)^j (d+1 over j+1) u_(-j). */
REAL_INLINE void prk_newton_extrapolate(struct prk_few *few, real degree, mask where) {
    real weight = degree + 1;
    for (int j = 0; j < PRK_NEWTON_DEPTH - 1; j++) {
        few->weights[j] = real_select(where, weight, few->weights[j]);
        weight = weight * (j - degree) / (j + 2);
    }
}

/* The degree that would have been best for the last root: its error would have been the backward
 * difference of the next order. Of two that are nearly as good, the lower. */
static inline void prk_newton_choose(int n, struct prk_few *few, mask where) {
    real x[PRK_NEWTON_DEPTH * PRK_NEWTON_MAX], min = {0}, best = {0};
    for (int i = 0; i < PRK_NEWTON_DEPTH * n; i++) x[i] = few->past[i];
    REAL_UNROLL for (int d = 0; d < PRK_NEWTON_DEPTH - 1; d++) {
        REAL_UNROLL for (int i = 0; i < (PRK_NEWTON_DEPTH - 1 - d) * n; i++) x[i] -= x[i + n];
        const real error = real_norm((size_t)n, x);
        const mask is_better = mask_broadcast(d == 0) | (error < 0.5 * min);
        min = real_select(is_better, error, min);
        best = real_select(is_better, real_broadcast(d), best);
    }
    prk_newton_extrapolate(few, best, where);
    *few->wait = real_select(where, real_broadcast(PRK_NEWTON_CHOICE_EVERY), *few->wait);
}

/* --- The size of a correction. */

/* Weights by the unknowns u. */
REAL_INLINE void prk_newton_weigh(int n, struct prk_few *few, const real *u, mask where) {
    real norm = real_broadcast(prk_newton_least / prk_newton_floor);
    for (int i = 0; i < n; i++) norm = real_maximum(noe_abs(u[i]), norm);
    for (int i = 0; i < n; i++) {
        const real size = real_maximum(noe_abs(u[i]), few->scale[i]);
        const real weight = 1 / real_maximum(size, prk_newton_floor * norm);
        few->weight[i] = real_select(where, weight, few->weight[i]);
    }
}

REAL_INLINE real prk_newton_square(int n, const struct prk_few *few, const real *x) {
    real sum = {0};
    for (int i = 0; i < n; i++) sum += (x[i] * few->weight[i]) * (x[i] * few->weight[i]);
    return sum;
}

/* --- A look. */

/* Sizes and coefficients are constants of the problem; the stages are local. */
struct prk_newton_stages {
    real Q[PRK_NEWTON_MAX], P[PRK_NEWTON_MAX], W[PRK_NEWTON_MAX], x[PRK_NEWTON_MAX];
    real D[4 * PRK_NEWTON_MAX * PRK_NEWTON_MAX];
};

REAL_INLINE struct prk_view prk_newton_view(const struct prk_few *few,
                                            struct prk_newton_stages *stages) {
    struct prk_view at = prk_view(few->interval);
    at.Q = stages->Q;
    at.P = stages->P;
    at.W = stages->W;
    at.x = stages->x;
    at.D = stages->D;
    return at;
}

/* Stages at u. */
REAL_INLINE void prk_newton_evaluate(const struct prk_few *few, const struct prk_view *at) {
    for (int i = 0; i < at->s; i++) {
        const real *V = few->u + i * at->n;
        real *Q = at->Q + i * at->n, *P = at->P + i * at->n, *W = at->W + i * at->n;
        const scalar c = at->tableau->c[i];
        const real time = c == 1 ? few->t1 : few->t + c * at->h;
        prk_point(at, at->tableau->a[i], at->s, few->u, few->q, Q);
        interval_second(at->system, at->self, time, Q, V, P, W, at->D + (size_t)i * 4 * at->nz);
    }
}

/* The derivative of the residual at the stages, row by row. */
REAL_INLINE void prk_newton_matrix(const struct prk_view *at, real *J) {
    const struct noe_system *system = at->system;
    const int n = at->n, nu = at->s * n;
    real block[PRK_NEWTON_MAX * PRK_NEWTON_MAX];
    for (int e = 0; e < nu * nu; e++) J[e] = real_broadcast(0);
    for (int i = 0; i < at->s; i++)
        for (int j = 0; j < at->s; j++) {
            if (!at->tableau->couples[i][j]) continue;
            real *corner = J + i * n * nu + j * n;
            prk_block(at, i, j, block);
            for (int e = 0; e < (int)at->nz; e++) {
                const int row = system->row ? system->row[e] : e / n;
                const int col = system->row ? system->col[e] : e % n;
                corner[row * nu + col] = block[e];
            }
        }
}

/* d = J^-1 r by Cramer's rule; false where J is singular. */
REAL_INLINE mask prk_newton_solve(int n, const real *J, const real *r, real *d) {
    if (n == 2) {
        const real inverse = 1 / (J[0] * J[3] - J[1] * J[2]);
        const real first = J[3] * r[0] - J[1] * r[1], second = J[0] * r[1] - J[2] * r[0];
        d[0] = first * inverse;
        d[1] = second * inverse;
        return real_is_finite(inverse) & (inverse != 0);
    }
    const real inverse = 1 / J[0];
    d[0] = r[0] * inverse;
    return real_is_finite(inverse) & (inverse != 0);
}

/* The forces were evaluated at u; at u - d they are W_j - w_v(j) d_j - w_q(j) h sum_l a_jl d_l to
 * first order, with the same error that the root has. */
REAL_INLINE void prk_newton_forces(const struct prk_view *at, const real *d, real *W) {
    for (int j = 0; j < at->s; j++, W += at->n) {
        const real *D = at->D + (size_t)j * 4 * at->nz;
        for (int k = 0; k < at->n; k++) W[k] = at->W[j * at->n + k];
        prk_sum(at, at->tableau->a[j], at->s, d, at->x);
        if (!prk_is_separable(at))
            pattern_add_product(at->system, real_broadcast(-1), D + 2 * at->nz, d + j * at->n, W);
        pattern_add_product(at->system, real_broadcast(-1), D + 3 * at->nz, at->x, W);
    }
}

REAL_INLINE void prk_newton_iterate(int n, struct prk_few *few, struct prk_newton_iterate *look) {
    struct prk_newton_stages stages = {0}; /* zeros of D are not written */
    const struct prk_view view = prk_newton_view(few, &stages), *at = &view;
    real J[PRK_NEWTON_MAX * PRK_NEWTON_MAX], *d = look->d;
    prk_newton_evaluate(few, at);
    prk_assemble(at, few->p, look->r);
    prk_newton_matrix(at, J);
    look->is_good = prk_newton_solve(n, J, look->r, d);
    for (int i = 0; i < n; i++) look->root[i] = few->u[i] - d[i];
    prk_newton_forces(at, d, look->W);
    look->dd = prk_newton_square(n, few, d);
    const mask is_other = mask_not(look->dd < prk_newton_far * prk_newton_far);
    if (mask_any(is_other)) {
        prk_newton_weigh(n, few, look->root, is_other);
        look->dd = prk_newton_square(n, few, d);
    }
    look->is_good &= real_is_finite(look->dd);
}

/* Does the correction leave nothing? Those of the size of round-off do not get smaller. */
REAL_INLINE mask prk_newton_is_last(const struct prk_few *few, real dd) {
    const scalar noise = prk_newton_noise * prk_newton_noise;
    return (dd * dd <= *few->enough) | ((dd <= noise) & (16 * dd > few->before));
}

/* Does a correction lead away from the root nearest to the guess? As in engine/newton.c. */
REAL_INLINE mask prk_newton_strays(const struct prk_few *few, real dd) {
    const real square = real_select(few->before > 0.25, real_broadcast(1e-6), real_broadcast(0.25));
    return (dd > prk_newton_stray * prk_newton_stray) & mask_not(dd <= square * few->before);
}

/* A second correction shows c, if the first was large enough. */
REAL_INLINE void prk_newton_record(struct prk_few *few, real dd) {
    const real min = real_broadcast(prk_newton_shows),
               max = real_broadcast(prk_newton_far * prk_newton_far);
    const mask shows = few->is_going & (few->before > min) & (few->before < max);
    if (!mask_any(shows)) return;
    const scalar left = prk_newton_left / prk_newton_safety * (prk_newton_left / prk_newton_safety);
    const real seen = left * (few->before * few->before) / dd, most_seen = 4 * *few->enough;
    *few->enough = real_select(shows, real_select(seen < most_seen, seen, most_seen), *few->enough);
}

/* --- The end of a step. */

REAL_INLINE void prk_newton_add(const struct prk_few *few, const struct coefficient *coefficient,
                                const real *y, real *x, real *carry, mask where) {
    const struct prk_view view = prk_view(few->interval), *at = &view;
    real dx[PRK_NEWTON_MAX], sum[PRK_NEWTON_MAX], lost[PRK_NEWTON_MAX];
    prk_sum(at, coefficient, at->s, y, dx);
    compensated_add(at->n, sum, lost, x, carry, dx);
    for (int i = 0; i < at->n; i++) {
        x[i] = real_select(where, sum[i], x[i]);
        carry[i] = real_select(where, lost[i], carry[i]);
    }
}

/* What the last correction leaves of the residual. */
REAL_INLINE void prk_newton_leave(int n, struct prk_few *few, const struct prk_newton_iterate *look,
                                  mask where) {
    const real rate = prk_newton_left * noe_sqrt(look->dd / *few->enough);
    const real left =
        real_norm((size_t)n, look->r) * real_select(rate < 1, rate, real_broadcast(1));
    few->residual = real_select(where, left, few->residual);
}

REAL_INLINE void prk_newton_remember(int n, struct prk_few *few, const real *root, mask where) {
    *few->wait = real_select(where, *few->wait - 1, *few->wait);
    const mask is_due = where & (*few->wait <= 0);
    if (mask_any(is_due)) prk_newton_choose(n, few, is_due);
    prk_newton_go_on(n, few, root, where);
    for (int i = 0; i < n; i++) {
        const real size = real_maximum(noe_abs(root[i]), 0.5 * few->scale[i]);
        few->scale[i] = real_select(where, size, few->scale[i]);
    }
    prk_newton_weigh(n, few, root, where);
    const real trusted =
        real_maximum(prk_newton_trust * *few->enough, real_broadcast(prk_newton_unseen));
    *few->enough = real_select(where, trusted, *few->enough);
}

/* Where the root of a step is found, the state at its end, and the next guess. */
REAL_INLINE void prk_newton_advance(int n, struct prk_few *few,
                                    const struct prk_newton_iterate *look, mask where) {
    const struct noe_interval *interval = few->interval;
    const struct tableau *tableau = prk_tableau(interval_problem(interval));
    prk_newton_add(few, tableau->b, look->root, few->q, few->q_carry, where);
    prk_newton_add(few, tableau->bhat, look->W, few->p, few->p_carry, where);
    prk_newton_remember(n, few, look->root, where);
    few->taken = real_select(where, few->taken + 1, few->taken);
    few->t = real_select(where, few->t1, few->t);
    few->t1 = interval->origin + ((scalar)(interval->from->k + 1) + few->taken) * interval->h;
    few->before = real_select(where, real_broadcast(HUGE_VAL), few->before);
    if (mask_any(few->looks > few->looks_max))
        few->looks_max = real_maximum(few->looks, few->looks_max);
    few->looks = real_select(where, real_broadcast(0), few->looks);
    const mask is_end = where & (few->taken >= few->count);
    if (!mask_any(is_end)) return;
    prk_newton_leave(n, few, look, is_end);
    few->is_going &= mask_not(is_end);
}

/* A look in all lanes. Where it is not the last of its step, the next one is at what it has found,
 * or at the last root if the guess was far off; then another degree is chosen. */
REAL_INLINE void prk_newton_round(int n, struct prk_few *few) {
    struct prk_newton_iterate look;
    prk_newton_iterate(n, few, &look);
    few->rounds++;
    few->looks += 1;
    const mask is_far = (few->looks == 1) & (look.dd > prk_newton_far * prk_newton_far);
    const mask is_near = mask_not(is_far), is_last = prk_newton_is_last(few, look.dd);
    const mask is_found = few->is_going & look.is_good & is_last & is_near;
    const mask strays = prk_newton_strays(few, look.dd) & is_near;
    prk_newton_record(few, look.dd);
    if (mask_any(is_far)) *few->wait = real_select(is_far, real_broadcast(0), *few->wait);
    for (int i = 0; i < n; i++) few->u[i] = real_select(is_far, few->past[i], look.root[i]);
    few->before = real_select(is_far, real_broadcast(HUGE_VAL), look.dd);
    const mask is_hopeless = mask_not(look.is_good) | strays | (few->looks >= PRK_NEWTON_LOOKS_MAX);
    const mask is_lost = few->is_going & is_hopeless & mask_not(is_found);
    few->is_lost |= is_lost;
    few->is_going &= mask_not(is_lost);
    if (mask_any(is_found)) prk_newton_advance(n, few, &look, is_found);
}

/* --- Runs of steps. */

/* Forgets the steps before a velocity, where it is asked to. */
static inline void prk_newton_restart(int n, int nu, struct prk_few *few, const real *velocity,
                                      mask where) {
    for (int i = 0; i < PRK_NEWTON_DEPTH * nu; i++)
        few->past[i] = real_select(where, velocity[i % n], few->past[i]);
    for (int i = 0; i < nu; i++)
        few->scale[i] = real_select(where, real_broadcast(0), few->scale[i]);
    prk_newton_extrapolate(few, real_broadcast(1), where);
    *few->enough = real_select(where, real_broadcast(prk_newton_unseen), *few->enough);
    *few->wait = real_select(where, real_broadcast(PRK_NEWTON_DEPTH + 1), *few->wait);
}

static inline void prk_newton_load(struct noe_interval *interval, int nu, struct prk_few *few) {
    const struct noe_state *from = interval->from;
    const int n = interval_problem(interval)->system->n;
    few->interval = interval;
    few->t = interval->t;
    few->t1 = interval->t1;
    few->past = interval->scratch + prk_scratch(interval_problem(interval));
    few->scale = few->past + PRK_NEWTON_DEPTH * nu;
    few->weights = few->scale + nu;
    few->enough = few->weights + PRK_NEWTON_DEPTH - 1;
    few->wait = few->enough + 1;
    for (int i = 0; i < n; i++) {
        few->q[i] = from->q[i];
        few->p[i] = from->p[i];
        few->q_carry[i] = from->q_carry[i];
        few->p_carry[i] = from->p_carry[i];
    }
    if (!interval->has_previous_step)
        prk_newton_restart(n, nu, few, interval->velocity, mask_broadcast(true));
    prk_newton_guess(nu, few);
    prk_newton_weigh(nu, few, few->past, mask_broadcast(true));
}

static inline void prk_newton_begin(struct prk_few *few, long count) {
    few->is_going = few->interval->is_active;
    few->is_lost = mask_broadcast(false);
    few->before = real_broadcast(HUGE_VAL);
    few->looks = few->looks_max = few->taken = few->residual = real_broadcast(0);
    few->count = real_broadcast((scalar)count);
    few->rounds = 0;
}

static inline void prk_newton_count(struct noe_interval *interval, int s,
                                    const struct prk_few *few) {
    interval->evaluations += few->rounds * s;
    interval->iterations += few->rounds;
    interval->factorisations += few->rounds;
    for (int lane = 0; lane < REAL_LANES; lane++)
        if (REAL_LANE(few->looks_max, lane) > interval->iterations_max)
            interval->iterations_max = (long)REAL_LANE(few->looks_max, lane);
}

static inline void prk_newton_store(struct noe_interval *interval, int nu, struct prk_few *few,
                                    long count) {
    struct noe_state *to = interval->to;
    const int n = interval_problem(interval)->system->n;
    const real *last = few->past + nu - n;
    for (int i = 0; i < nu; i++) interval->root[i] = few->past[i];
    for (int i = 0; i < n; i++) {
        to->q[i] = few->q[i];
        to->p[i] = few->p[i];
        to->q_carry[i] = few->q_carry[i];
        to->p_carry[i] = few->p_carry[i];
        interval->velocity[i] = real_select(few->is_lost, interval->velocity[i], last[i]);
    }
    if (mask_any(few->is_lost)) prk_newton_restart(n, nu, few, interval->velocity, few->is_lost);
    interval->has_previous_step = true;
    interval->taken = count;
    interval->t1 = interval->origin + (scalar)(interval->from->k + count) * interval->h;
    interval->residual = few->residual;
}

REAL_INLINE mask prk_newton_is_finite(const struct prk_few *few, int n) {
    const mask is_finite_q = real_all_finite((size_t)n, few->q);
    return is_finite_q & real_all_finite((size_t)n, few->p);
}

/* The steps before the first that failed in a lane, at most half of all. */
static inline long prk_newton_reached(const struct prk_few *few, long count) {
    long min = count / 2;
    for (int lane = 0; lane < REAL_LANES; lane++) {
        const mask is_lost = few->is_lost;
        const long taken = (long)REAL_LANE(few->taken, lane);
        if (REAL_LANE(is_lost, lane) && taken < min) min = taken;
    }
    return min > 1 ? min : 1;
}

/* `count` steps from `from` to `to`; if one of several fails, none, and how many there may be. */
static inline long prk_newton_run(struct noe_interval *interval, long count,
                                  noe_lane_status *outcome) {
    const int n = interval_problem(interval)->system->n, nu = interval_problem(interval)->nu;
    struct prk_few few;
    prk_newton_load(interval, nu, &few);
    prk_newton_begin(&few, count);
    while (mask_any(few.is_going) && !(count > 1 && mask_any(few.is_lost)))
        prk_newton_round(nu, &few);
    few.is_lost |= interval->is_active & mask_not(prk_newton_is_finite(&few, n));
    prk_newton_count(interval, nu / n, &few);
    *outcome = lane_status_join(lane_status_broadcast(NOE_OK), few.is_lost, NOE_NOT_CONVERGED);
    if (count > 1 && mask_any(few.is_lost)) return prk_newton_reached(&few, count);
    prk_newton_store(interval, nu, &few, count);
    return count;
}

/* Many steps at a time; where one of them fails, as many as do not, from what was known before. */
STEP_FLAT static noe_lane_status prk_newton_steps(struct noe_interval *interval, long count) {
    enum { BLOCK = 2048 };
    const struct noe_problem *problem = interval_problem(interval);
    const size_t size = prk_newton_scratch(problem);
    real *known = interval->scratch + prk_scratch(problem);
    noe_lane_status outcome;
    if (count > BLOCK) count = BLOCK;
    interval->taken = 0;
    for (;;) {
        real kept[PRK_NEWTON_DEPTH * (PRK_NEWTON_MAX + 1) + PRK_NEWTON_MAX + 1];
        for (size_t i = 0; count > 1 && i < size; i++) kept[i] = known[i];
        const long possible = prk_newton_run(interval, count, &outcome);
        if (interval->taken) return outcome;
        for (size_t i = 0; i < size; i++) known[i] = kept[i];
        count = possible;
    }
}

static bool prk_newton_serves(const struct noe_problem *problem) {
    return problem->nu <= PRK_NEWTON_MAX && !problem->system->factors;
}

static size_t prk_newton_scratch_all(const struct noe_problem *problem) {
    return prk_scratch(problem) + prk_newton_scratch(problem);
}

const struct kernel prk_newton_kernel = {
    .name = "small-newton",
    .symbol = "prk_newton_kernel",
    .source = "methods/runge_kutta/fast/prk_small_newton.c",
    .serves = prk_newton_serves,
    .scratch = prk_newton_scratch_all,
    .steps = prk_newton_steps,
    .falls_back = true,
};
