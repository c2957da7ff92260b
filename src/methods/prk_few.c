/* Few unknowns: the root of the partitioned Runge-Kutta residual in local numbers, many steps at a
 * time.
 *
 * The residual is that of prk.c, on R^n. A pass is a correction d with a fresh matrix and a second
 * one, e, with the same. e is c |d|^2 and leaves 2 c^2 |d|^3, or 2 |e|^2/|d|; passes end where that
 * is far below the last bit, as in engine/newton.c, which takes over where no root is found. Small
 * d tell so by a bound of c: e would be round-off. */
/* SPDX-License-Identifier: MIT */
#include "base/sum.h"
#include "linalg/dense.h"
#include "methods/interval.h"
#include "methods/prk.h"

enum { PRK_FEW_PASSES_MAX = 20, PRK_FEW_CHOICE_EVERY = 16 };
static const double prk_few_left = 1e-5 * NOE_EPSILON; /* of the unknowns */
static const double prk_few_bend = 100;                /* a bound of c while it has not shown */
static const double prk_few_noise = 64 * NOE_EPSILON;  /* corrections this small are round-off, */
static const double prk_few_most_noise = 1e-6; /* and so are these, where they do not shrink */
static const double prk_few_far = 0.1;         /* a guess this far off is given up */
static const double prk_few_floor = 1e-6;      /* of the largest unknown: smaller ones count so */
static const double prk_few_least = 1e-280;    /* below it numbers lose digits */

/* A run of steps, and the stages of the last one. */
struct prk_few {
    struct noe_interval *interval;
    real t, t1;
    real q[PRK_FEW_MAX], p[PRK_FEW_MAX], q_carry[PRK_FEW_MAX], p_carry[PRK_FEW_MAX];
    long k;      /* the number of the state it has reached */
    real *past;  /* roots of the steps before: that of the step to state k, component by component,
                    is row k mod PRK_FEW_DEPTH */
    real *scale; /* of the unknowns, which fades by half a step */
    real *weights;                /* of the roots in the next guess, the last first */
    real correction[PRK_FEW_MAX]; /* the last one, from where W was evaluated */
    real r[PRK_FEW_MAX], dd, ee;  /* the residual there, and the last pass */
    long iterations, iterations_max, factorisations;
    real Q[PRK_FEW_MAX], P[PRK_FEW_MAX], W[PRK_FEW_MAX], x[PRK_FEW_MAX];
    real D[4 * PRK_FEW_MAX * PRK_FEW_MAX];
};

/* Sizes and coefficients are constants of the problem; the stages are local. */
STEP_INLINE struct prk_view prk_few_view(struct prk_few *few) {
    struct prk_view at = prk_view(few->interval);
    at.Q = few->Q;
    at.P = few->P;
    at.W = few->W;
    at.x = few->x;
    at.D = few->D;
    return at;
}

/* The root `ago` steps before the last. */
STEP_INLINE const real *prk_few_root(int n, const struct prk_few *few, int ago) {
    return few->past + (few->k - ago) % PRK_FEW_DEPTH * n;
}

/* Unknowns from the polynomial through as many roots before as its degree has proved good for. */
STEP_INLINE void prk_few_guess(int n, const struct prk_few *few, real *u) {
    const real *x[PRK_FEW_DEPTH - 1], *c = few->weights;
    for (int j = 0; j < PRK_FEW_DEPTH - 1; j++) x[j] = prk_few_root(n, few, j);
    for (int i = 0; i < n; i++) {
        const real older = (c[2] * x[2][i] + c[3] * x[3][i]) + (c[4] * x[4][i] + c[5] * x[5][i]);
        u[i] = c[0] * x[0][i] + (c[1] * x[1][i] + (older + c[6] * x[6][i]));
    }
}

/* Of degree d: sum_j (-1)^j (d+1 over j+1) u_(-j). */
static const scalar prk_few_binomial[PRK_FEW_DEPTH - 1][PRK_FEW_DEPTH - 1] = {
    {1},
    {2, -1},
    {3, -3, 1},
    {4, -6, 4, -1},
    {5, -10, 10, -5, 1},
    {6, -15, 20, -15, 6, -1},
    {7, -21, 35, -35, 21, -7, 1},
};

STEP_INLINE void prk_few_extrapolate(struct prk_few *few, lane_int degree, truth where) {
    for (int j = 0; j < PRK_FEW_DEPTH - 1; j++) {
#if defined NOE_LANES && NOE_LANES > 1
        for (int d = 0; d < PRK_FEW_DEPTH - 1; d++)
            few->weights[j] = real_select(where & (degree == d), real_of(prk_few_binomial[d][j]),
                                          few->weights[j]);
#else
        few->weights[j] = real_select(where, prk_few_binomial[degree][j], few->weights[j]);
#endif
    }
}

/* The degree that would have been best for the last root: its error would have been the backward
 * difference of the next order. Of two that are as good, the lower. */
static inline void prk_few_choose(int n, struct prk_few *few) {
    real x[PRK_FEW_DEPTH * PRK_FEW_MAX], least = {0};
    lane_int best = lane_int_of(0);
    for (int j = 0; j < PRK_FEW_DEPTH; j++)
        for (int i = 0; i < n; i++) x[j * n + i] = prk_few_root(n, few, j)[i];
    for (int d = 0; d < PRK_FEW_DEPTH - 1; d++) {
        for (int i = 0; i < (PRK_FEW_DEPTH - 1 - d) * n; i++) x[i] -= x[i + n];
        const real error = real_norm((size_t)n, x);
        const truth is_better = truth_of(d == 0) | (error < least);
        least = real_select(is_better, error, least);
        best = lane_int_select(is_better, lane_int_of(d), best);
    }
    prk_few_extrapolate(few, best, truth_of(true));
}

static inline void prk_few_learn(int n, struct prk_few *few, const real *u) {
    few->k++;
    real *row = few->past + few->k % PRK_FEW_DEPTH * n;
    for (int i = 0; i < n; i++) {
        row[i] = u[i];
        few->scale[i] = real_larger(noe_abs(u[i]), 0.5 * few->scale[i]);
    }
    if (few->k % PRK_FEW_CHOICE_EVERY == 0) prk_few_choose(n, few);
}

/* Stages at V, and the residual there. */
static inline void prk_few_evaluate(struct prk_few *few, const real *V, bool derivatives) {
    const struct prk_view view = prk_few_view(few), *at = &view;
    for (int i = 0; i < at->s; i++) {
        real *Q = few->Q + i * at->n, *P = few->P + i * at->n, *W = few->W + i * at->n;
        const scalar c = at->tableau->c[i];
        const real time = c == 1 ? few->t1 : few->t + c * at->h;
        prk_point(at, at->tableau->a[i], at->s, V, few->q, Q);
        if (derivatives)
            interval_second(at->system, at->self, time, Q, V + i * at->n, P, W,
                            few->D + (size_t)i * 4 * at->nz);
        else
            interval_first(at->system, at->self, time, Q, V + i * at->n, P, W);
    }
    few->iterations++;
    prk_assemble(at, few->p, few->r);
}

/* The derivative of the residual at the stages, row by row, factorised. */
static inline truth prk_few_factor(struct prk_few *few, real *J, lane_int *pivot) {
    const struct prk_view view = prk_few_view(few), *at = &view;
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
    return dense_factor(nu, J, pivot);
}

/* One over the size of an unknown. */
STEP_INLINE real prk_few_weight(real size, real norm) {
    return 1 / real_larger(size, real_larger(prk_few_floor * norm, real_of(prk_few_least)));
}

STEP_INLINE void prk_few_weigh(int n, const real *u, const real *scale, truth where, real *weight) {
    const real norm = real_norm((size_t)n, u);
    for (int i = 0; i < n; i++) {
        const real size = real_larger(noe_abs(u[i]), 0.5 * scale[i]);
        weight[i] = real_select(where, prk_few_weight(size, norm), weight[i]);
    }
}

STEP_INLINE real prk_few_square(int n, const real *x, const real *weight) {
    real sum = {0};
    for (int i = 0; i < n; i++) sum += (x[i] * weight[i]) * (x[i] * weight[i]);
    return sum;
}

/* What is known of a pass from u. */
struct prk_few_pass {
    real u[PRK_FEW_MAX], root[PRK_FEW_MAX];
    real correction[PRK_FEW_MAX], W[PRK_FEW_MAX]; /* the last one, and the forces before it */
    real dd, ee;    /* squares of both corrections, relative; ee = 0 where one does */
    truth is_found; /* what is left is below the last bit */
    truth is_good;  /* the matrix is regular, numbers are finite */
};

/* The first correction. */
static inline void prk_few_first(int n, struct prk_few *few, real *weight, real *J, lane_int *pivot,
                                 struct prk_few_pass *pass) {
    real *d = pass->correction;
    prk_few_evaluate(few, pass->u, true);
    few->factorisations++;
    pass->is_good = prk_few_factor(few, J, pivot);
    for (int i = 0; i < n; i++) d[i] = few->r[i];
    dense_solve(n, d, J, pivot);
    for (int i = 0; i < n; i++) {
        pass->root[i] = pass->u[i] - d[i];
        pass->W[i] = few->W[i];
    }
    pass->dd = prk_few_square(n, d, weight);
    const truth is_other = truth_not(pass->dd < prk_few_far * prk_few_far);
    if (truth_any(is_other)) {
        prk_few_weigh(n, pass->root, few->scale, is_other, weight);
        pass->dd = prk_few_square(n, d, weight);
    }
    pass->is_good &= real_is_finite(pass->dd);
    pass->is_found = prk_few_bend * pass->dd <= prk_few_left;
}

/* Does the last correction leave nothing? Those of the size of round-off do not get smaller. */
STEP_INLINE truth prk_few_is_last(const struct prk_few_pass *pass) {
    const scalar left = prk_few_left * prk_few_left, noise = prk_few_noise * prk_few_noise,
                 most = prk_few_most_noise * prk_few_most_noise;
    return (4 * pass->ee * pass->ee <= left * pass->dd) | (pass->dd <= noise) |
           ((pass->dd <= most) & (16 * pass->ee > pass->dd));
}

/* Will the second one leave nothing? */
STEP_INLINE truth prk_few_second_does(const struct prk_few_pass *pass) {
    const real cd = prk_few_bend * prk_few_bend * pass->dd;
    return 4 * cd * cd * pass->dd <= prk_few_left * prk_few_left;
}

/* The second one follows unless the first does in all lanes that are going. */
static inline void prk_few_pass(int n, struct prk_few *few, real *weight, truth is_going,
                                struct prk_few_pass *pass) {
    real J[PRK_FEW_MAX * PRK_FEW_MAX], e[PRK_FEW_MAX];
    lane_int pivot[PRK_FEW_MAX];
    prk_few_first(n, few, weight, J, pivot, pass);
    const truth is_open = is_going & truth_not(pass->is_found);
    pass->ee = real_of(0);
    if (!truth_any(is_open)) return;
    prk_few_evaluate(few, pass->root, false);
    for (int i = 0; i < n; i++) e[i] = few->r[i];
    dense_solve(n, e, J, pivot);
    pass->ee = real_select(is_open, prk_few_square(n, e, weight), pass->ee);
    for (int i = 0; i < n; i++) {
        pass->root[i] = real_select(is_open, pass->root[i] - e[i], pass->root[i]);
        pass->correction[i] = real_select(is_open, e[i], pass->correction[i]);
        pass->W[i] = real_select(is_open, few->W[i], pass->W[i]);
    }
    const truth suffices = prk_few_second_does(pass), is_last = prk_few_is_last(pass);
    pass->is_found |= is_open & (suffices | is_last);
}

/* The root of a step near the extrapolated one, else near the last; where there is none, false. A
 * lane that is done stands still while others go on: its pass begins at the same u. */
static inline truth prk_few_solve(int n, struct prk_few *few, real *u) {
    struct prk_few_pass pass;
    const real *last = prk_few_root(n, few, 0);
    real weight[PRK_FEW_MAX], W[PRK_FEW_MAX];
    truth is_going = truth_of(true), is_good = truth_of(true);
    prk_few_guess(n, few, pass.u);
    prk_few_weigh(n, last, few->scale, truth_of(true), weight);
    for (int i = 0; i < n; i++) u[i] = W[i] = few->correction[i] = real_of(0);
    for (int count = 1;; count++) {
        prk_few_pass(n, few, weight, is_going, &pass);
        for (int i = 0; i < n; i++) {
            u[i] = real_select(is_going, pass.root[i], u[i]);
            few->correction[i] = real_select(is_going, pass.correction[i], few->correction[i]);
            W[i] = real_select(is_going, pass.W[i], W[i]);
        }
        const truth is_far = truth_of(count == 1) & (pass.dd > prk_few_far * prk_few_far);
        is_good &= truth_not(is_going) | pass.is_good;
        is_going &= (truth_not(pass.is_found) | is_far) & is_good;
        if (!truth_any(is_going) || count == PRK_FEW_PASSES_MAX) break;
        for (int i = 0; i < n; i++) {
            const real next = real_select(is_far, last[i], u[i]);
            pass.u[i] = real_select(is_going, next, pass.u[i]);
        }
    }
    for (int i = 0; i < n; i++) few->W[i] = W[i];
    few->dd = pass.dd;
    few->ee = pass.ee;
    return is_good & truth_not(is_going);
}

/* The forces were evaluated at u + d; at u they are W_j - w_v(j) d_j - w_q(j) h sum_l a_jl d_l to
 * first order, with the same error that the root has. */
static inline void prk_few_forces(struct prk_few *few) {
    const struct prk_view view = prk_few_view(few), *at = &view;
    const real *d = few->correction;
    for (int j = 0; j < at->s; j++) {
        const real *D = few->D + (size_t)j * 4 * at->nz;
        real *W = few->W + j * at->n;
        prk_sum(at, at->tableau->a[j], at->s, d, few->x);
        if (!prk_is_separable(at))
            pattern_add_product(at->system, real_of(-1), D + 2 * at->nz, d + j * at->n, W);
        pattern_add_product(at->system, real_of(-1), D + 3 * at->nz, few->x, W);
    }
}

static inline void prk_few_add(const struct prk_view *at, const struct coefficient *coefficient,
                               const real *y, real *x, real *carry) {
    real sum[PRK_FEW_MAX];
    prk_sum(at, coefficient, at->s, y, sum);
    sum_add(at->n, x, carry, x, carry, sum);
}

static inline truth prk_few_step(int n, struct prk_few *few) {
    const struct prk_view view = prk_few_view(few), *at = &view;
    const long before = few->iterations;
    real u[PRK_FEW_MAX];
    const truth is_found = prk_few_solve(n, few, u);
    if (few->iterations - before > few->iterations_max)
        few->iterations_max = few->iterations - before;
    prk_few_forces(few);
    prk_few_add(at, at->tableau->b, u, few->q, few->q_carry);
    prk_few_add(at, at->tableau->bhat, few->W, few->p, few->p_carry);
    prk_few_learn(n, few, u);
    return is_found;
}

/* Forgets the steps before a velocity, where it is asked to. */
static inline void prk_few_restart(int n, int nu, struct prk_few *few, const real *velocity,
                                   truth where) {
    for (int i = 0; i < PRK_FEW_DEPTH * nu; i++)
        few->past[i] = real_select(where, velocity[i % n], few->past[i]);
    for (int i = 0; i < nu; i++) few->scale[i] = real_select(where, real_of(0), few->scale[i]);
    prk_few_extrapolate(few, lane_int_of(1), where);
}

static inline void prk_few_load(struct noe_interval *interval, int nu, struct prk_few *few) {
    const struct noe_state *from = interval->from;
    const int n = interval_problem(interval)->system->n;
    few->interval = interval;
    few->t = interval->t;
    few->t1 = interval->t1;
    few->k = from->k + PRK_FEW_DEPTH; /* what was before state 0 has a place as well */
    few->past = interval->scratch + prk_scratch(interval_problem(interval));
    few->scale = few->past + PRK_FEW_DEPTH * nu;
    few->weights = few->scale + nu;
    few->iterations = few->iterations_max = few->factorisations = 0;
    for (int i = 0; i < n; i++) {
        few->q[i] = from->q[i];
        few->p[i] = from->p[i];
        few->q_carry[i] = from->q_carry[i];
        few->p_carry[i] = from->p_carry[i];
    }
    if (!interval->force_known) prk_few_restart(n, nu, few, interval->velocity, truth_of(true));
    for (int e = 0; e < nu / n * 4 * interval_problem(interval)->system->nz; e++)
        few->D[e] = real_of(0); /* zeros are not written */
}

/* What the last correction leaves of the residual. */
STEP_INLINE real prk_few_residual(int n, const struct prk_few *few) {
    const real path = prk_few_bend * prk_few_bend * few->dd, rate = few->ee / few->dd;
    const real part = real_select(few->ee > 0, rate, path);
    return real_norm((size_t)n, few->r) * noe_sqrt(real_select(part < 1, part, real_of(1)));
}

STEP_INLINE void prk_few_count(struct noe_interval *interval, int s, const struct prk_few *few) {
    interval->evaluations += few->iterations * s;
    interval->iterations += few->iterations;
    interval->factorisations += few->factorisations;
    if (few->iterations_max > interval->iterations_max)
        interval->iterations_max = few->iterations_max;
}

static inline void prk_few_store(struct noe_interval *interval, int nu, struct prk_few *few,
                                 truth is_found, long count) {
    struct noe_state *to = interval->to;
    const int n = interval_problem(interval)->system->n;
    const real *root = prk_few_root(nu, few, 0), *last = root + nu - n;
    for (int i = 0; i < nu; i++) interval->root[i] = root[i];
    for (int i = 0; i < n; i++) {
        to->q[i] = few->q[i];
        to->p[i] = few->p[i];
        to->q_carry[i] = few->q_carry[i];
        to->p_carry[i] = few->p_carry[i];
        interval->velocity[i] = real_select(is_found, last[i], interval->velocity[i]);
    }
    if (!truth_all(is_found)) prk_few_restart(n, nu, few, interval->velocity, truth_not(is_found));
    interval->force_known = true;
    interval->taken = count;
    interval->t1 = few->t;
    interval->residual = prk_few_residual(nu, few);
}

STEP_INLINE truth prk_few_is_finite(const struct prk_few *few, int n) {
    const truth is_finite_q = real_all_finite((size_t)n, few->q);
    return is_finite_q & real_all_finite((size_t)n, few->p);
}

/* `count` steps from `from` to `to`. */
static inline noe_outcome prk_few_run(struct noe_interval *interval, long count) {
    const int n = interval_problem(interval)->system->n, nu = interval_problem(interval)->nu;
    const long first = interval->from->k;
    const real origin = interval->origin, h = interval->h;
    struct prk_few few;
    truth is_found = truth_of(true);
    prk_few_load(interval, nu, &few);
    for (long k = 1; k <= count; k++) {
        is_found &= prk_few_step(nu, &few);
        few.t = few.t1;
        few.t1 = origin + (scalar)(first + k + 1) * h;
    }
    is_found &= prk_few_is_finite(&few, n);
    prk_few_count(interval, nu / n, &few);
    const noe_outcome outcome =
        outcome_join(outcome_of(NOE_OK), truth_not(is_found), NOE_NOT_CONVERGED);
    if (count == 1 || !truth_any(interval->is_active & truth_not(is_found)))
        prk_few_store(interval, nu, &few, is_found, count);
    return outcome;
}

/* Many steps at a time; where one of them fails, as many as do not, by halves, from what was known
 * before. */
STEP_FLAT noe_outcome prk_few_kernel(struct noe_interval *interval, long count) {
    enum { BLOCK = 256 };
    const struct noe_problem *problem = interval_problem(interval);
    const size_t size = prk_few_scratch(problem);
    real *known = interval->scratch + prk_scratch(problem);
    if (count > BLOCK) count = BLOCK;
    interval->taken = 0;
    for (;; count /= 2) {
        real kept[(PRK_FEW_DEPTH + 1) * (PRK_FEW_MAX + 1)];
        for (size_t i = 0; count > 1 && i < size; i++) kept[i] = known[i];
        const noe_outcome outcome = prk_few_run(interval, count);
        if (interval->taken) return outcome;
        for (size_t i = 0; i < size; i++) known[i] = kept[i];
    }
}
