/* Discrete gradients that correct the gradient at the midpoint.
 *
 * With m = (y0 + y1)/2, D = y1 - y0 and g = H'(m), dH = g + a d, a = e/(d.D), where e = H(y1) -
 * H(y0) - g.D, for any direction d. Three directions are used.
 *
 * d = D: the midpoint discrete gradient of Gonzalez (1996).
 *
 * d = sum_i w_i c_i S_i m, c_i = m.S_i D, with the quadratic functions y.S_i y/2 = q.Aq/2, q.p and
 * p.A^-1 p/2, where A is the mass matrix if it is constant, else the identity. Linear symmetries
 * that preserve A preserve these functions, whose changes are c_i. Then d and g are orthogonal to
 * the symmetry at m, and its momentum, quadratic in y, is preserved. The weights w = (r, 1, 1/r),
 * where r is the ratio of the sums of p.A^-1 p and of q.Aq over both ends, give all three the same
 * unit.
 *
 * d = (H_q(m), 0): for H = K(p) + V(q) this scales the force, and every linear symmetry of K and V
 * preserves its momentum (Simo, Tarnow and Wong, 1992).
 *
 * Forces are evaluated at the midpoint, f = W - L_q at m. Since L_qq is not known without f_q, the
 * product H'' D in the derivative of e is then a central difference of H'.
 *
 * e is of third order in D. If D, or the angle between d and D, is so small that e is round-off,
 * there is no correction. */
/* SPDX-License-Identifier: MIT */
#include "methods/energy_preserving/discrete_gradient_step.h"

REAL_INLINE real gradient_dot(int N, const real *x, const real *y) {
    real sum = {0};
    for (int i = 0; i < N; i++) sum += x[i] * y[i];
    return sum;
}

REAL_INLINE bool gradient_has_mass(const struct gradient_view *at) {
    return at->hamiltonian.system->traits & NOE_CONSTANT_MASS;
}

/* y = (A x_q, A^-1 x_p). */
REAL_INLINE void gradient_weigh(const struct gradient_view *at, const real *x, real *y) {
    const struct hamiltonian *hamiltonian = &at->hamiltonian;
    const int n = at->N / 2;
    for (int k = 0; k < at->N; k++)
        y[k] = k < n && gradient_has_mass(at) ? real_broadcast(0) : x[k];
    if (!gradient_has_mass(at)) return;
    pattern_add_product(hamiltonian->system, real_broadcast(1), hamiltonian->legendre->blocks, x,
                        y);
    hamiltonian_solve(hamiltonian, y + n);
}

/* Component k of S_i x, where y = (A x_q, A^-1 x_p). */
enum { INVARIANTS = 3 };
REAL_INLINE real gradient_turned(int n, int i, const real *x, const real *y, int k) {
    const bool is_q = k < n;
    if (i == 1) return is_q ? x[n + k] : x[k - n];
    return is_q == (i == 0) ? y[k] : real_broadcast(0);
}

/* c_i = D.S_i m. */
REAL_INLINE real gradient_moved(const struct gradient_view *at, int i) {
    real sum = {0};
    for (int k = 0; k < at->N; k++)
        sum += at->change[k] * gradient_turned(at->N / 2, i, at->m, at->mass_m, k);
    return sum;
}

/* q.Aq and p.A^-1 p at both ends. */
REAL_INLINE void gradient_measure(const struct gradient_view *at) {
    const int n = at->N / 2;
    real *other = at->mass_change; /* here (A q, A^-1 p) of y0 */
    gradient_weigh(at, at->y1, at->mass_y1);
    gradient_weigh(at, at->y0, other);
    for (int i = 0; i < 2; i++)
        at->sizes[i] = gradient_dot(n, at->y1 + i * n, at->mass_y1 + i * n) +
                       gradient_dot(n, at->y0 + i * n, other + i * n);
}

/* w_i; all weights are one if a size is zero. */
REAL_INLINE real gradient_weight(const struct gradient_view *at, int i) {
    const real q = at->sizes[0], p = at->sizes[1];
    const real weight = i == 0 ? p / q : i == 1 ? real_broadcast(1) : q / p;
    return real_select((q > 0) & (p > 0), weight, real_broadcast(1));
}

REAL_INLINE void gradient_direction(const struct gradient_view *at) {
    const int N = at->N, n = N / 2;
    if (at->gradient->kind == GRADIENT_ALONG) {
        for (int k = 0; k < N; k++) at->d[k] = at->change[k];
        return;
    }
    for (int k = 0; k < N; k++) at->d[k] = k < n ? at->g[k] : real_broadcast(0);
    if (at->gradient->kind == GRADIENT_FORCE) return;
    for (int k = 0; k < n; k++) at->d[k] = real_broadcast(0);
    gradient_weigh(at, at->m, at->mass_m);
    gradient_measure(at);
    for (int i = 0; i < INVARIANTS; i++) {
        const real c = gradient_weight(at, i) * gradient_moved(at, i);
        for (int k = 0; k < N; k++) at->d[k] += c * gradient_turned(n, i, at->m, at->mass_m, k);
    }
}

/* K += b S_i. */
REAL_INLINE void gradient_add_invariant(const struct gradient_view *at, int i, real b) {
    const struct noe_system *s = at->hamiltonian.system;
    const bool has_mass = gradient_has_mass(at);
    const int N = at->N, n = N / 2;
    const real *A = at->hamiltonian.legendre->blocks;
    for (int k = 0; i == 1 && k < n; k++) {
        at->K[k * N + n + k] += b;
        at->K[(n + k) * N + k] += b;
    }
    for (int e = 0; i == 0 && has_mass && e < s->nz; e++)
        at->K[(s->row ? s->row[e] : e / n) * N + (s->row ? s->col[e] : e % n)] += b * A[e];
    for (int e = 0; i == 2 && has_mass && e < n * n; e++) {
        const int place = (n + e / n) * N + n + e % n;
        at->K[place] += b * at->G[place]; /* H_pp is A^-1 */
    }
    for (int k = 0; i != 1 && !has_mass && k < n; k++) at->K[(i == 0 ? k : n + k) * (N + 1)] += b;
}

/* Component j of w_i' = sign_i w_i (log r)' with (log r)' = 2 S_2 y1/(p.A^-1 p) - 2 S_0 y1/(q.Aq).
 */
REAL_INLINE real gradient_weight_slope(const struct gradient_view *at, int i, int j) {
    const real q = at->sizes[0], p = at->sizes[1];
    const scalar sign = 1 - i;
    const real slope = j < at->N / 2 ? -at->mass_y1[j] / q : at->mass_y1[j] / p;
    return real_select((q > 0) & (p > 0), 2 * sign * slope, real_broadcast(0));
}

/* K += a dd/dy1 and row += (dd/dy1)^T D, dd/dy1 = sum_i w_i (S_i m (S_i y1)^T + c_i S_i/2) +
 * c_i S_i m w_i'^T. */
REAL_INLINE void gradient_turn_invariants(const struct gradient_view *at, real a) {
    const int N = at->N, n = N / 2;
    gradient_weigh(at, at->change, at->mass_change);
    for (int i = 0; i < INVARIANTS; i++) {
        const real w = gradient_weight(at, i), c = gradient_moved(at, i), half = 0.5 * (w * c);
        gradient_add_invariant(at, i, a * half);
        for (int j = 0; j < N; j++) {
            const real slope = w * (gradient_turned(n, i, at->y1, at->mass_y1, j) +
                                    c * gradient_weight_slope(at, i, j));
            for (int k = 0; k < N; k++)
                at->K[k * N + j] += a * slope * gradient_turned(n, i, at->m, at->mass_m, k);
            at->row[j] += c * slope + half * gradient_turned(n, i, at->change, at->mass_change, j);
        }
    }
}

/* K += a dd/dy1, and row = d(d.D)/dy1. */
REAL_INLINE void gradient_turn(const struct gradient_view *at, real a) {
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
    if (at->gradient->kind == GRADIENT_INVARIANT) gradient_turn_invariants(at, a);
}

/* H'' D by the central difference of H' over a small fraction of D. */
REAL_INLINE void gradient_bend(const struct gradient_view *at) {
    static const scalar part = sizeof(scalar) > 8 ? 1e-9 : 1e-4;
    real *y = at->row;
    for (int side = -1; side <= 1; side += 2) {
        for (int k = 0; k < at->N; k++) y[k] = at->m[k] + side * part * at->change[k];
        hamiltonian_value(&at->hamiltonian, y, at->side);
        for (int k = 0; k < at->N; k++)
            at->bent[k] =
                (side < 0 ? real_broadcast(0) : at->bent[k]) + side / (2 * part) * at->side[k];
    }
}

/* K = dx + d da^T + a dd with da = (de - a d(d.D))/(d.D) and de = H'(y1) - g - H'' D/2. dx is half
 * the derivative of (-W, v), which is H''/2 without forces. */
REAL_INLINE void gradient_derivative(const struct gradient_view *at, real a, real over,
                                     mask is_corrected) {
    const int N = at->N;
    const bool has_forces = hamiltonian_has_forces(&at->hamiltonian);
    for (int i = 0; i < N * N; i++) at->K[i] = 0.5 * at->G[i];
    for (int j = 0; j < N; j++) {
        real sum = at->g1[j] - at->g[j];
        for (int k = 0; k < N && !has_forces; k++) sum -= at->K[k * N + j] * at->change[k];
        at->side[j] = has_forces ? sum - 0.5 * at->bent[j] : sum;
    }
    gradient_turn(at, a);
    for (int j = 0; j < N; j++) {
        const real da =
            real_select(is_corrected, (at->side[j] - a * at->row[j]) * over, real_broadcast(0));
        for (int i = 0; i < N; i++) at->K[i * N + j] += at->d[i] * da;
    }
}

/* True if d is orthogonal to D up to round-off; for invariants, if none of them changes. */
REAL_INLINE mask gradient_is_normal(const struct gradient_view *at, real across, real size) {
    const scalar square = gradient_tiny * gradient_tiny;
    if (at->gradient->kind == GRADIENT_INVARIANT)
        return across <= square * at->sizes[0] * at->sizes[1];
    return across * across <= square * size * gradient_dot(at->N, at->d, at->d);
}

STEP_FOLDED void gradient_corrected(const struct gradient_view *at, bool derivatives) {
    const int N = at->N;
    const struct hamiltonian *hamiltonian = &at->hamiltonian;
    const scalar tiny = gradient_tiny;
    for (int i = 0; i < N; i++) at->m[i] = 0.5 * (at->y0[i] + at->y1[i]);
    const bool has_forces = hamiltonian_has_forces(hamiltonian);
    const real before = hamiltonian_value(hamiltonian, at->y0, NULL);
    const real after = hamiltonian_value(hamiltonian, at->y1, at->g1);
    if (derivatives && has_forces) gradient_bend(at);
    hamiltonian_field(hamiltonian, at->m, at->dH, derivatives ? at->G : NULL);
    for (int i = 0; i < N; i++) at->g[i] = at->dH[i];
    if (has_forces) hamiltonian_value(hamiltonian, at->m, at->g);
    gradient_direction(at);
    const real e = after - before - gradient_dot(N, at->g, at->change);
    const real across = gradient_dot(N, at->d, at->change);
    const int count =
        at->gradient->kind == GRADIENT_FORCE ? N / 2 : N; /* components of D in the range of d */
    const real size = gradient_dot(count, at->change, at->change);
    const mask is_short = size <= tiny * gradient_dot(count, at->m, at->m);
    const mask is_lost = is_short | gradient_is_normal(at, across, size);
    const real over = real_select(is_lost, real_broadcast(0), 1 / across);
    const real a = real_select(is_lost, real_broadcast(0), e * over);
    for (int i = 0; i < N; i++) at->dH[i] += a * at->d[i];
    if (derivatives) gradient_derivative(at, a, over, mask_not(is_lost));
}
