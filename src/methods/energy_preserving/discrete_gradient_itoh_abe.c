/* The discrete gradient of Itoh and Abe (1988) on the edges of the box between the ends.
 *
 * dH_i is the difference quotient of H in component i of y, with the components before it at the
 * end and those after it at the start. Their sum telescopes to H(y1) - H(y0). It is computed as the
 * mean of H_i along the edge by Gauss quadrature, which has no cancellation on short edges. A force
 * is averaged along the same edges, f_i on edge i, and has the power sum_i f_i X_i. */
/* SPDX-License-Identifier: MIT */
#include "methods/energy_preserving/discrete_gradient_step.h"

/* Adds the contribution of the point at the fraction c of edge i with weight b, and its derivatives
 * by y1 or by y0. */
REAL_INLINE void gradient_edge_point(const struct gradient_view *at, int i, scalar c, scalar b,
                                     bool derivatives, bool at_start) {
    const int N = at->N;
    for (int k = 0; k < N; k++) at->m[k] = k < i ? at->y1[k] : at->y0[k];
    at->m[i] += c * at->change[i];
    if (!derivatives) {
        hamiltonian_field(&at->hamiltonian, at->m, at->g, NULL);
        at->dH[i] += b * at->g[i];
        return;
    }
    hamiltonian_field(&at->hamiltonian, at->m, at->g, at->G);
    at->dH[i] += b * at->g[i];
    for (int j = 0; j < N; j++) {
        const scalar end = j < i ? 1 : j == i ? c : 0;
        at->K[i * N + j] += b * (at_start ? 1 - end : end) * at->G[i * N + j];
    }
}

void gradient_edges(const struct gradient_view *at, bool derivatives, bool at_start) {
    const struct gradient *gradient = at->gradient;
    for (int i = 0; derivatives && i < at->N * at->N; i++) at->K[i] = real_broadcast(0);
    for (int i = 0; i < at->N; i++) {
        at->dH[i] = real_broadcast(0);
        for (int k = 0; k < gradient->points; k++)
            gradient_edge_point(at, i, gradient->c[k], gradient->b[k], derivatives, at_start);
    }
}
