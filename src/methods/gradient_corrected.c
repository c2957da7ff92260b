/* Discrete gradients that correct the gradient in the middle.
 *
 * With m = (y0 + y1)/2, D = y1 - y0 and g = H'(m),
 *     dH = g + a d,    a = e/(d.D),    e = H(y1) - H(y0) - g.D,
 * for any direction d:
 *     d = D: Gonzalez (1996);
 *     d = sum_i c_i S_i m, c_i = m.S_i D, with the quadratic functions y.S_i y/2 = q.q/2, q.p,
 * p.p/2 that every orthogonal symmetry keeps, c_i being their changes: then d and g are orthogonal
 * to the symmetry at m, and its momentum, quadratic in y, is kept; d = (H_q(m), 0): where H = K(p)
 * + V(q) this scales the force, and every linear symmetry of K and V keeps its momentum (Simo,
 * Tarnow and Wong, 1992). e is of third order in D: where D or the angle between d and D is so
 * small that e is round-off there is no correction. */
/* SPDX-License-Identifier: MIT */
#include "methods/gradient.h"

STEP_INLINE real gradient_dot(int N, const real *x, const real *y) {
    real sum = {0};
    for (int i = 0; i < N; i++) sum += x[i] * y[i];
    return sum;
}

/* x -> S_i x. */
enum { INVARIANTS = 3 };
STEP_INLINE real gradient_turned(int n, int i, const real *x, int k) {
    const bool is_q = k < n;
    if (i == 1) return is_q ? x[n + k] : x[k - n];
    return is_q == (i == 0) ? x[k] : real_of(0);
}

/* c_i = m.S_i D. */
STEP_INLINE real gradient_moved(const struct gradient_view *at, int i) {
    real sum = {0};
    for (int k = 0; k < at->N; k++) sum += at->m[k] * gradient_turned(at->N / 2, i, at->change, k);
    return sum;
}

STEP_INLINE void gradient_direction(const struct gradient_view *at) {
    const int N = at->N, n = N / 2;
    if (at->gradient->kind == GRADIENT_ALONG) {
        for (int k = 0; k < N; k++) at->d[k] = at->change[k];
        return;
    }
    for (int k = 0; k < N; k++) at->d[k] = k < n ? at->g[k] : real_of(0);
    if (at->gradient->kind == GRADIENT_FORCE) return;
    for (int k = 0; k < n; k++) at->d[k] = real_of(0);
    for (int i = 0; i < INVARIANTS; i++) {
        const real c = gradient_moved(at, i);
        for (int k = 0; k < N; k++) at->d[k] += c * gradient_turned(n, i, at->m, k);
    }
}

/* K += a dd/dy1, and row = d(d.D)/dy1. */
STEP_INLINE void gradient_turn(const struct gradient_view *at, real a) {
    const int N = at->N, n = N / 2;
    for (int k = 0; k < N; k++) at->row[k] = at->d[k]; /* d(d.D) = d + (dd/dy1)^T D */
    for (int k = 0; at->gradient->kind == GRADIENT_ALONG && k < N; k++) {
        at->K[k * N + k] += a;
        at->row[k] += at->change[k];
    }
    for (int k = 0; at->gradient->kind == GRADIENT_FORCE && k < n; k++)
        for (int j = 0; j < N; j++) {
            at->K[k * N + j] += 0.5 * a * at->G[k * N + j];
            at->row[j] += 0.5 * at->change[k] * at->G[k * N + j];
        }
    if (at->gradient->kind != GRADIENT_INVARIANT) return;
    for (int i = 0; i < INVARIANTS; i++) { /* dd = S_i m (S_i y1)^T + c_i S_i/2 */
        const real c = gradient_moved(at, i), half = 0.5 * c;
        for (int k = 0; k < N; k++) {
            const real turned = gradient_turned(n, i, at->m, k);
            for (int j = 0; j < N; j++)
                at->K[k * N + j] += a * turned * gradient_turned(n, i, at->y1, j);
            at->row[k] +=
                c * gradient_turned(n, i, at->y1, k) + half * gradient_turned(n, i, at->change, k);
        }
        for (int k = 0; k < n; k++) {
            if (i != 2) at->K[(i == 1 ? n + k : k) * N + k] += a * half;
            if (i != 0) at->K[(i == 1 ? k : n + k) * N + n + k] += a * half;
        }
    }
}

/* K = dg + d da^T + a dd with da = (de - a d(d.D))/(d.D), de = H'(y1) - g - (dg)^T D, dg = H''/2.
 */
STEP_INLINE void gradient_derivative(const struct gradient_view *at, real a, real over,
                                     truth is_corrected) {
    const int N = at->N;
    for (int i = 0; i < N * N; i++) at->K[i] = 0.5 * at->G[i];
    for (int j = 0; j < N; j++) {
        real sum = at->g1[j] - at->g[j];
        for (int k = 0; k < N; k++) sum -= at->K[k * N + j] * at->change[k];
        at->side[j] = sum;
    }
    gradient_turn(at, a);
    for (int j = 0; j < N; j++) {
        const real da =
            real_select(is_corrected, (at->side[j] - a * at->row[j]) * over, real_of(0));
        for (int i = 0; i < N; i++) at->K[i * N + j] += at->d[i] * da;
    }
}

void gradient_corrected(const struct gradient_view *at, bool derivatives) {
    const int N = at->N;
    const struct hamiltonian *hamiltonian = &at->hamiltonian;
    const scalar tiny = gradient_tiny;
    for (int i = 0; i < N; i++) at->m[i] = 0.5 * (at->y0[i] + at->y1[i]);
    const real before = hamiltonian_value(hamiltonian, at->y0, NULL);
    const real after = hamiltonian_value(hamiltonian, at->y1, at->g1);
    if (derivatives)
        hamiltonian_second(hamiltonian, at->m, at->g, at->G);
    else
        hamiltonian_value(hamiltonian, at->m, at->g);
    gradient_direction(at);
    const real e = after - before - gradient_dot(N, at->g, at->change);
    const real across = gradient_dot(N, at->d, at->change);
    const int count = at->gradient->kind == GRADIENT_FORCE ? N / 2 : N; /* what d can see of D */
    const real size = gradient_dot(count, at->change, at->change);
    const truth is_short = size <= tiny * gradient_dot(count, at->m, at->m);
    const truth is_normal = across * across <= tiny * tiny * size * gradient_dot(N, at->d, at->d);
    const truth is_lost = is_short | is_normal;
    const real over = real_select(is_lost, real_of(0), 1 / across);
    const real a = real_select(is_lost, real_of(0), e * over);
    for (int i = 0; i < N; i++) at->dH[i] = at->g[i] + a * at->d[i];
    if (derivatives) gradient_derivative(at, a, over, truth_not(is_lost));
}
