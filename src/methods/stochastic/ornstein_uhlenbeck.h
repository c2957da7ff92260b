/* The Ornstein-Uhlenbeck process of a heat bath: exact flow of friction and noise at a fixed
 * configuration.
 *
 * dp = -G v dt + b dB with v = M^-1 p, A = G M^-1 constant. Over a time h, with E = e^(-Ah) and phi
 * = int_0^h e^(-As) ds,
 *
 *     p1 = E p + x,    x = int_0^h e^(-A(h-s)) b dB(s),
 *     <x x^T> = S = int_0^h e^(-As) b b^T e^(-A^T s) ds.
 *
 * The conditional mean of x given the increment dB of the path is c dB with c = phi b/h. The rest
 * is independent of dB and has the covariance S - h c c^T = r r^T. So x = c dB + r z with standard
 * normal z has the right law and follows the path. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_STOCHASTIC_ORNSTEIN_UHLENBECK_H
#define METHODS_STOCHASTIC_ORNSTEIN_UHLENBECK_H

#include "base/real.h"

struct ornstein_uhlenbeck {
    int n, m;          /* number of momenta and of Brownian motions */
    real *A, *b;       /* n x n, n x m */
    real *phi, *F, *S; /* n x n; F = E - 1 */
    real *c, *r;       /* n x m, and n x n lower triangular */
    real *x, *y;       /* n x n workspace */
};

/* Number of reals besides b, and their layout in `room`. */
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

/* Computes the flow over the time h from A and b. */
void ornstein_uhlenbeck_integrate(const struct ornstein_uhlenbeck *bath, real h);
/* dp = p1 - p from the m increments dB of the path and n standard normal numbers z. */
void ornstein_uhlenbeck_kick(const struct ornstein_uhlenbeck *bath, const real *p, const real *dB,
                             const real *z, real *dp);

#endif
