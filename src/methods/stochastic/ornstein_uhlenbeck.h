/* A heat bath: what friction and noise do to momenta while the point stands still, exactly.
 *
 * dp = -G v dt + b dB with v = M^-1 p, A = G M^-1 constant. Over a time h, with E = e^(-Ah) and
 * phi = int_0^h e^(-As) ds,
 *
 *     p1 = E p + x,    x = int_0^h e^(-A(h-s)) b dB(s),    <x x^T> = S = int_0^h e^(-As) b b^T
 * e^(-A^T s) ds.
 *
 * Of x the increment dB of the path tells the part c dB, c = phi b/h; the rest does not depend on
 * dB and has the covariance S - h c c^T = r r^T. So x = c dB + r z with normal numbers z: it has
 * the law that it should, and it goes with the path. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_STOCHASTIC_ORNSTEIN_UHLENBECK_H
#define METHODS_STOCHASTIC_ORNSTEIN_UHLENBECK_H

#include "base/real.h"

struct ornstein_uhlenbeck {
    int n, m;          /* momenta, Brownian motions */
    real *A, *b;       /* n x n, n x m */
    real *phi, *F, *S; /* n x n; F = E - 1 */
    real *c, *r;       /* n x m, and n x n, below the diagonal and on it */
    real *x, *y;       /* n x n: scratch */
};

/* How many numbers it needs besides b, and where they stand in `room`. */
static inline size_t ornstein_uhlenbeck_room(int n, int m) {
    return 7 * (size_t)n * (size_t)n + (size_t)n * (size_t)m;
}
static inline struct ornstein_uhlenbeck ornstein_uhlenbeck_carve(int n, int m, real *b,
                                                                 real *room) {
    const size_t square = (size_t)n * (size_t)n;
    struct ornstein_uhlenbeck bath = {.n = n, .m = m, .b = b, .A = room};
    bath.phi = bath.A + square;
    bath.F = bath.phi + square;
    bath.S = bath.F + square;
    bath.r = bath.S + square;
    bath.x = bath.r + square;
    bath.y = bath.x + square;
    bath.c = bath.y + square;
    return bath;
}

/* From A and b: all that a time h does. */
void ornstein_uhlenbeck_integrate(const struct ornstein_uhlenbeck *bath, real h);
/* dp = p1 - p from the increments dB of the path, m numbers, and normal numbers z, n of them. */
void ornstein_uhlenbeck_kick(const struct ornstein_uhlenbeck *bath, const real *p, const real *dB,
                             const real *z, real *dp);

#endif
