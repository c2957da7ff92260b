/* An element of one group over many steps, on the stack.
 *
 * A rotation is a quaternion q of any norm, with the carry of its sums,
 *     q <- q + (q (c - 1) + carry),    c the quaternion of tau(x), or a multiple of it,
 * so that a step makes one rounding error of size |x| eps along the group and none off it, because
 * R is the rotation of q/|q|. For the Cayley map c = (1, x/2), without square root or division;
 * then |q| grows by sqrt(1 + x.x/4) per step, and powers of two are removed every
 * GROUP_ACCUMULATOR_SCALE steps. Elements of other groups use `advance` of their space. */
/* SPDX-License-Identifier: MIT */
#ifndef SPACES_GROUP_ACCUMULATOR_H
#define SPACES_GROUP_ACCUMULATOR_H

#include "base/compensated_sum.h"
#include "noether.h"
#include "spaces/so3_retraction.h"

enum { GROUP_ACCUMULATOR_SCALE = 16 };

struct group_accumulator {
    real g[NOE_POINT_MAX],
        lost[NOE_TANGENT_MAX]; /* carry of the quaternion of a rotation, else that of `advance` */
};

/* Constant sizes for the compiler: without them lgvi takes a quarter longer in the library. */
REAL_INLINE bool group_accumulator_is_rotation(const struct noe_space *space) {
    if (space->kind.is_rotation && (space->point != 9 || space->tangent != 3))
        __builtin_unreachable();
    return space->kind.is_rotation;
}

/* Copies to and from memory. */
REAL_INLINE void group_accumulator_store(const struct noe_space *space,
                                         const struct group_accumulator *accumulator, real *to) {
    const int point = group_accumulator_is_rotation(space) ? 4 : space->point;
    const int lost = group_accumulator_is_rotation(space) ? 4 : space->tangent;
    REAL_UNROLL for (int i = 0; i < point; i++) to[i] = accumulator->g[i];
    REAL_UNROLL for (int i = 0; i < lost; i++) to[point + i] = accumulator->lost[i];
}

REAL_INLINE void group_accumulator_load(const struct noe_space *space,
                                        struct group_accumulator *accumulator, const real *from) {
    const int point = group_accumulator_is_rotation(space) ? 4 : space->point;
    const int lost = group_accumulator_is_rotation(space) ? 4 : space->tangent;
    REAL_UNROLL for (int i = 0; i < point; i++) accumulator->g[i] = from[i];
    REAL_UNROLL for (int i = 0; i < lost; i++) accumulator->lost[i] = from[point + i];
}

/* The carry of a rotation is a small rotation of space after R. */
REAL_INLINE void group_accumulator_begin(const struct noe_space *space,
                                         struct group_accumulator *accumulator, const real *g,
                                         const real *carry) {
    if (group_accumulator_is_rotation(space)) {
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

/* The group element. */
REAL_INLINE void group_accumulator_point(const struct noe_space *space,
                                         const struct group_accumulator *accumulator, real *g) {
    if (group_accumulator_is_rotation(space)) {
        so3_along_quaternion(g, accumulator->g, 2 / group_accumulator_square(accumulator->g));
        return;
    }
    for (int i = 0; i < space->point; i++) g[i] = accumulator->g[i];
}

/* The group element and its carry. */
REAL_INLINE void group_accumulator_end(const struct noe_space *space,
                                       const struct group_accumulator *accumulator, real *g,
                                       real *carry) {
    group_accumulator_point(space, accumulator, g);
    if (group_accumulator_is_rotation(space)) {
        const real *q = accumulator->g, inverse[4] = {q[0], -q[1], -q[2], -q[3]};
        const real square = group_accumulator_square(q), scale = 2 / square;
        real turn[4];
        so3_quaternion_product(turn, accumulator->lost, inverse);
        for (int i = 0; i < 3; i++) carry[i] = scale * turn[1 + i];
        for (int i = 0; i < 9; i++) g[i] += 0 * square; /* NaN if q has overflowed */
        return;
    }
    for (int i = 0; i < space->tangent; i++) carry[i] = accumulator->lost[i];
}

/* q (c - 1) for a c of any norm. */
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

/* Scales by powers of two, which is exact. GROUP_ACCUMULATOR_SCALE steps of |x| < 1e9 keep |q|
 * below 2^512, and this leaves it below 2^32. */
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
    if (!group_accumulator_is_rotation(space)) {
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
