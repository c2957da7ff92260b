/* The fast Lie-Verlet method for p' = ad*_v p, p = Mv, g' = g v.
 *
 *     flv   Q' - Q = (h/2) ad*_v (Q + Q'),    p1 = 2Q' - p,    v = M^-1 p,
 *           g' = g tau(h v) at the times of Q, g1 = g' tau(h v1/2)
 * with tau = cay. Q and g' are half a step behind and ahead of the state. The first Q is that of
 * the midpoint rule (Bou-Rabee, 2007, 5.3, with misprints corrected). */
/* SPDX-License-Identifier: MIT */
#include "mechanics/rigid_body.h"
#include "methods/euler_poincare/lie_newmark.h"
#include "spaces/se3_retraction.h"

/* 2Q of the next step, with its compensation. g' of the last step is a separate variable, because
 * it is passed to functions that are not inlined and would not stay in registers. */
struct verlet {
    real Q2[SMALL_MAX], carry[SMALL_MAX];
};

/* The data of the previous step in the scratch. */
struct verlet_memory {
    real *Q2, *carry, *g;
};

SCRATCH_INLINE struct verlet_memory verlet_layout(struct scratch *scratch, int n, int np) {
    struct verlet_memory memory = {.Q2 = scratch_reals(scratch, (size_t)n)};
    memory.carry = scratch_reals(scratch, (size_t)n);
    memory.g = scratch_reals(scratch, (size_t)(n + np));
    return memory;
}

static size_t verlet_scratch(const struct noe_problem *problem) {
    struct scratch scratch = {0};
    verlet_layout(&scratch, problem->system->n, problem->np);
    return scratch.count;
}

/* Loads the data of the previous step from the workspace, g' only if group elements are needed.
 * Loops by index, so that the numbers stay in registers. */
REAL_INLINE void verlet_load(const struct euler_poincare *at, real *room, bool skips_point,
                             struct verlet *between, struct group_accumulator *g) {
    struct scratch scratch = scratch_carve(room);
    const struct verlet_memory memory = verlet_layout(&scratch, at->n, at->np);
    REAL_UNROLL for (int i = 0; i < at->n; i++) {
        between->Q2[i] = memory.Q2[i];
        between->carry[i] = memory.carry[i];
    }
    if (!skips_point) group_accumulator_load(at->space, g, memory.g);
}

REAL_INLINE void verlet_store(const struct euler_poincare *at, real *room, bool skips_point,
                              const struct verlet *between, const struct group_accumulator *g) {
    struct scratch scratch = scratch_carve(room);
    const struct verlet_memory memory = verlet_layout(&scratch, at->n, at->np);
    REAL_UNROLL for (int i = 0; i < at->n; i++) {
        memory.Q2[i] = between->Q2[i];
        memory.carry[i] = between->carry[i];
    }
    if (!skips_point) group_accumulator_store(at->space, g, memory.g);
}

/* The midpoint rule's Q = M v, the root of P(v) - (h/2) ad*_v P(v) = p near v0. */
static mask verlet_midpoint(const struct euler_poincare *at, const real *p, const real *v0,
                            real *Q) {
    const struct newmark_equation equation = {at, p};
    real v[SMALL_MAX];
    for (int k = 0; k < at->n; k++) v[k] = v0[k];
    const mask is_good = small_newton_solve(at->n, &newmark_quadratic, &equation, NULL, NULL, v);
    euler_poincare_momentum(at, v, Q);
    return is_good;
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
    switch (at->space->kind.algebra) {
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

/* `count` steps, or fewer if one has an event. Returns their number. Q is computed ahead of the
 * event functions, because the next step depends on it and not on them. */
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
        if (interval_has_event(interval, first + k, p)) {
            interval_keep_event_start(interval, before);
            return k;
        }
        if (k == count) return count;
        if (!skips_points) verlet_move(at, g, 2, y, first + k);
    }
}

static noe_lane_status lie_verlet_flv(struct noe_interval *interval, long count) {
    const struct euler_poincare at = euler_poincare_view(interval);
    const struct noe_state *from = interval->from, *to = interval->to;
    const bool skips_points = interval->skips_points;
    struct verlet between;
    struct group_accumulator g;
    real p[SMALL_MAX], y[SMALL_MAX], v[SMALL_MAX], scale[SMALL_MAX];
    mask is_good = mask_broadcast(true);
    euler_poincare_scale(&at, 0.5 * at.h, scale);
    REAL_UNROLL for (int i = 0; i < at.n; i++) p[i] = from->p[i];
    euler_poincare_increment(&at, scale, p, y);
    if (!interval->has_previous_step) is_good = verlet_begin(interval, &at);
    verlet_load(&at, interval->scratch, skips_points, &between, &g);
    /* The decision stands outside the loop, so that the group element stays in registers. */
    if (skips_points)
        count = verlet_steps(interval, &at, count, true, scale, &between, &g, p, y);
    else
        count = verlet_steps(interval, &at, count, false, scale, &between, &g, p, y);
    REAL_UNROLL for (int i = 0; i < at.n; i++) {
        to->p[i] = p[i];
        to->p_carry[i] = real_broadcast(0);
    }
    is_good &= euler_poincare_velocity(&at, to->p, v);
    const noe_lane_status outcome = newmark_end(interval, &at, count, v, is_good);
    if (!interval->taken) return outcome;
    verlet_store(&at, interval->scratch, skips_points, &between, &g);
    interval->has_previous_step = true;
    verlet_end_point(interval, &at, &g, y, from->k + count);
    return outcome;
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
    .scratch = verlet_scratch,
    .steps = lie_verlet_flv,
    .drive = lie_verlet_drive,
};
