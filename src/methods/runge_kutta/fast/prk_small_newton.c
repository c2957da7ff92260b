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

enum { PRK_FEW_LOOKS_MAX = 40, PRK_FEW_CHOICE_EVERY = 128 };
static const double prk_few_left = 1e-5 * NOE_EPSILON; /* of the unknowns */
static const double prk_few_safety = 8;                /* over what has shown of c */
static const double prk_few_trust = 0.98;              /* in its square after another step */
static const double prk_few_shows = 64 * NOE_EPSILON;  /* the square of a correction that shows c */
/* The fourth power of a correction that is the last one where c has not shown: as with c = 100. */
static const double prk_few_unseen = 1e-14 * NOE_EPSILON * NOE_EPSILON;
static const double prk_few_noise = 1e-6;   /* where these do not shrink, they are round-off */
static const double prk_few_far = 0.03;     /* a guess this far off is given up */
static const double prk_few_stray = 1e-3;   /* larger ones shrink, or the root may be another */
static const double prk_few_floor = 1e-6;   /* of the largest unknown: smaller ones count so */
static const double prk_few_least = 1e-280; /* below it numbers lose digits */

/* A run of steps, lane by lane. */
struct prk_few {
    struct noe_interval *interval;
    real t, t1;
    real q[PRK_FEW_MAX], p[PRK_FEW_MAX], q_carry[PRK_FEW_MAX], p_carry[PRK_FEW_MAX];
    real u[PRK_FEW_MAX];      /* where the next look is */
    real weight[PRK_FEW_MAX]; /* one over the size of an unknown */
    real before;              /* the square of the correction before, or infinite */
    real looks, looks_max;    /* of this step; of a step */
    real taken, count;        /* steps, of how many */
    truth is_going, is_lost;
    real residual; /* what the last step leaves of it */
    long rounds;
    real *past;    /* roots of the steps before, the last first */
    real *scale;   /* of the unknowns, which fades by half a step */
    real *weights; /* of the roots in the next guess */
    real *enough;  /* the fourth power of a correction that leaves nothing, by what has shown */
    real *wait;    /* steps before the degree of the guess is chosen anew */
};

/* What is seen from u. */
struct prk_few_look {
    real root[PRK_FEW_MAX], r[PRK_FEW_MAX], d[PRK_FEW_MAX];
    real W[PRK_FEW_MAX]; /* forces at the root */
    real dd;             /* the square of the correction, relative to the unknowns */
    truth is_good;       /* the matrix is regular, numbers are finite */
};

/* --- The guess. */

/* Unknowns from the polynomial through as many roots before as its degree has proved good for. */
STEP_INLINE void prk_few_guess(int n, struct prk_few *few) {
    for (int i = 0; i < n; i++) {
        real sum = {0};
        STEP_UNROLLED for (int j = PRK_FEW_DEPTH - 2; j >= 0; j--) sum +=
            few->weights[j] * few->past[j * n + i];
        few->u[i] = sum;
    }
}

/* The same after one more root, where there is one. What waits for it is but one term. */
STEP_INLINE void prk_few_go_on(int n, struct prk_few *few, const real *root, truth where) {
    for (int i = 0; i < n; i++) {
        real *x = few->past + i, sum = {0};
        STEP_UNROLLED for (int j = PRK_FEW_DEPTH - 1; j > 0; j--) {
            if (j < PRK_FEW_DEPTH - 1) sum += few->weights[j] * x[(j - 1) * n];
            x[j * n] = real_select(where, x[(j - 1) * n], x[j * n]);
        }
        few->u[i] = real_select(where, sum + few->weights[0] * root[i], few->u[i]);
        x[0] = real_select(where, root[i], x[0]);
    }
}

/* Of degree d: sum_j (-1)^j (d+1 over j+1) u_(-j). */
STEP_INLINE void prk_few_extrapolate(struct prk_few *few, real degree, truth where) {
    real weight = degree + 1;
    for (int j = 0; j < PRK_FEW_DEPTH - 1; j++) {
        few->weights[j] = real_select(where, weight, few->weights[j]);
        weight = weight * (j - degree) / (j + 2);
    }
}

/* The degree that would have been best for the last root: its error would have been the backward
 * difference of the next order. Of two that are nearly as good, the lower. */
static inline void prk_few_choose(int n, struct prk_few *few, truth where) {
    real x[PRK_FEW_DEPTH * PRK_FEW_MAX], least = {0}, best = {0};
    for (int i = 0; i < PRK_FEW_DEPTH * n; i++) x[i] = few->past[i];
    STEP_UNROLLED for (int d = 0; d < PRK_FEW_DEPTH - 1; d++) {
        STEP_UNROLLED for (int i = 0; i < (PRK_FEW_DEPTH - 1 - d) * n; i++) x[i] -= x[i + n];
        const real error = real_norm((size_t)n, x);
        const truth is_better = truth_of(d == 0) | (error < 0.5 * least);
        least = real_select(is_better, error, least);
        best = real_select(is_better, real_of(d), best);
    }
    prk_few_extrapolate(few, best, where);
    *few->wait = real_select(where, real_of(PRK_FEW_CHOICE_EVERY), *few->wait);
}

/* --- The size of a correction. */

/* Weights by the unknowns u. */
STEP_INLINE void prk_few_weigh(int n, struct prk_few *few, const real *u, truth where) {
    real norm = real_of(prk_few_least / prk_few_floor);
    for (int i = 0; i < n; i++) norm = real_maximum(noe_abs(u[i]), norm);
    for (int i = 0; i < n; i++) {
        const real size = real_maximum(noe_abs(u[i]), few->scale[i]);
        const real weight = 1 / real_maximum(size, prk_few_floor * norm);
        few->weight[i] = real_select(where, weight, few->weight[i]);
    }
}

STEP_INLINE real prk_few_square(int n, const struct prk_few *few, const real *x) {
    real sum = {0};
    for (int i = 0; i < n; i++) sum += (x[i] * few->weight[i]) * (x[i] * few->weight[i]);
    return sum;
}

/* --- A look. */

/* Sizes and coefficients are constants of the problem; the stages are local. */
struct prk_few_stages {
    real Q[PRK_FEW_MAX], P[PRK_FEW_MAX], W[PRK_FEW_MAX], x[PRK_FEW_MAX];
    real D[4 * PRK_FEW_MAX * PRK_FEW_MAX];
};

STEP_INLINE struct prk_view prk_few_view(const struct prk_few *few, struct prk_few_stages *stages) {
    struct prk_view at = prk_view(few->interval);
    at.Q = stages->Q;
    at.P = stages->P;
    at.W = stages->W;
    at.x = stages->x;
    at.D = stages->D;
    return at;
}

/* Stages at u. */
STEP_INLINE void prk_few_evaluate(const struct prk_few *few, const struct prk_view *at) {
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
STEP_INLINE void prk_few_matrix(const struct prk_view *at, real *J) {
    const struct noe_system *system = at->system;
    const int n = at->n, nu = at->s * n;
    real block[PRK_FEW_MAX * PRK_FEW_MAX];
    for (int e = 0; e < nu * nu; e++) J[e] = real_of(0);
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
STEP_INLINE truth prk_few_solve(int n, const real *J, const real *r, real *d) {
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
STEP_INLINE void prk_few_forces(const struct prk_view *at, const real *d, real *W) {
    for (int j = 0; j < at->s; j++, W += at->n) {
        const real *D = at->D + (size_t)j * 4 * at->nz;
        for (int k = 0; k < at->n; k++) W[k] = at->W[j * at->n + k];
        prk_sum(at, at->tableau->a[j], at->s, d, at->x);
        if (!prk_is_separable(at))
            pattern_add_product(at->system, real_of(-1), D + 2 * at->nz, d + j * at->n, W);
        pattern_add_product(at->system, real_of(-1), D + 3 * at->nz, at->x, W);
    }
}

STEP_INLINE void prk_few_look(int n, struct prk_few *few, struct prk_few_look *look) {
    struct prk_few_stages stages = {0}; /* zeros of D are not written */
    const struct prk_view view = prk_few_view(few, &stages), *at = &view;
    real J[PRK_FEW_MAX * PRK_FEW_MAX], *d = look->d;
    prk_few_evaluate(few, at);
    prk_assemble(at, few->p, look->r);
    prk_few_matrix(at, J);
    look->is_good = prk_few_solve(n, J, look->r, d);
    for (int i = 0; i < n; i++) look->root[i] = few->u[i] - d[i];
    prk_few_forces(at, d, look->W);
    look->dd = prk_few_square(n, few, d);
    const truth is_other = truth_not(look->dd < prk_few_far * prk_few_far);
    if (truth_any(is_other)) {
        prk_few_weigh(n, few, look->root, is_other);
        look->dd = prk_few_square(n, few, d);
    }
    look->is_good &= real_is_finite(look->dd);
}

/* Does the correction leave nothing? Those of the size of round-off do not get smaller. */
STEP_INLINE truth prk_few_is_last(const struct prk_few *few, real dd) {
    const scalar noise = prk_few_noise * prk_few_noise;
    return (dd * dd <= *few->enough) | ((dd <= noise) & (16 * dd > few->before));
}

/* Does a correction lead away from the root nearest to the guess? As in engine/newton.c. */
STEP_INLINE truth prk_few_strays(const struct prk_few *few, real dd) {
    const real square = real_select(few->before > 0.25, real_of(1e-6), real_of(0.25));
    return (dd > prk_few_stray * prk_few_stray) & truth_not(dd <= square * few->before);
}

/* A second correction shows c, if the first was large enough. */
STEP_INLINE void prk_few_learn(struct prk_few *few, real dd) {
    const real least = real_of(prk_few_shows), most = real_of(prk_few_far * prk_few_far);
    const truth shows = few->is_going & (few->before > least) & (few->before < most);
    if (!truth_any(shows)) return;
    const scalar left = prk_few_left / prk_few_safety * (prk_few_left / prk_few_safety);
    const real seen = left * (few->before * few->before) / dd, most_seen = 4 * *few->enough;
    *few->enough = real_select(shows, real_select(seen < most_seen, seen, most_seen), *few->enough);
}

/* --- The end of a step. */

STEP_INLINE void prk_few_add(const struct prk_few *few, const struct coefficient *coefficient,
                             const real *y, real *x, real *carry, truth where) {
    const struct prk_view view = prk_view(few->interval), *at = &view;
    real dx[PRK_FEW_MAX], sum[PRK_FEW_MAX], lost[PRK_FEW_MAX];
    prk_sum(at, coefficient, at->s, y, dx);
    sum_add(at->n, sum, lost, x, carry, dx);
    for (int i = 0; i < at->n; i++) {
        x[i] = real_select(where, sum[i], x[i]);
        carry[i] = real_select(where, lost[i], carry[i]);
    }
}

/* What the last correction leaves of the residual. */
STEP_INLINE void prk_few_leave(int n, struct prk_few *few, const struct prk_few_look *look,
                               truth where) {
    const real rate = prk_few_left * noe_sqrt(look->dd / *few->enough);
    const real left = real_norm((size_t)n, look->r) * real_select(rate < 1, rate, real_of(1));
    few->residual = real_select(where, left, few->residual);
}

STEP_INLINE void prk_few_remember(int n, struct prk_few *few, const real *root, truth where) {
    *few->wait = real_select(where, *few->wait - 1, *few->wait);
    const truth is_due = where & (*few->wait <= 0);
    if (truth_any(is_due)) prk_few_choose(n, few, is_due);
    prk_few_go_on(n, few, root, where);
    for (int i = 0; i < n; i++) {
        const real size = real_maximum(noe_abs(root[i]), 0.5 * few->scale[i]);
        few->scale[i] = real_select(where, size, few->scale[i]);
    }
    prk_few_weigh(n, few, root, where);
    const real trusted = real_maximum(prk_few_trust * *few->enough, real_of(prk_few_unseen));
    *few->enough = real_select(where, trusted, *few->enough);
}

/* Where the root of a step is found, the state at its end, and the next guess. */
STEP_INLINE void prk_few_advance(int n, struct prk_few *few, const struct prk_few_look *look,
                                 truth where) {
    const struct noe_interval *interval = few->interval;
    const struct tableau *tableau = prk_tableau(interval_problem(interval));
    prk_few_add(few, tableau->b, look->root, few->q, few->q_carry, where);
    prk_few_add(few, tableau->bhat, look->W, few->p, few->p_carry, where);
    prk_few_remember(n, few, look->root, where);
    few->taken = real_select(where, few->taken + 1, few->taken);
    few->t = real_select(where, few->t1, few->t);
    few->t1 = interval->origin + ((scalar)(interval->from->k + 1) + few->taken) * interval->h;
    few->before = real_select(where, real_of(HUGE_VAL), few->before);
    if (truth_any(few->looks > few->looks_max))
        few->looks_max = real_maximum(few->looks, few->looks_max);
    few->looks = real_select(where, real_of(0), few->looks);
    const truth is_end = where & (few->taken >= few->count);
    if (!truth_any(is_end)) return;
    prk_few_leave(n, few, look, is_end);
    few->is_going &= truth_not(is_end);
}

/* A look in all lanes. Where it is not the last of its step, the next one is at what it has found,
 * or at the last root if the guess was far off; then another degree is chosen. */
STEP_INLINE void prk_few_round(int n, struct prk_few *few) {
    struct prk_few_look look;
    prk_few_look(n, few, &look);
    few->rounds++;
    few->looks += 1;
    const truth is_far = (few->looks == 1) & (look.dd > prk_few_far * prk_few_far);
    const truth is_near = truth_not(is_far), is_last = prk_few_is_last(few, look.dd);
    const truth is_found = few->is_going & look.is_good & is_last & is_near;
    const truth strays = prk_few_strays(few, look.dd) & is_near;
    prk_few_learn(few, look.dd);
    if (truth_any(is_far)) *few->wait = real_select(is_far, real_of(0), *few->wait);
    for (int i = 0; i < n; i++) few->u[i] = real_select(is_far, few->past[i], look.root[i]);
    few->before = real_select(is_far, real_of(HUGE_VAL), look.dd);
    const truth is_hopeless = truth_not(look.is_good) | strays | (few->looks >= PRK_FEW_LOOKS_MAX);
    const truth is_lost = few->is_going & is_hopeless & truth_not(is_found);
    few->is_lost |= is_lost;
    few->is_going &= truth_not(is_lost);
    if (truth_any(is_found)) prk_few_advance(n, few, &look, is_found);
}

/* --- Runs of steps. */

/* Forgets the steps before a velocity, where it is asked to. */
static inline void prk_few_restart(int n, int nu, struct prk_few *few, const real *velocity,
                                   truth where) {
    for (int i = 0; i < PRK_FEW_DEPTH * nu; i++)
        few->past[i] = real_select(where, velocity[i % n], few->past[i]);
    for (int i = 0; i < nu; i++) few->scale[i] = real_select(where, real_of(0), few->scale[i]);
    prk_few_extrapolate(few, real_of(1), where);
    *few->enough = real_select(where, real_of(prk_few_unseen), *few->enough);
    *few->wait = real_select(where, real_of(PRK_FEW_DEPTH + 1), *few->wait);
}

static inline void prk_few_load(struct noe_interval *interval, int nu, struct prk_few *few) {
    const struct noe_state *from = interval->from;
    const int n = interval_problem(interval)->system->n;
    few->interval = interval;
    few->t = interval->t;
    few->t1 = interval->t1;
    few->past = interval->scratch + prk_scratch(interval_problem(interval));
    few->scale = few->past + PRK_FEW_DEPTH * nu;
    few->weights = few->scale + nu;
    few->enough = few->weights + PRK_FEW_DEPTH - 1;
    few->wait = few->enough + 1;
    for (int i = 0; i < n; i++) {
        few->q[i] = from->q[i];
        few->p[i] = from->p[i];
        few->q_carry[i] = from->q_carry[i];
        few->p_carry[i] = from->p_carry[i];
    }
    if (!interval->force_known) prk_few_restart(n, nu, few, interval->velocity, truth_of(true));
    prk_few_guess(nu, few);
    prk_few_weigh(nu, few, few->past, truth_of(true));
}

static inline void prk_few_begin(struct prk_few *few, long count) {
    few->is_going = few->interval->is_active;
    few->is_lost = truth_of(false);
    few->before = real_of(HUGE_VAL);
    few->looks = few->looks_max = few->taken = few->residual = real_of(0);
    few->count = real_of((scalar)count);
    few->rounds = 0;
}

static inline void prk_few_count(struct noe_interval *interval, int s, const struct prk_few *few) {
    interval->evaluations += few->rounds * s;
    interval->iterations += few->rounds;
    interval->factorisations += few->rounds;
    for (int lane = 0; lane < REAL_LANES; lane++)
        if (REAL_LANE(few->looks_max, lane) > interval->iterations_max)
            interval->iterations_max = (long)REAL_LANE(few->looks_max, lane);
}

static inline void prk_few_store(struct noe_interval *interval, int nu, struct prk_few *few,
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
    if (truth_any(few->is_lost)) prk_few_restart(n, nu, few, interval->velocity, few->is_lost);
    interval->force_known = true;
    interval->taken = count;
    interval->t1 = interval->origin + (scalar)(interval->from->k + count) * interval->h;
    interval->residual = few->residual;
}

STEP_INLINE truth prk_few_is_finite(const struct prk_few *few, int n) {
    const truth is_finite_q = real_all_finite((size_t)n, few->q);
    return is_finite_q & real_all_finite((size_t)n, few->p);
}

/* The steps before the first that failed in a lane, at most half of all. */
static inline long prk_few_reached(const struct prk_few *few, long count) {
    long least = count / 2;
    for (int lane = 0; lane < REAL_LANES; lane++) {
        const truth is_lost = few->is_lost;
        const long taken = (long)REAL_LANE(few->taken, lane);
        if (REAL_LANE(is_lost, lane) && taken < least) least = taken;
    }
    return least > 1 ? least : 1;
}

/* `count` steps from `from` to `to`; if one of several fails, none, and how many there may be. */
static inline long prk_few_run(struct noe_interval *interval, long count, noe_outcome *outcome) {
    const int n = interval_problem(interval)->system->n, nu = interval_problem(interval)->nu;
    struct prk_few few;
    prk_few_load(interval, nu, &few);
    prk_few_begin(&few, count);
    while (truth_any(few.is_going) && !(count > 1 && truth_any(few.is_lost)))
        prk_few_round(nu, &few);
    few.is_lost |= interval->is_active & truth_not(prk_few_is_finite(&few, n));
    prk_few_count(interval, nu / n, &few);
    *outcome = outcome_join(outcome_of(NOE_OK), few.is_lost, NOE_NOT_CONVERGED);
    if (count > 1 && truth_any(few.is_lost)) return prk_few_reached(&few, count);
    prk_few_store(interval, nu, &few, count);
    return count;
}

/* Many steps at a time; where one of them fails, as many as do not, from what was known before. */
STEP_FLAT noe_outcome prk_few_kernel(struct noe_interval *interval, long count) {
    enum { BLOCK = 2048 };
    const struct noe_problem *problem = interval_problem(interval);
    const size_t size = prk_few_scratch(problem);
    real *known = interval->scratch + prk_scratch(problem);
    noe_outcome outcome;
    if (count > BLOCK) count = BLOCK;
    interval->taken = 0;
    for (;;) {
        real kept[PRK_FEW_DEPTH * (PRK_FEW_MAX + 1) + PRK_FEW_MAX + 1];
        for (size_t i = 0; count > 1 && i < size; i++) kept[i] = known[i];
        const long possible = prk_few_run(interval, count, &outcome);
        if (interval->taken) return outcome;
        for (size_t i = 0; i < size; i++) known[i] = kept[i];
        count = possible;
    }
}
