/* Tangent map of the end of a step on Lie groups. */
/* SPDX-License-Identifier: MIT */
#include "mechanics/lie_product.h"

void lie_product_point_tangent(const struct lie_product *lie_product, int tau, const real *X,
                               const real *dX, const real *s0, real *s1) {
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        const int n = piece->size, t = piece->tangent;
        real A[SMALL_SQUARE], s[SMALL_MAX] = {0};
        if (!piece->space) {
            s1[t] = s0[t] + dX[t];
            continue;
        }
        lie_factor_adjoint_back(piece, tau, X + t, A);
        small_add_apply(n, n, s, 1, A, s0 + t);
        piece->space->maps.dtau(tau, A, X + t);
        small_add_apply(n, n, s, 1, A, dX + t);
        for (int i = 0; i < n; i++) s1[t + i] = s[i];
    }
}

static void vary_momentum(const struct lie_factor *piece, int tau,
                          const struct lie_product_variation *end, real *dp1) {
    const struct noe_space *space = piece->space;
    const int n = piece->size, t = piece->tangent;
    real A[SMALL_SQUARE], s[SMALL_MAX] = {0};
    space->maps.dtau(tau, A, end->X + t);
    small_add_apply(n, n, s, 1, A, end->dX + t);
    space->maps.coadjoint_change(tau, dp1, end->X + t, end->dB + t);
    for (int i = 0; i < n; i++) dp1[i] += end->dB[t + i];
    space->maps.poisson(A, end->p1 + t);
    small_add_apply(n, n, dp1, 1, A, s);
}

void lie_product_end_tangent(const struct lie_product *lie_product, int tau,
                             const struct lie_product_variation *end, const real *dz, real *dz1) {
    lie_product_point_tangent(lie_product, tau, end->X, end->dX, dz, dz1);
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        real *dp1 = dz1 + end->n + piece->tangent;
        if (piece->space)
            vary_momentum(piece, tau, end, dp1);
        else
            *dp1 = end->dB[piece->tangent];
    }
}
