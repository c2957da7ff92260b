/* Polynomial extrapolation with the degree that would have been best last time.
 *
 * With backward differences D^0 u = u_k, D^j u = D^(j-1) u_k - D^(j-1) u_(k-1), the extrapolation
 * of degree d is sum_{j<=d} D^j u_k, and its error at the next step is D^(d+1) u_(k+1). */
/* SPDX-License-Identifier: MIT */
#include "engine/predictor.h"

void predictor_layout(struct predictor *predictor, struct arena *arena, int n) {
    predictor->n = n;
    predictor->difference = arena_reals(arena, (size_t)n * PREDICTOR_DEPTH);
}

void predictor_reset(struct predictor *predictor) { predictor->known = predictor->degree = 0; }

bool predictor_guess(const struct predictor *predictor, real *u) {
    if (!predictor->known) return false;
    const real *d = predictor->difference;
    for (int i = 0; i < predictor->n; i++, d += PREDICTOR_DEPTH) {
        real sum = d[0];
        for (int j = 1; j <= predictor->degree; j++) sum += d[j];
        u[i] = sum;
    }
    return true;
}

void predictor_learn(struct predictor *predictor, const real *u) {
    real error[PREDICTOR_DEPTH] = {0}; /* error[j]: what degree j would have missed */
    real *d = predictor->difference;
    const int known = predictor->known;
    for (int i = 0; i < predictor->n; i++, d += PREDICTOR_DEPTH) {
        real fresh = u[i];
        for (int j = 0; j < known; j++) {
            const real old = d[j];
            d[j] = fresh;
            fresh -= old;
            const real size = noe_abs(fresh);
            error[j] = size > error[j] ? size : error[j];
        }
        if (known < PREDICTOR_DEPTH) d[known] = fresh;
    }
    predictor->degree = 0;
    for (int j = 1; j < known; j++)
        if (error[j] < error[predictor->degree]) predictor->degree = j;
    if (known < PREDICTOR_DEPTH) predictor->known++;
}
