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

#include "base/scratch.h"

struct ornstein_uhlenbeck {
    int n, m;          /* number of momenta and of Brownian motions */
    real *A, *b;       /* n x n, n x m */
    real *phi, *F, *S; /* n x n; F = E - 1 */
    real *c, *r;       /* n x m, and n x n lower triangular */
    real *x, *y;       /* n x n workspace */
};

/* Layout of the arrays other than b. */
SCRATCH_INLINE struct ornstein_uhlenbeck ornstein_uhlenbeck_layout(struct scratch *scratch, int n,
                                                                   int m) {
    const size_t square = (size_t)n * (size_t)n;
    struct ornstein_uhlenbeck bath = {.n = n, .m = m, .A = scratch_reals(scratch, square)};
    bath.phi = scratch_reals(scratch, square);
    bath.F = scratch_reals(scratch, square);
    bath.S = scratch_reals(scratch, square);
    bath.r = scratch_reals(scratch, square);
    bath.x = scratch_reals(scratch, square);
    bath.y = scratch_reals(scratch, square);
    bath.c = scratch_reals(scratch, (size_t)n * (size_t)m);
    return bath;
}

/* Computes the flow over the time h from A and b. */
void ornstein_uhlenbeck_integrate(const struct ornstein_uhlenbeck *bath, real h);
/* dp = p1 - p from the m increments dB of the path and n standard normal numbers z. */
void ornstein_uhlenbeck_kick(const struct ornstein_uhlenbeck *bath, const real *p, const real *dB,
                             const real *z, real *dp);

#endif
