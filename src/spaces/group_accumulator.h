/* A point of one space that goes many steps, in local numbers.
 *
 * A rotation goes as a quaternion q of any length, with what its sums lost,
 *     q <- q + (q (c - 1) + lost),    c the quaternion of tau(x), or one in its direction,
 * so that a step makes one rounding of size |x| eps along the group and none off it: R is that of
 * q/|q|. For the Cayley map c = (1, x/2), without a root or a division; then q grows by
 * sqrt(1 + x.x/4) a step, and powers of two are taken out every WALK_SCALE steps. Other points go
 * by their space's own `advance`. */
/* SPDX-License-Identifier: MIT */
#ifndef SPACES_WALK_H
#define SPACES_WALK_H

#include "base/compensated_sum.h"
#include "noether.h"
#include "spaces/so3_retraction.h"

enum { WALK_SCALE = 16, WALK_POINT = 12, WALK_LOST = 6 };

struct walk {
    real g[WALK_POINT], lost[WALK_LOST]; /* of a rotation q and as many; else as in `advance` */
};

REAL_INLINE bool walk_is_rotation(const struct noe_space *space) { return space->point == 9; }

/* To and from memory, WALK_POINT + WALK_LOST numbers at most. */
REAL_INLINE void walk_store(const struct noe_space *space, const struct walk *walk, real *to) {
    const bool is_rotation = walk_is_rotation(space);
    const int point = is_rotation ? 4 : space->point, lost = is_rotation ? 4 : space->tangent;
    REAL_UNROLL for (int i = 0; i < point; i++) to[i] = walk->g[i];
    REAL_UNROLL for (int i = 0; i < lost; i++) to[point + i] = walk->lost[i];
}

REAL_INLINE void walk_load(const struct noe_space *space, struct walk *walk, const real *from) {
    const bool is_rotation = walk_is_rotation(space);
    const int point = is_rotation ? 4 : space->point, lost = is_rotation ? 4 : space->tangent;
    REAL_UNROLL for (int i = 0; i < point; i++) walk->g[i] = from[i];
    REAL_UNROLL for (int i = 0; i < lost; i++) walk->lost[i] = from[point + i];
}

/* The carry of a rotation is a small turn of space after R. */
REAL_INLINE void walk_begin(const struct noe_space *space, struct walk *walk, const real *g,
                            const real *carry) {
    if (walk_is_rotation(space)) {
        const real half[4] = {real_of(0), carry[0] / 2, carry[1] / 2, carry[2] / 2};
        rotation_to_quaternion(walk->g, g);
        rotation_quaternion_product(walk->lost, half, walk->g);
        return;
    }
    for (int i = 0; i < space->point; i++) walk->g[i] = g[i];
    for (int i = 0; i < space->tangent; i++) walk->lost[i] = carry[i];
}

REAL_INLINE real walk_square(const real *q) {
    return (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
}

/* The point. */
REAL_INLINE void walk_point(const struct noe_space *space, const struct walk *walk, real *g) {
    if (walk_is_rotation(space)) {
        rotation_along_quaternion(g, walk->g, 2 / walk_square(walk->g));
        return;
    }
    for (int i = 0; i < space->point; i++) g[i] = walk->g[i];
}

/* The point and its carry. */
REAL_INLINE void walk_end(const struct noe_space *space, const struct walk *walk, real *g,
                          real *carry) {
    walk_point(space, walk, g);
    if (walk_is_rotation(space)) {
        const real *q = walk->g, inverse[4] = {q[0], -q[1], -q[2], -q[3]};
        const real square = walk_square(q), scale = 2 / square;
        real turn[4];
        rotation_quaternion_product(turn, walk->lost, inverse);
        for (int i = 0; i < 3; i++) carry[i] = scale * turn[1 + i];
        for (int i = 0; i < 9; i++) g[i] += 0 * square; /* not a number where q has overflowed */
        return;
    }
    for (int i = 0; i < space->tangent; i++) carry[i] = walk->lost[i];
}

/* q (c - 1), where only the direction of c counts. */
REAL_INLINE void walk_change(int tau, real *dq, const real *q, const real *x) {
    if (tau == ROTATION_CAY) {
        const real a = x[0] / 2, b = x[1] / 2, c = x[2] / 2;
        dq[0] = -(q[1] * a + q[2] * b + q[3] * c);
        dq[1] = q[0] * a + (q[2] * c - q[3] * b);
        dq[2] = q[0] * b + (q[3] * a - q[1] * c);
        dq[3] = q[0] * c + (q[1] * b - q[2] * a);
        return;
    }
    real change[4];
    rotation_quaternion_change(tau, change, x);
    rotation_quaternion_product(dq, q, change);
}

/* Powers of two, so that nothing is rounded: WALK_SCALE steps of |x| < 1e9 leave |q| below 2^512,
 * this leaves it below 2^32. */
REAL_INLINE void walk_rescale(struct walk *walk) {
    static const double large[] = {0x1p512, 0x1p256, 0x1p128, 0x1p64},
                        small[] = {0x1p-256, 0x1p-128, 0x1p-64, 0x1p-32};
    real square = walk_square(walk->g), scale = real_of(1);
    REAL_UNROLL for (int i = 0; i < 4; i++) {
        const real part = real_select(square > large[i], real_of(small[i]), real_of(1));
        square *= part * part;
        scale *= part;
    }
    REAL_UNROLL for (int i = 0; i < 4; i++) {
        walk->g[i] *= scale;
        walk->lost[i] *= scale;
    }
}

/* g <- g tau(x) as the k-th step of a run. */
REAL_INLINE void walk_turn(const struct noe_space *space, int tau, struct walk *walk, const real *x,
                           long k) {
    if (!walk_is_rotation(space)) {
        space->advance(1, tau, walk->g, walk->lost, walk->g, walk->lost, x);
        return;
    }
    real dq[4];
    if (k % WALK_SCALE == 0) walk_rescale(walk);
    walk_change(tau, dq, walk->g, x);
    sum_add(4, walk->g, walk->lost, walk->g, walk->lost, dq);
}

#endif
