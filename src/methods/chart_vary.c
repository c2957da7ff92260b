/* The derivative of a step's end on groups. */
/* SPDX-License-Identifier: MIT */
#include "methods/chart.h"

static void vary_group(const struct chart_piece *piece, int tau, const struct chart_variation *end,
                       const real *dz, real *dz1) {
    const struct noe_space *space = piece->space;
    const int m = piece->size, t = piece->tangent;
    const real *X = end->X + t;
    real A[SMALL_SQUARE], y[SMALL_MAX] = {0}, back[SMALL_MAX];
    space->dtau(tau, A, X);
    small_add_apply(m, m, y, 1, A, end->dX + t);
    for (int i = 0; i < m; i++) {
        back[i] = -X[i];
        dz1[t + i] = y[i];
    }
    space->adjoint(tau, A, back);
    small_add_apply(m, m, dz1 + t, 1, A, dz + t);
    space->coadjoint_change(tau, dz1 + end->n + t, X, end->dB + t);
    for (int i = 0; i < m; i++) dz1[end->n + t + i] += end->dB[t + i];
    space->poisson(A, end->p1 + t);
    small_add_apply(m, m, dz1 + end->n + t, 1, A, y);
}

void chart_vary_end(const struct chart *chart, int tau, const struct chart_variation *end,
                    const real *dz, real *dz1) {
    for (int k = 0; k < chart->npieces; k++) {
        const struct chart_piece *piece = &chart->piece[k];
        const int t = piece->tangent;
        if (piece->space) {
            vary_group(piece, tau, end, dz, dz1);
            continue;
        }
        dz1[t] = dz[t] + end->dX[t];
        dz1[end->n + t] = end->dB[t];
    }
}
