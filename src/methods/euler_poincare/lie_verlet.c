/* The fast Lie-Verlet method for p' = ad*_v p, p = Mv, g' = g v.
 *
 *     flv   Q' - Q = (h/2) ad*_v (Q + Q'),    p1 = 2Q' - p,    v = M^-1 p,
 *           g' = g tau(h v) at the times of Q, g1 = g' tau(h v1/2)
 * with tau = cay. Q and g' are half a step behind and ahead of the state. The first Q is that of
 * the midpoint rule (Bou-Rabee, 2007, 5.3, with misprints corrected). */
/* SPDX-License-Identifier: MIT */
#include "methods/euler_poincare/lie_newmark.h"
#include "methods/fast/rigid_body.h"
#include "spaces/se3_retraction.h"

/* 2Q of the next step, with its compensation. g' of the last step is a separate variable, because
 * it is passed to functions that are not inlined and would not stay in registers. */
struct verlet {
    real Q2[SMALL_MAX], carry[SMALL_MAX];
};

/* Loads the data of the previous step from the workspace, g' only if group elements are needed.
 * Loops by index, so that the numbers stay in registers. */
REAL_INLINE void verlet_load(const struct euler_poincare *at, const real *scratch, bool skips_point,
                             struct verlet *between, struct group_accumulator *g) {
    const int n = at->n;
    REAL_UNROLL for (int i = 0; i < n; i++) {
        between->Q2[i] = scratch[i];
        between->carry[i] = scratch[n + i];
    }
    if (!skips_point) group_accumulator_load(at->space, g, scratch + 2 * n);
}

REAL_INLINE void verlet_store(const struct euler_poincare *at, real *scratch, bool skips_point,
                              const struct verlet *between, const struct group_accumulator *g) {
    const int n = at->n;
    REAL_UNROLL for (int i = 0; i < n; i++) {
        scratch[i] = between->Q2[i];
        scratch[n + i] = between->carry[i];
    }
    if (!skips_point) group_accumulator_store(at->space, g, scratch + 2 * n);
}

/* The midpoint rule of a pose with a diagonal M = (I, m). gamma + (h/2) w cross gamma = p_x gives
 * gamma from w, and the remaining equation is I w - (h/2) (I w cross w + gamma cross u) = p_w,    u
 * = gamma/m. */
struct verlet_pose {
    const struct euler_poincare *at;
    const real *p;
    real I[3];
};

/* T, the inverse of 1 + a^ with a = (h/2) w, and gamma = T p_x. */
REAL_INLINE void verlet_pose_gamma(const struct verlet_pose *pose, const real *w, real *T,
                                   real *gamma) {
    const real half = pose->at->h * 0.5, a[3] = {half * w[0], half * w[1], half * w[2]};
    const real scale = 1 / (1 + vec3_dot(a, a));
    vec3_zero(T);
    vec3_add_identity(T, scale);
    vec3_add_hat(T, -scale, a);
    vec3_add_outer(T, scale, a, a);
    vec3_apply(gamma, T, pose->p + 3);
}

/* dgamma = (h/2) T gamma^ dw. */
REAL_INLINE void verlet_pose_slope(const struct verlet_pose *pose, const real *w, const real *T,
                                   const real *gamma, const real *u, real *J) {
    const real *inverse = pose->at->legendre->inverse, *I = pose->I, half = pose->at->h * 0.5;
    const real spin[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2]};
    real A[9], G[9], C[9];
    vec3_times_hat(G, half, T, gamma);
    vec3_zero(A);
    vec3_add_hat(A, real_broadcast(1), gamma);
    for (int e = 0; e < 9; e++) A[e] *= inverse[3 + e % 3];
    vec3_add_hat(A, real_broadcast(-1), u);
    vec3_multiply(C, A, G);
    vec3_zero(A);
    vec3_add_hat(A, real_broadcast(-1), w);
    for (int e = 0; e < 9; e++) C[e] += A[e] * I[e % 3];
    vec3_add_hat(C, real_broadcast(1), spin);
    for (int e = 0; e < 9; e++) J[e] = -half * C[e];
    for (int i = 0; i < 3; i++) J[4 * i] += I[i];
}

REAL_INLINE void verlet_pose_residual(const void *self, int n, const real *w, real *r, real *J) {
    const struct verlet_pose *pose = self;
    const real *inverse = pose->at->legendre->inverse, half = pose->at->h * 0.5;
    real T[9], gamma[3], u[3], spin[3], a[3], b[3];
    (void)n;
    verlet_pose_gamma(pose, w, T, gamma);
    for (int i = 0; i < 3; i++) {
        u[i] = gamma[i] * inverse[3 + i];
        spin[i] = pose->I[i] * w[i];
    }
    vec3_cross(a, spin, w);
    vec3_cross(b, gamma, u);
    for (int i = 0; i < 3; i++) r[i] = spin[i] - half * (a[i] + b[i]) - pose->p[i];
    if (J) verlet_pose_slope(pose, w, T, gamma, u, J);
}

/* Solves for the midpoint velocity from the guess v0. */
REAL_INLINE mask verlet_pose_midpoint(const struct euler_poincare *at, const real *p,
                                      const real *v0, real *Q) {
    const struct small_newton_equation equation = {verlet_pose_residual, NULL};
    const real *inverse = at->legendre->inverse;
    const struct verlet_pose pose = {at, p, {1 / inverse[0], 1 / inverse[1], 1 / inverse[2]}};
    real w[3], turned[SMALL_MAX], T[9];
    euler_poincare_coadjoint_change(at, v0, p, turned);
    for (int i = 0; i < 3; i++) w[i] = v0[i] + 0.5 * at->h * turned[i] * inverse[i];
    const mask is_good = small_newton_solve(3, &equation, &pose, v0, w);
    verlet_pose_gamma(&pose, w, T, Q + 3);
    for (int i = 0; i < 3; i++) Q[i] = pose.I[i] * w[i];
    return is_good;
}

/* Q of the midpoint rule: solves P(v) - (h/2) ad*_v P(v) = p by a Newton iteration until it
 * stagnates. */
static mask verlet_midpoint(const struct euler_poincare *at, const real *p, const real *v0,
                            real *Q) {
    enum { ITERATIONS_MAX = 30 };
    const int n = at->n;
    if (at->space->algebra == NOE_ALGEBRA_SE3 && legendre_is_diagonal(at->legendre))
        return verlet_pose_midpoint(at, p, v0, Q);
    real v[SMALL_MAX], d[SMALL_MAX], J[SMALL_SQUARE], last = real_broadcast(HUGE_VAL);
    lane_index pivot[SMALL_MAX];
    mask is_going = mask_broadcast(true);
    for (int k = 0; k < n; k++) v[k] = v0[k];
    for (int i = 0; i < ITERATIONS_MAX && mask_any(is_going); i++) {
        newmark_left(at, v, p, Q, d);
        newmark_slope(at, v, Q, J);
        dense_factor(n, J, pivot);
        dense_solve(n, d, J, pivot);
        const real size = real_norm((size_t)n, d), whole = real_norm((size_t)n, v);
        for (int k = 0; k < n; k++) v[k] = real_select(is_going, v[k] - d[k], v[k]);
        is_going &=
            mask_not((size <= NOE_EPSILON * whole) | ((size >= last) & (size <= 1e-8 * whole)));
        last = size;
    }
    euler_poincare_momentum(at, v, Q);
    return mask_not(is_going);
}

/* Computes the first Q and g' from the state alone. noinline: otherwise register pressure spills
 * the variables of the main loop. */
static __attribute__((noinline)) mask verlet_begin(const struct noe_interval *interval,
                                                   const struct euler_poincare *at) {
    const struct noe_state *from = interval->from;
    struct verlet between;
    struct group_accumulator g;
    real v[SMALL_MAX], y[SMALL_MAX], scale[SMALL_MAX];
    mask is_good = euler_poincare_velocity(at, from->p, v);
    is_good &= verlet_midpoint(at, from->p, v, between.Q2);
    for (int i = 0; i < at->n; i++) {
        between.Q2[i] *= 2;
        between.carry[i] = real_broadcast(0);
    }
    if (!interval->skips_points) {
        euler_poincare_scale(at, 0.5 * at->h, scale);
        euler_poincare_increment(at, scale, from->p, y);
        group_accumulator_begin(at->space, &g, from->q, from->q_carry);
        group_accumulator_retract(at->space, 0, &g, y, from->k);
    }
    verlet_store(at, interval->scratch, interval->skips_points, &between, &g);
    return is_good;
}

/* Q' = Q + (1 - A)^-1 2A Q with A m = ad*_y m, on rotations cay(2y)^T Q, where y = h v/2. */
REAL_INLINE void verlet_turn(const struct euler_poincare *at, struct verlet *between,
                             const real *y) {
    real dQ[SMALL_MAX];
    switch (at->space->algebra) {
    case NOE_ALGEBRA_SO3: so3_cayley_change(dQ, y, between->Q2); break;
    case NOE_ALGEBRA_SE3: se3_cayley_change(dQ, y, between->Q2); break;
    default:
        euler_poincare_coadjoint_change(at, y, between->Q2, dQ);
        REAL_UNROLL for (int i = 0; i < at->n; i++) dQ[i] *= 2;
        euler_poincare_solve(at, 1, y, dQ);
    }
    compensated_add(at->n, between->Q2, between->carry, between->Q2, between->carry, dQ);
}

/* g' <- g' tau(factor y) in step k. */
REAL_INLINE void verlet_move(const struct euler_poincare *at, struct group_accumulator *g,
                             scalar factor, const real *y, long k) {
    real x[SMALL_MAX];
    for (int i = 0; i < at->n; i++) x[i] = factor * y[i];
    group_accumulator_retract(at->space, 0, g, x, k);
}

/* Moves the start of the interval to that of the last step, k steps later, because an event may lie
 * in it. Returns the number of remaining steps. */
REAL_INLINE long verlet_move_start(struct noe_interval *interval, const struct euler_poincare *at,
                                   long k, const real *p) {
    struct noe_state *from = (struct noe_state *)interval->from;
    if (k == 0 || !INTERVAL_MOVES) return k + 1;
    from->k += k;
    from->t = interval->t = interval->origin + (scalar)from->k * interval->h;
    from->h = interval->h;
    for (int i = 0; i < at->n; i++) {
        from->p[i] = p[i];
        from->p_carry[i] = real_broadcast(0);
    }
    return 1;
}

REAL_INLINE void verlet_end_point(const struct noe_interval *interval,
                                  const struct euler_poincare *at, struct group_accumulator *g,
                                  const real *y, long k) {
    const struct noe_state *from = interval->from, *to = interval->to;
    if (interval->skips_points) {
        for (int i = 0; i < at->np; i++) to->q[i] = from->q[i];
        for (int i = 0; i < at->n; i++) to->q_carry[i] = from->q_carry[i];
        return;
    }
    verlet_move(at, g, 1, y, k);
    group_accumulator_end(at->space, g, to->q, to->q_carry);
}

/* Takes `count` steps, or fewer if an event is detected. Returns the number of steps between the
 * start of the interval and `to`. Q is computed first, because the next step depends on it. */
REAL_INLINE long verlet_steps(struct noe_interval *interval, const struct euler_poincare *at,
                              long count, bool skips_points, const real *scale,
                              struct verlet *between, struct group_accumulator *g, real *p,
                              real *y) {
    const long first = interval->from->k;
    if (interval->has_previous_step && !skips_points) verlet_move(at, g, 2, y, first);
    for (long k = 1;; k++) {
        real before[SMALL_MAX];
        interval_log_momentum(interval, first + k, p);
        REAL_UNROLL for (int i = 0; i < at->n; i++) {
            before[i] = p[i];
            p[i] = between->Q2[i] - p[i];
        }
        euler_poincare_increment(at, scale, p, y);
        verlet_turn(at, between, y);
        if (interval_has_event(interval, first + k, p))
            return verlet_move_start(interval, at, k - 1, before);
        if (k == count) return count;
        if (!skips_points) verlet_move(at, g, 2, y, first + k);
    }
}

static noe_lane_status lie_verlet_flv(struct noe_interval *interval, long count) {
    const struct euler_poincare at = euler_poincare_view(interval);
    const struct noe_state *from = interval->from, *to = interval->to;
    struct verlet between;
    struct group_accumulator g;
    real p[SMALL_MAX], y[SMALL_MAX], v[SMALL_MAX], scale[SMALL_MAX];
    mask is_good = mask_broadcast(true);
    euler_poincare_scale(&at, 0.5 * at.h, scale);
    REAL_UNROLL for (int i = 0; i < at.n; i++) p[i] = from->p[i];
    euler_poincare_increment(&at, scale, p, y);
    if (!interval->has_previous_step) is_good = verlet_begin(interval, &at);
    verlet_load(&at, interval->scratch, interval->skips_points, &between, &g);
    /* The branch is hoisted out of the loop so that the group element stays in registers. */
    if (interval->skips_points)
        count = verlet_steps(interval, &at, count, true, scale, &between, &g, p, y);
    else
        count = verlet_steps(interval, &at, count, false, scale, &between, &g, p, y);
    verlet_store(&at, interval->scratch, interval->skips_points, &between, &g);
    interval->has_previous_step = true;
    verlet_end_point(interval, &at, &g, y, from->k + count);
    REAL_UNROLL for (int i = 0; i < at.n; i++) {
        to->p[i] = p[i];
        to->p_carry[i] = real_broadcast(0);
    }
    is_good &= euler_poincare_velocity(&at, to->p, v);
    return newmark_end(interval, &at, count, v, is_good);
}

/* At the fraction theta of a step, Q = p + theta (h/2) ad*_v Q, v = M^-1 Q and p1 = 2Q - p. */
static void lie_verlet_drive(const struct noe_interval *interval, const noe_real *p1,
                             noe_real *drive) {
    const struct euler_poincare at = euler_poincare_view(interval);
    const real *p = interval->from->p;
    real sum[SMALL_MAX], y[SMALL_MAX], scale[SMALL_MAX];
    euler_poincare_scale(&at, 0.5 * at.h, scale);
    for (int i = 0; i < at.n; i++) sum[i] = p[i] + p1[i];
    euler_poincare_increment(&at, scale, sum, y);
    euler_poincare_coadjoint_change(&at, y, sum, drive);
    for (int i = 0; i < at.n; i++) drive[i] *= 0.5;
}

const struct kernel lie_verlet_kernel = {
    .name = "lie-verlet",
    .symbol = "lie_verlet_kernel",
    .source = "methods/euler_poincare/lie_verlet.c",
    .steps = lie_verlet_flv,
    .drive = lie_verlet_drive,
};
