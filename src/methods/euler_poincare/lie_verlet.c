/* The fast Lie-Verlet method for p' = ad*_v p, p = Mv, g' = g v.
 *
 *     flv   Q' - Q = (h/2) ad*_v (Q + Q'),    p1 = 2Q' - p,    v = M^-1 p,
 *           g' = g tau(h v) at the times of Q, g1 = g' tau(h v1/2)
 * with tau = cay. Q and g' are half a step behind and ahead of the state; the first Q is the
 * midpoint rule's (Bou-Rabee, 2007, 5.3, with the mistakes of print corrected). */
/* SPDX-License-Identifier: MIT */
#include "methods/fast/rigid_body.h"
#include "methods/euler_poincare/lie_newmark.h"
#include "spaces/se3_retraction.h"

/* 2Q of the next step, with what its sums lost. g' of the last step is a number of its own, for it
 * goes through functions that are not inlined: what these see does not live in registers. */
struct verlet {
    real Q2[SMALL_MAX], carry[SMALL_MAX];
};

/* What a step leaves to the next stands in the scratch, g' only if somebody asks for points. Loops
 * by index, so that the numbers live in registers. */
STEP_INLINE void verlet_load(const struct reduced *at, const real *scratch, bool skips_point,
                             struct verlet *between, struct walk *g) {
    const int n = at->n;
    REAL_UNROLL for (int i = 0; i < n; i++) {
        between->Q2[i] = scratch[i];
        between->carry[i] = scratch[n + i];
    }
    if (!skips_point) walk_load(at->space, g, scratch + 2 * n);
}

STEP_INLINE void verlet_store(const struct reduced *at, real *scratch, bool skips_point,
                              const struct verlet *between, const struct walk *g) {
    const int n = at->n;
    REAL_UNROLL for (int i = 0; i < n; i++) {
        scratch[i] = between->Q2[i];
        scratch[n + i] = between->carry[i];
    }
    if (!skips_point) walk_store(at->space, g, scratch + 2 * n);
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

/* From v0. */
STEP_INLINE truth verlet_pose_midpoint(const struct reduced *at, const real *p, const real *v0,
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

/* The first Q and g', from the state alone, as a step before would have left them: numbers that
 * this function saw would not live in registers, and next to its own those of the steps' loop would
 * not either. */
static __attribute__((noinline)) truth verlet_begin(const struct noe_interval *interval,
                                                    const struct reduced *at) {
    const struct noe_state *from = interval->from;
    struct verlet between;
    struct walk g;
    real v[SMALL_MAX], y[SMALL_MAX], scale[SMALL_MAX];
    truth is_good = reduced_velocity(at, from->p, v);
    is_good &= verlet_midpoint(at, from->p, v, between.Q2);
    for (int i = 0; i < at->n; i++) {
        between.Q2[i] *= 2;
        between.carry[i] = real_of(0);
    }
    if (!interval->skips_points) {
        reduced_scale(at, 0.5 * at->h, scale);
        reduced_increment(at, scale, from->p, y);
        walk_begin(at->space, &g, from->q, from->q_carry);
        walk_turn(at->space, 0, &g, y, from->k);
    }
    verlet_store(at, interval->scratch, interval->skips_points, &between, &g);
    return is_good;
}

/* Q' = Q + (1 - A)^-1 2A Q with A m = ad*_y m, on rotations cay(2y)^T Q, where y = h v/2. */
STEP_INLINE void verlet_turn(const struct reduced *at, struct verlet *between, const real *y) {
    real dQ[SMALL_MAX];
    if (at->n == POSE_TANGENT)
        pose_cayley_change(dQ, y, between->Q2);
    else
        rotation_cayley_change(dQ, y, between->Q2);
    sum_add(at->n, between->Q2, between->carry, between->Q2, between->carry, dQ);
}

/* g' <- g' tau(factor y) in step k. */
STEP_INLINE void verlet_move(const struct reduced *at, struct walk *g, scalar factor, const real *y,
                             long k) {
    real x[SMALL_MAX];
    for (int i = 0; i < at->n; i++) x[i] = factor * y[i];
    walk_turn(at->space, 0, g, x, k);
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
                                  struct walk *g, const real *y, long k) {
    const struct noe_state *from = interval->from, *to = interval->to;
    if (interval->skips_points) {
        for (int i = 0; i < at->np; i++) to->q[i] = from->q[i];
        for (int i = 0; i < at->n; i++) to->q_carry[i] = from->q_carry[i];
        return;
    }
    verlet_move(at, g, 1, y, k);
    walk_end(at->space, g, to->q, to->q_carry);
}

/* `count` steps, or as many as pass unseen; returns the number of those that `to` is away from the
 * interval's start. Q goes ahead, for the next step waits for it and nothing for what is seen. */
STEP_INLINE long verlet_steps(struct noe_interval *interval, const struct reduced *at, long count,
                              bool skips_points, const real *scale, struct verlet *between,
                              struct walk *g, real *p, real *y) {
    const long first = interval->from->k;
    if (interval->force_known && !skips_points) verlet_move(at, g, 2, y, first);
    for (long k = 1;; k++) {
        real before[SMALL_MAX];
        interval_keeps(interval, first + k, p);
        REAL_UNROLL for (int i = 0; i < at->n; i++) {
            before[i] = p[i];
            p[i] = between->Q2[i] - p[i];
        }
        reduced_increment(at, scale, p, y);
        verlet_turn(at, between, y);
        if (interval_sees(interval, first + k, p))
            return verlet_move_start(interval, at, k - 1, before);
        if (k == count) return count;
        if (!skips_points) verlet_move(at, g, 2, y, first + k);
    }
}

noe_outcome newmark_flv(struct noe_interval *interval, long count) {
    const struct reduced at = reduced_view(interval);
    const struct noe_state *from = interval->from, *to = interval->to;
    struct verlet between;
    struct walk g;
    real p[SMALL_MAX], y[SMALL_MAX], v[SMALL_MAX], scale[SMALL_MAX];
    truth is_good = truth_of(true);
    reduced_scale(&at, 0.5 * at.h, scale);
    REAL_UNROLL for (int i = 0; i < at.n; i++) p[i] = from->p[i];
    reduced_increment(&at, scale, p, y);
    if (!interval->force_known) is_good = verlet_begin(interval, &at);
    verlet_load(&at, interval->scratch, interval->skips_points, &between, &g);
    /* Two loops without that decision: a point that may go or not would go through memory. */
    if (interval->skips_points)
        count = verlet_steps(interval, &at, count, true, scale, &between, &g, p, y);
    else
        count = verlet_steps(interval, &at, count, false, scale, &between, &g, p, y);
    verlet_store(&at, interval->scratch, interval->skips_points, &between, &g);
    interval->force_known = true;
    verlet_end_point(interval, &at, &g, y, from->k + count);
    REAL_UNROLL for (int i = 0; i < at.n; i++) {
        to->p[i] = p[i];
        to->p_carry[i] = real_of(0);
    }
    is_good &= reduced_velocity(&at, to->p, v);
    return newmark_end(interval, &at, count, v, is_good);
}

/* Of a part theta of a step Q = p + theta (h/2) ad*_v Q, v = M^-1 Q, and p1 = 2Q - p. */
void newmark_flv_drive(const struct noe_interval *interval, const noe_real *p1, noe_real *drive) {
    const struct reduced at = reduced_view(interval);
    const real *p = interval->from->p;
    real sum[SMALL_MAX], y[SMALL_MAX], scale[SMALL_MAX];
    reduced_scale(&at, 0.5 * at.h, scale);
    for (int i = 0; i < at.n; i++) sum[i] = p[i] + p1[i];
    reduced_increment(&at, scale, sum, y);
    reduced_turn(&at, y, sum, drive);
    for (int i = 0; i < at.n; i++) drive[i] *= 0.5;
}
