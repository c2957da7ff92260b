/* Predictor (warm start) by polynomial extrapolation; the degree is the one with the smallest error
 * in recent steps.
 *
 * With backward differences D^0 u = u_k, D^j u = D^(j-1) u_k - D^(j-1) u_(k-1), the extrapolation
 * of degree d is sum_{j<=d} D^j u_k, and its error at the next step is D^(d+1) u_(k+1). The degree
 * is chosen every few steps, and until all differences are known it is at most one. */
/* SPDX-License-Identifier: MIT */
#include "engine/predictor.h"

/* With many unknowns the memory traffic dominates, so the depth is smaller. A constant depth lets
 * the compiler unroll the loops. */
enum { SMALL_NEWTON_UNKNOWNS = 64, SMALL_DEPTH = 5, CHOICE_EVERY = 8 };
#define WITH_DEPTH(n, call, ...)                                                                   \
    ((n) <= SMALL_NEWTON_UNKNOWNS ? call(PREDICTOR_DEPTH, __VA_ARGS__)                             \
                                  : call(SMALL_DEPTH, __VA_ARGS__))

void predictor_layout(struct predictor *predictor, struct arena *arena, int n) {
    predictor->difference = arena_reals(
        arena, (size_t)n * (n <= SMALL_NEWTON_UNKNOWNS ? PREDICTOR_DEPTH : SMALL_DEPTH));
}

void predictor_reset(struct predictor *predictor, mask where) {
    predictor->known = lane_index_select(where, lane_index_broadcast(0), predictor->known);
    predictor->degree = lane_index_select(where, lane_index_broadcast(0), predictor->degree);
}

void predictor_start(struct predictor *predictor) {
    predictor_reset(predictor, mask_broadcast(true));
    predictor->age = 0;
}

static inline void extrapolate(int depth, const struct predictor *predictor, int n,
                               real *restrict u) {
    const real *restrict d = predictor->difference;
    mask is_used[PREDICTOR_DEPTH];
    for (int j = 1; j < depth; j++) is_used[j] = predictor->degree >= j;
    for (int i = 0; i < n; i++) {
        real sum = d[i]; /* unused differences may hold anything, NaN after a failed step */
        for (int j = 1; j < depth; j++)
            sum += real_select(is_used[j], d[j * n + i], real_broadcast(0));
        u[i] = sum;
    }
}

mask predictor_guess(const struct predictor *predictor, int n, real *u) {
    WITH_DEPTH(n, extrapolate, predictor, n, u);
    return predictor->known > 0;
}

/* Replaces the differences of the prediction by those of u. Computes the largest error of each
 * degree. */
static inline void learn_errors(int depth, struct predictor *predictor, int n, const real *u,
                                real *error) {
    real *restrict d = predictor->difference;
    for (int j = 0; j < depth; j++) error[j] = real_broadcast(0);
    for (int i = 0; i < n; i++) {
        real fresh = u[i];
        for (int j = 0; j < depth; j++) {
            const real old = d[j * n + i];
            d[j * n + i] = fresh;
            fresh -= old;
            error[j] = real_max(noe_abs(fresh), error[j]);
        }
    }
}

/* Replaces the differences without computing errors. */
static inline void learn_root(int depth, struct predictor *predictor, int n, const real *u) {
    real *restrict d = predictor->difference;
    for (int i = 0; i < n; i++) {
        real fresh = u[i];
        for (int j = 0; j < depth; j++) {
            const real old = d[j * n + i];
            d[j * n + i] = fresh;
            fresh -= old;
        }
    }
}

static inline void learn_degree(int depth, struct predictor *predictor, int n, const real *u) {
    real error[PREDICTOR_DEPTH];
    learn_errors(depth, predictor, n, u, error);
    real min = error[0];
    lane_index best = lane_index_broadcast(0);
    for (int j = 1; j < depth; j++) {
        best = lane_index_select(error[j] < min, lane_index_broadcast(j), best);
        min = real_select(error[j] < min, error[j], min);
    }
    predictor->degree = lane_index_select(predictor->known < depth, predictor->degree, best);
}

static inline void learn_step(int depth, struct predictor *predictor, int n, const real *u) {
    const lane_index known = predictor->known;
    const lane_index low =
        lane_index_select(known > 0, lane_index_broadcast(1), lane_index_broadcast(0));
    predictor->degree = lane_index_select(known < depth, low, predictor->degree);
    if (predictor->age == 0)
        learn_degree(depth, predictor, n, u);
    else
        learn_root(depth, predictor, n, u);
    predictor->age = (predictor->age + 1) % CHOICE_EVERY;
    predictor->known = lane_index_select(known < depth, known + 1, known);
}

void predictor_learn(struct predictor *predictor, int n, const real *u) {
    WITH_DEPTH(n, learn_step, predictor, n, u);
}
