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

void predictor_reset(struct predictor *predictor, truth where) {
    predictor->known = lane_int_select(where, lane_int_of(0), predictor->known);
}

truth predictor_guess(const struct predictor *predictor, real *u) {
    const real *d = predictor->difference;
    real used[PREDICTOR_DEPTH];
    for (int j = 1; j < PREDICTOR_DEPTH; j++)
        used[j] = real_select(predictor->degree >= j, real_of(1), real_of(0));
    for (int i = 0; i < predictor->n; i++, d += PREDICTOR_DEPTH) {
        real sum = d[0];
        for (int j = 1; j < PREDICTOR_DEPTH; j++) sum += used[j] * d[j];
        u[i] = sum;
    }
    return predictor->known > 0;
}

void predictor_learn(struct predictor *predictor, const real *u) {
    real error[PREDICTOR_DEPTH]; /* error[j]: what degree j would have missed */
    for (int j = 0; j < PREDICTOR_DEPTH; j++) error[j] = real_of(0);
    real *d = predictor->difference;
    for (int i = 0; i < predictor->n; i++, d += PREDICTOR_DEPTH) {
        real fresh = u[i];
        for (int j = 0; j < PREDICTOR_DEPTH; j++) {
            const real old = d[j];
            d[j] = fresh;
            fresh -= old;
            error[j] = real_larger(noe_abs(fresh), error[j]);
        }
    }
    real least = error[0];
    predictor->degree = lane_int_of(0);
    for (int j = 1; j < PREDICTOR_DEPTH; j++) {
        const truth is_better = (predictor->known > j) & (error[j] < least);
        least = real_select(is_better, error[j], least);
        predictor->degree = lane_int_select(is_better, lane_int_of(j), predictor->degree);
    }
    predictor->known =
        lane_int_select(predictor->known < PREDICTOR_DEPTH, predictor->known + 1, predictor->known);
}
