/* Lie-Newmark and Lie-Verlet methods for p' = ad*_v p, p = Mv, g' = g v.
 *
 *     tln   P(v1) - (h/2) ad*_v1 P(v1) = p + (h/2) ad*_v0 p,    g1 = g tau(h (v0 + v1)/2)
 *     mln   P(v) - (h/2) ad*_v P(v) = p,    p1 = p + h ad*_v P(v),    g1 = g tau(h v)
 *     lv    Q - (h/2) ad*_v0 Q = p,    p1 = Mv1 = Q + (h/2) ad*_v1 Q,
 *           g1 = g tau(h v0/2) tau(h v1/2)
 *     flv   Q' - Q = (h/2) ad*_v (Q + Q'),    p1 = 2Q' - p,    v = M^-1 p,
 *           g' = g tau(h v) at the times of Q, g1 = g' tau(h v1/2)
 * with tau = cay. In flv Q and g' are half a step behind and ahead of the state; the first Q is the
 * midpoint rule's (Bou-Rabee, 2007, 5.3, with the mistakes of print corrected). */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "methods/body.h"
#include "methods/newmark.h"
#include "spaces/pose.h"

void newmark_guess(struct noe_interval *interval, noe_real *u) {
    const int n = interval_problem(interval)->system->n;
    memcpy(u, interval->velocity, (size_t)n * sizeof *u);
}

/* The right side, p or p + (h/2) ad*_v0 p; v0 as well. */
STEP_INLINE void newmark_given(const struct noe_interval *interval, const struct reduced *at,
                               real *v0, real *c) {
    const real *p = interval->from->p, half = at->h * 0.5;
    real turned[SMALL_MAX];
    for (int k = 0; k < at->n; k++) c[k] = p[k];
    if (!newmark_is_trapezoidal(interval)) return;
    const truth is_regular = reduced_velocity(at, p, v0);
    reduced_turn(at, v0, p, turned);
    for (int k = 0; k < at->n; k++)
        c[k] = real_select(is_regular, c[k] + half * turned[k], real_of(NAN));
}

/* r = P(u) - (h/2) ad*_u P(u) - c. */
STEP_INLINE void newmark_left(const struct reduced *at, const real *u, const real *c, real *P,
                              real *r) {
    const real half = at->h * 0.5;
    real turned[SMALL_MAX];
    reduced_momentum(at, u, P);
    reduced_turn(at, u, P, turned);
    for (int k = 0; k < at->n; k++) r[k] = P[k] - half * turned[k] - c[k];
}

void newmark_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct reduced at = reduced_view(interval);
    real v0[SMALL_MAX], c[SMALL_MAX], P[SMALL_MAX] = {0};
    newmark_given(interval, &at, v0, c);
    newmark_left(&at, u, c, P, r);
}

/* B(P) + A(u) M off the diagonal, for rotations with a diagonal M: P^ - u^ M. */
STEP_INLINE void newmark_bracket(const real *u, const real *P, const real *M, real *B) {
    B[1] = u[2] * M[4] - P[2];
    B[2] = P[1] - u[1] * M[8];
    B[3] = P[2] - u[2] * M[0];
    B[5] = u[0] * M[8] - P[0];
    B[6] = u[1] * M[0] - P[1];
    B[7] = P[0] - u[0] * M[4];
}

/* J = M - (h/2) (A(u) M + B(P)), where A(u) m = ad*_u m = B(m) u. */
STEP_INLINE void newmark_slope(const struct reduced *at, const real *u, const real *P, real *J) {
    const int n = at->n;
    const real half = at->h * 0.5;
    real A[SMALL_SQUARE], M[SMALL_SQUARE], B[SMALL_SQUARE];
    reduced_mass(at, M);
    if (n == 3 && legendre_is_diagonal(at->legendre)) {
        newmark_bracket(u, P, M, B);
        for (int e = 0; e < 9; e++) J[e] = e % 4 == 0 ? M[e] : -half * B[e];
        return;
    }
    chart_bracket_matrix(at->piece, u, A);
    at->space->poisson(B, P);
    small_add_product(n, n, n, B, A, M);
    for (int e = 0; e < n * n; e++) J[e] = M[e] - half * B[e];
}

void newmark_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                      noe_real *values) {
    const struct reduced at = reduced_view(interval);
    real v0[SMALL_MAX], c[SMALL_MAX], P[SMALL_MAX] = {0};
    newmark_given(interval, &at, v0, c);
    newmark_left(&at, u, c, P, r);
    newmark_slope(&at, u, P, values);
}

void newmark_finish(struct noe_interval *interval, const noe_real *u) {
    const struct reduced at = reduced_view(interval);
    const bool is_mean = newmark_is_trapezoidal(interval);
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    real v0[SMALL_MAX], c[SMALL_MAX], P[SMALL_MAX] = {0}, turned[SMALL_MAX], x[SMALL_MAX];
    newmark_given(interval, &at, v0, c);
    reduced_momentum(&at, u, P);
    reduced_turn(&at, u, P, turned);
    for (int k = 0; k < at.n; k++) {
        const real half = at.h * 0.5;
        x[k] = is_mean ? half * (v0[k] + u[k]) : at.h * u[k];
        turned[k] *= is_mean ? half : at.h;
        turned[k] += is_mean ? c[k] - from->p[k] : real_of(0);
        interval->velocity[k] = u[k];
    }
    at.space->advance(1, 0, to->q, to->q_carry, from->q, from->q_carry, x);
    sum_add(at.n, to->p, to->p_carry, from->p, from->p_carry, turned);
}

/* m <- y with y - ad*_x y/2 = m. */
STEP_INLINE void half_turn(const struct reduced *at, const real *x, real *m) {
    if (at->n == POSE_TANGENT)
        pose_half_turn(m, x);
    else
        rotation_half_turn(m, x);
}

/* A state that moves on, in place. */
struct newmark_state {
    real *q, *q_carry, *p, *p_carry;
};

STEP_INLINE struct newmark_state begin_at(const struct noe_interval *interval,
                                          const struct reduced *at) {
    const struct noe_state *from = interval->from, *to = interval->to;
    for (int k = 0; k < at->np; k++) to->q[k] = from->q[k];
    for (int k = 0; k < at->n; k++) {
        to->p[k] = from->p[k];
        to->q_carry[k] = from->q_carry[k];
        to->p_carry[k] = from->p_carry[k];
    }
    return (struct newmark_state){to->q, to->q_carry, to->p, to->p_carry};
}

/* g <- g tau(factor v). */
STEP_INLINE void turn_by(const struct reduced *at, real *g, real *carry, real factor,
                         const real *v) {
    real x[SMALL_MAX];
    for (int k = 0; k < at->n; k++) x[k] = factor * v[k];
    at->space->advance(1, 0, g, carry, g, carry, x);
}

STEP_INLINE noe_outcome end_after(struct noe_interval *interval, const struct reduced *at,
                                  long count, const real *v, truth is_good) {
    for (int k = 0; k < at->n; k++) interval->velocity[k] = v[k];
    interval->taken = count;
    interval->t1 = interval->origin + (scalar)(interval->from->k + count) * interval->h;
    interval->reach = real_of(0);
    return outcome_join(outcome_of(NOE_OK), truth_not(is_good), NOE_SINGULAR);
}

/* v <- v1, and p <- p + (h/2) ad*_(v0+v1) Q. */
STEP_INLINE truth lv_step(const struct reduced *at, const struct newmark_state *z, real *v) {
    const int n = at->n;
    const real half = at->h * 0.5;
    real Q[SMALL_MAX], M[SMALL_SQUARE], B[SMALL_SQUARE], x[SMALL_MAX];
    lane_int pivot[SMALL_MAX];
    for (int k = 0; k < n; k++) {
        x[k] = at->h * v[k];
        Q[k] = z->p[k];
    }
    half_turn(at, x, Q);
    turn_by(at, z->q, z->q_carry, half, v);
    reduced_mass(at, M);
    at->space->poisson(B, Q);
    for (int e = 0; e < n * n; e++) M[e] -= half * B[e];
    const truth is_regular = dense_factor(n, M, pivot);
    for (int k = 0; k < n; k++) x[k] = Q[k];
    dense_solve(n, x, M, pivot);
    for (int k = 0; k < n; k++) {
        const real sum = half * (v[k] + x[k]);
        v[k] = x[k];
        x[k] = sum;
    }
    turn_by(at, z->q, z->q_carry, half, v);
    small_zero(n, Q);
    small_add_apply(n, n, Q, 1, B, x);
    sum_add(n, z->p, z->p_carry, z->p, z->p_carry, Q);
    return is_regular;
}

noe_outcome newmark_lv(struct noe_interval *interval, long count) {
    const struct reduced at = reduced_view(interval);
    const struct newmark_state z = begin_at(interval, &at);
    real v[SMALL_MAX] = {0};
    truth is_good = truth_of(true);
    for (long k = 0; k < count; k++) {
        is_good &= reduced_velocity(&at, z.p, v);
        is_good &= lv_step(&at, &z, v);
    }
    return end_after(interval, &at, count, v, is_good);
}

/* P(u) - (h/2) ad*_u P(u) = c, quadratic in u. */
struct newmark_equation {
    const struct reduced *at;
    const real *c;
};

STEP_INLINE void newmark_few_residual(const void *self, int n, const real *u, real *r, real *J) {
    const struct newmark_equation *equation = self;
    real P[SMALL_MAX] = {0};
    (void)n;
    newmark_left(equation->at, u, equation->c, P, r);
    if (J) newmark_slope(equation->at, u, P, J);
}

STEP_INLINE void newmark_few_bend(const void *self, int n, const real *d, real *r) {
    const struct reduced *at = ((const struct newmark_equation *)self)->at;
    real P[SMALL_MAX] = {0};
    reduced_momentum(at, d, P);
    reduced_turn(at, d, P, r);
    for (int k = 0; k < n; k++) r[k] *= -0.5 * at->h;
}

static const struct few_equation newmark_few = {newmark_few_residual, newmark_few_bend};

/* One step of tln or mln, the k-th of a run; x = h (v0 + v1)/2 or h v, and scale M^-1 is h/2 M^-1.
 */
STEP_INLINE truth newmark_step(const struct reduced *at, bool is_mean, const real *scale, long k,
                               struct body *z) {
    const real factor = is_mean ? at->h * 0.5 : at->h;
    const int n = at->n;
    real x[SMALL_MAX] = {0}, turned[SMALL_MAX] = {0}, c[SMALL_MAX], u[SMALL_MAX], y[SMALL_MAX];
    real P[SMALL_MAX] = {0}, dp[SMALL_MAX];
    if (is_mean) {
        reduced_increment(at, scale, z->p, x);
        reduced_turn(at, x, z->p, turned);
    }
    for (int i = 0; i < n; i++) c[i] = is_mean ? z->p[i] + turned[i] : z->p[i];
    few_guess(n, z->past, u);
    const truth is_good =
        few_solve(n, &newmark_few, &(const struct newmark_equation){at, c}, z->past, u);
    reduced_momentum(at, u, P);
    for (int i = 0; i < n; i++) y[i] = factor * u[i];
    reduced_turn(at, y, P, dp);
    for (int i = 0; i < n; i++) {
        dp[i] = is_mean ? turned[i] + dp[i] : dp[i];
        x[i] = is_mean ? x[i] + y[i] : y[i];
    }
    few_learn(n, z->past, u);
    sum_add(n, z->p, z->carry, z->p, z->carry, dp);
    walk_turn(at->space, 0, &z->g, x, k);
    return is_good;
}

/* `count` steps from `from` to `to`, unless one of several fails. */
STEP_INLINE noe_outcome newmark_run(struct noe_interval *interval, long count) {
    const struct reduced at = reduced_view(interval);
    const bool is_mean = newmark_is_trapezoidal(interval);
    struct body z;
    real scale[SMALL_MAX];
    truth is_found = truth_of(true);
    body_load(interval, at.n, at.space, &z);
    reduced_scale(&at, 0.5 * at.h, scale);
    for (long k = 0; k < count; k++)
        is_found &= newmark_step(&at, is_mean, scale, interval->from->k + k, &z);
    const noe_outcome outcome = body_outcome(&z, at.n, is_found);
    if (!body_has_failed(interval, count, outcome)) body_store(interval, at.n, at.space, &z, count);
    return outcome;
}

noe_outcome newmark_kernel(struct noe_interval *interval, long count) {
    interval->reach = real_of(0);
    return few_steps(interval, count, newmark_run);
}

/* 2Q and g' between the nodes, with what their sums lost. */
struct verlet {
    real Q2[SMALL_MAX], carry[SMALL_MAX];
    struct walk g;
};

/* What a step leaves to the next stands in the scratch, g' only if somebody asks for points. Loops
 * by index, so that the numbers live in registers. */
STEP_INLINE void verlet_load(const struct reduced *at, const real *scratch, bool skips_point,
                             struct verlet *between) {
    const int n = at->n;
    REAL_UNROLL for (int i = 0; i < n; i++) {
        between->Q2[i] = scratch[i];
        between->carry[i] = scratch[n + i];
    }
    if (!skips_point) walk_load(at->space, &between->g, scratch + 2 * n);
}

STEP_INLINE void verlet_store(const struct reduced *at, real *scratch, bool skips_point,
                              const struct verlet *between) {
    const int n = at->n;
    REAL_UNROLL for (int i = 0; i < n; i++) {
        scratch[i] = between->Q2[i];
        scratch[n + i] = between->carry[i];
    }
    if (!skips_point) walk_store(at->space, &between->g, scratch + 2 * n);
}

/* The midpoint rule of a pose with a diagonal M = (I, m): gamma + (h/2) w cross gamma = p_x gives
 * gamma from w, and what is left is
 *     I w - (h/2) (I w cross w + gamma cross u) = p_w,    u = gamma/m. */
struct verlet_pose {
    const struct reduced *at;
    const real *p;
    real I[3];
};

/* T, the inverse of 1 + a^ with a = (h/2) w, and gamma = T p_x. */
STEP_INLINE void verlet_pose_gamma(const struct verlet_pose *pose, const real *w, real *T,
                                   real *gamma) {
    const real half = pose->at->h * 0.5, a[3] = {half * w[0], half * w[1], half * w[2]};
    const real scale = 1 / (1 + three_dot(a, a));
    three_zero(T);
    three_add_identity(T, scale);
    three_add_hat(T, -scale, a);
    three_add_outer(T, scale, a, a);
    three_apply(gamma, T, pose->p + 3);
}

/* dgamma = (h/2) T gamma^ dw. */
STEP_INLINE void verlet_pose_slope(const struct verlet_pose *pose, const real *w, const real *T,
                                   const real *gamma, const real *u, real *J) {
    const real *inverse = pose->at->legendre->inverse, *I = pose->I, half = pose->at->h * 0.5;
    const real spin[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2]};
    real A[9], G[9], C[9];
    three_times_hat(G, half, T, gamma);
    three_zero(A);
    three_add_hat(A, real_of(1), gamma);
    for (int e = 0; e < 9; e++) A[e] *= inverse[3 + e % 3];
    three_add_hat(A, real_of(-1), u);
    three_multiply(C, A, G);
    three_zero(A);
    three_add_hat(A, real_of(-1), w);
    for (int e = 0; e < 9; e++) C[e] += A[e] * I[e % 3];
    three_add_hat(C, real_of(1), spin);
    for (int e = 0; e < 9; e++) J[e] = -half * C[e];
    for (int i = 0; i < 3; i++) J[4 * i] += I[i];
}

STEP_INLINE void verlet_pose_residual(const void *self, int n, const real *w, real *r, real *J) {
    const struct verlet_pose *pose = self;
    const real *inverse = pose->at->legendre->inverse, half = pose->at->h * 0.5;
    real T[9], gamma[3], u[3], spin[3], a[3], b[3];
    (void)n;
    verlet_pose_gamma(pose, w, T, gamma);
    for (int i = 0; i < 3; i++) {
        u[i] = gamma[i] * inverse[3 + i];
        spin[i] = pose->I[i] * w[i];
    }
    three_cross(a, spin, w);
    three_cross(b, gamma, u);
    for (int i = 0; i < 3; i++) r[i] = spin[i] - half * (a[i] + b[i]) - pose->p[i];
    if (J) verlet_pose_slope(pose, w, T, gamma, u, J);
}

static truth verlet_pose_midpoint(const struct reduced *at, const real *p, const real *v0,
                                  real *Q) {
    const struct few_equation equation = {verlet_pose_residual, NULL};
    const real *inverse = at->legendre->inverse;
    const struct verlet_pose pose = {at, p, {1 / inverse[0], 1 / inverse[1], 1 / inverse[2]}};
    real w[3], turned[SMALL_MAX], T[9];
    reduced_turn(at, v0, p, turned);
    for (int i = 0; i < 3; i++) w[i] = v0[i] + 0.5 * at->h * turned[i] * inverse[i];
    const truth is_good = few_solve(3, &equation, &pose, v0, w);
    verlet_pose_gamma(&pose, w, T, Q + 3);
    for (int i = 0; i < 3; i++) Q[i] = pose.I[i] * w[i];
    return is_good;
}

/* The midpoint rule's Q: P(v) - (h/2) ad*_v P(v) = p, by Newton's method until it stagnates. */
static truth verlet_midpoint(const struct reduced *at, const real *p, const real *v0, real *Q) {
    enum { ITERATIONS_MAX = 30 };
    const int n = at->n;
    if (n == POSE_TANGENT && legendre_is_diagonal(at->legendre))
        return verlet_pose_midpoint(at, p, v0, Q);
    real v[SMALL_MAX], d[SMALL_MAX], J[SMALL_SQUARE], last = real_of(HUGE_VAL);
    lane_int pivot[SMALL_MAX];
    truth is_going = truth_of(true);
    for (int k = 0; k < n; k++) v[k] = v0[k];
    for (int i = 0; i < ITERATIONS_MAX && truth_any(is_going); i++) {
        newmark_left(at, v, p, Q, d);
        newmark_slope(at, v, Q, J);
        dense_factor(n, J, pivot);
        dense_solve(n, d, J, pivot);
        const real size = real_norm((size_t)n, d), whole = real_norm((size_t)n, v);
        for (int k = 0; k < n; k++) v[k] = real_select(is_going, v[k] - d[k], v[k]);
        is_going &=
            truth_not((size <= NOE_EPSILON * whole) | ((size >= last) & (size <= 1e-8 * whole)));
        last = size;
    }
    reduced_momentum(at, v, Q);
    return truth_not(is_going);
}

/* g' <- g' tau(x/2) in step k. */
STEP_INLINE void verlet_half(const struct reduced *at, struct walk *g, const real *x, long k) {
    real half[SMALL_MAX];
    for (int i = 0; i < at->n; i++) half[i] = 0.5 * x[i];
    walk_turn(at->space, 0, g, half, k);
}

/* The first Q and g', from the state alone, as a step before would have left them: numbers that
 * this function saw would not live in registers. */
static truth verlet_begin(const struct noe_interval *interval, const struct reduced *at) {
    const struct noe_state *from = interval->from;
    struct verlet between = {0};
    real v[SMALL_MAX], x[SMALL_MAX], scale[SMALL_MAX];
    truth is_good = reduced_velocity(at, from->p, v);
    is_good &= verlet_midpoint(at, from->p, v, between.Q2);
    for (int i = 0; i < at->n; i++) between.Q2[i] *= 2;
    if (!interval->skips_points) {
        reduced_scale(at, at->h, scale);
        reduced_increment(at, scale, from->p, x);
        walk_begin(at->space, &between.g, from->q, from->q_carry);
        verlet_half(at, &between.g, x, from->k);
    }
    verlet_store(at, interval->scratch, interval->skips_points, &between);
    return is_good;
}

/* Q' = Q + (1 - A/2)^-1 A Q with A m = ad*_x m, on rotations cay(x)^T Q, and g' = g' tau(x), where
 * x = h v. */
STEP_INLINE void verlet_go_on(const struct reduced *at, struct verlet *between, const real *x,
                              long k, bool skips_point) {
    real dQ[SMALL_MAX];
    if (at->n == POSE_TANGENT) {
        reduced_turn(at, x, between->Q2, dQ);
        pose_half_turn(dQ, x);
    } else {
        rotation_coadjoint_change(ROTATION_CAY, dQ, x, between->Q2);
    }
    sum_add(at->n, between->Q2, between->carry, between->Q2, between->carry, dQ);
    if (!skips_point) walk_turn(at->space, 0, &between->g, x, k);
}

/* The last of the steps taken, which began k steps after the interval, is to be looked into: its
 * start becomes the interval's. Returns how many steps there are then. */
STEP_INLINE long verlet_move_start(struct noe_interval *interval, const struct reduced *at, long k,
                                   const real *p) {
    struct noe_state *from = (struct noe_state *)interval->from;
    if (k == 0 || !INTERVAL_MOVES) return k + 1;
    from->k += k;
    from->t = interval->t = interval->origin + (scalar)from->k * interval->h;
    from->h = interval->h;
    for (int i = 0; i < at->n; i++) {
        from->p[i] = p[i];
        from->p_carry[i] = real_of(0);
    }
    return 1;
}

STEP_INLINE void verlet_end_point(const struct noe_interval *interval, const struct reduced *at,
                                  struct verlet *between, const real *x, long k) {
    const struct noe_state *from = interval->from, *to = interval->to;
    if (interval->skips_points) {
        for (int i = 0; i < at->np; i++) to->q[i] = from->q[i];
        for (int i = 0; i < at->n; i++) to->q_carry[i] = from->q_carry[i];
        return;
    }
    verlet_half(at, &between->g, x, k);
    walk_end(at->space, &between->g, to->q, to->q_carry);
}

/* `count` steps, or as many as pass unseen; returns the number of those that `to` is away from the
 * interval's start. */
STEP_INLINE long verlet_steps(struct noe_interval *interval, const struct reduced *at, long count,
                              bool skips_points, const real *scale, struct verlet *between, real *p,
                              real *x) {
    const long first = interval->from->k;
    if (interval->force_known) verlet_go_on(at, between, x, first, skips_points);
    for (long k = 1;; k++) {
        real before[SMALL_MAX];
        REAL_UNROLL for (int i = 0; i < at->n; i++) {
            before[i] = p[i];
            p[i] = between->Q2[i] - p[i];
        }
        reduced_increment(at, scale, p, x);
        if (interval_sees(interval, first + k, before, p))
            return verlet_move_start(interval, at, k - 1, before);
        if (k == count) return count;
        verlet_go_on(at, between, x, first + k, skips_points);
    }
}

noe_outcome newmark_flv(struct noe_interval *interval, long count) {
    const struct reduced at = reduced_view(interval);
    const struct noe_state *from = interval->from, *to = interval->to;
    struct verlet between;
    real p[SMALL_MAX], x[SMALL_MAX], v[SMALL_MAX], scale[SMALL_MAX];
    truth is_good = truth_of(true);
    reduced_scale(&at, at.h, scale);
    REAL_UNROLL for (int i = 0; i < at.n; i++) p[i] = from->p[i];
    reduced_increment(&at, scale, p, x);
    if (!interval->force_known) is_good = verlet_begin(interval, &at);
    verlet_load(&at, interval->scratch, interval->skips_points, &between);
    /* Two loops without that decision: a point that may go or not would go through memory. */
    if (interval->skips_points)
        count = verlet_steps(interval, &at, count, true, scale, &between, p, x);
    else
        count = verlet_steps(interval, &at, count, false, scale, &between, p, x);
    verlet_store(&at, interval->scratch, interval->skips_points, &between);
    interval->force_known = true;
    verlet_end_point(interval, &at, &between, x, from->k + count);
    REAL_UNROLL for (int i = 0; i < at.n; i++) {
        to->p[i] = p[i];
        to->p_carry[i] = real_of(0);
    }
    is_good &= reduced_velocity(&at, to->p, v);
    return end_after(interval, &at, count, v, is_good);
}
