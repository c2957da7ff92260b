/* A point of one space that goes many steps, in local numbers.
 *
 * A rotation goes as a quaternion q of any length, with what its sums lost,
 *     q <- q + (q (c - 1) + lost),    c the quaternion of tau(x), or one in its direction,
 * so that a step makes one rounding of size |x| eps along the group and none off it: R is that of
 * q/|q|. For the Cayley map c = (1, x/2), without a root or a division; then q grows by
 * sqrt(1 + x.x/4) a step, and powers of two are taken out every GROUP_ACCUMULATOR_SCALE steps.
 * Other points go by their space's own `advance`. */
/* SPDX-License-Identifier: MIT */
#ifndef SPACES_GROUP_ACCUMULATOR_H
#define SPACES_GROUP_ACCUMULATOR_H

#include "base/compensated_sum.h"
#include "noether.h"
#include "spaces/so3_retraction.h"

enum { GROUP_ACCUMULATOR_SCALE = 16 };

struct group_accumulator {
    real g[NOE_POINT_MAX],
        lost[NOE_TANGENT_MAX]; /* of a rotation q and as many, else of `advance` */
};

/* To and from memory. */
REAL_INLINE void group_accumulator_store(const struct noe_space *space,
                                         const struct group_accumulator *accumulator, real *to) {
    const int point = space->is_rotation ? 4 : space->point;
    const int lost = space->is_rotation ? 4 : space->tangent;
    REAL_UNROLL for (int i = 0; i < point; i++) to[i] = accumulator->g[i];
    REAL_UNROLL for (int i = 0; i < lost; i++) to[point + i] = accumulator->lost[i];
}

REAL_INLINE void group_accumulator_load(const struct noe_space *space,
                                        struct group_accumulator *accumulator, const real *from) {
    const int point = space->is_rotation ? 4 : space->point;
    const int lost = space->is_rotation ? 4 : space->tangent;
    REAL_UNROLL for (int i = 0; i < point; i++) accumulator->g[i] = from[i];
    REAL_UNROLL for (int i = 0; i < lost; i++) accumulator->lost[i] = from[point + i];
}

/* The carry of a rotation is a small turn of space after R. */
REAL_INLINE void group_accumulator_begin(const struct noe_space *space,
                                         struct group_accumulator *accumulator, const real *g,
                                         const real *carry) {
    if (space->is_rotation) {
        const real half[4] = {real_broadcast(0), carry[0] / 2, carry[1] / 2, carry[2] / 2};
        so3_to_quaternion(accumulator->g, g);
        so3_quaternion_product(accumulator->lost, half, accumulator->g);
        return;
    }
    for (int i = 0; i < space->point; i++) accumulator->g[i] = g[i];
    for (int i = 0; i < space->tangent; i++) accumulator->lost[i] = carry[i];
}

REAL_INLINE real group_accumulator_square(const real *q) {
    return (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
}

/* The point. */
REAL_INLINE void group_accumulator_point(const struct noe_space *space,
                                         const struct group_accumulator *accumulator, real *g) {
    if (space->is_rotation) {
        so3_along_quaternion(g, accumulator->g, 2 / group_accumulator_square(accumulator->g));
        return;
    }
    for (int i = 0; i < space->point; i++) g[i] = accumulator->g[i];
}

/* The point and its carry. */
REAL_INLINE void group_accumulator_end(const struct noe_space *space,
                                       const struct group_accumulator *accumulator, real *g,
                                       real *carry) {
    group_accumulator_point(space, accumulator, g);
    if (space->is_rotation) {
        const real *q = accumulator->g, inverse[4] = {q[0], -q[1], -q[2], -q[3]};
        const real square = group_accumulator_square(q), scale = 2 / square;
        real turn[4];
        so3_quaternion_product(turn, accumulator->lost, inverse);
        for (int i = 0; i < 3; i++) carry[i] = scale * turn[1 + i];
        for (int i = 0; i < 9; i++) g[i] += 0 * square; /* not a number where q has overflowed */
        return;
    }
    for (int i = 0; i < space->tangent; i++) carry[i] = accumulator->lost[i];
}

/* q (c - 1), where only the direction of c counts. */
REAL_INLINE void group_accumulator_change(int tau, real *dq, const real *q, const real *x) {
    if (tau == SO3_CAY) {
        const real a = x[0] / 2, b = x[1] / 2, c = x[2] / 2;
        dq[0] = -(q[1] * a + q[2] * b + q[3] * c);
        dq[1] = q[0] * a + (q[2] * c - q[3] * b);
        dq[2] = q[0] * b + (q[3] * a - q[1] * c);
        dq[3] = q[0] * c + (q[1] * b - q[2] * a);
        return;
    }
    real change[4];
    so3_quaternion_change(tau, change, x);
    so3_quaternion_product(dq, q, change);
}

/* Powers of two, so that nothing is rounded: GROUP_ACCUMULATOR_SCALE steps of |x| < 1e9 leave |q|
 * below 2^512, this leaves it below 2^32. */
REAL_INLINE void group_accumulator_rescale(struct group_accumulator *accumulator) {
    static const double large[] = {0x1p512, 0x1p256, 0x1p128, 0x1p64},
                        small[] = {0x1p-256, 0x1p-128, 0x1p-64, 0x1p-32};
    real square = group_accumulator_square(accumulator->g), scale = real_broadcast(1);
    REAL_UNROLL for (int i = 0; i < 4; i++) {
        const real part =
            real_select(square > large[i], real_broadcast(small[i]), real_broadcast(1));
        square *= part * part;
        scale *= part;
    }
    REAL_UNROLL for (int i = 0; i < 4; i++) {
        accumulator->g[i] *= scale;
        accumulator->lost[i] *= scale;
    }
}

/* g <- g tau(x) as the k-th step of a run. */
REAL_INLINE void group_accumulator_retract(const struct noe_space *space, int tau,
                                           struct group_accumulator *accumulator, const real *x,
                                           long k) {
    if (!space->is_rotation) {
        space->advance(1, tau, accumulator->g, accumulator->lost, accumulator->g, accumulator->lost,
                       x);
        return;
    }
    real dq[4];
    if (k % GROUP_ACCUMULATOR_SCALE == 0) group_accumulator_rescale(accumulator);
    group_accumulator_change(tau, dq, accumulator->g, x);
    compensated_add(4, accumulator->g, accumulator->lost, accumulator->g, accumulator->lost, dq);
}

#endif
