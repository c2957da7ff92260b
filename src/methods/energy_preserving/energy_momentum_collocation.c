/* Energy-momentum steps by collocation (Simo, Tarnow and Wong, 1992), for H = K(p) + V(q):
 *     R = (X - H_p(p + (1-a) hF), F + H_q(q + a hX), H(q1,p1) - H(q,p)) = 0. */
/* SPDX-License-Identifier: MIT */
#include "methods/energy_preserving/energy_momentum_collocation.h"

#include <string.h>

#include "base/compensated_sum.h"

/* y = (q + c hX, p + d hF). */
REAL_INLINE void collocation_place(const struct noe_interval *interval,
                                   const struct collocation_view *at, const real *u, real c,
                                   real d) {
    for (int i = 0; i < at->n; i++) {
        at->y[i] = interval->from->q[i] + c * (at->h * u[i]);
        at->y[at->n + i] = interval->from->p[i] + d * (at->h * u[at->n + i]);
    }
}

/* Approximates X and F for a given a by fixed-point iteration, which is exact after one iteration
 * for a = 0 and a = 1. Returns H(q1,p1) - H(q,p). */
REAL_INLINE real collocation_try(struct noe_interval *interval, const struct collocation_view *at,
                                 real *u, real a) {
    enum { PASSES = 5 };
    const int n = at->n;
    for (int i = 0; i < 2 * n; i++) u[i] = real_broadcast(0);
    u[2 * n] = a;
    collocation_place(interval, at, u, a, 1 - a);
    const real before = hamiltonian_value(&at->hamiltonian, at->y, NULL);
    for (int pass = 0; pass < PASSES; pass++) {
        collocation_place(interval, at, u, a, 1 - a);
        hamiltonian_value(&at->hamiltonian, at->y, at->g);
        for (int i = 0; i < n; i++) {
            u[i] = at->g[n + i];
            u[n + i] = -at->g[i];
        }
    }
    collocation_place(interval, at, u, real_broadcast(1), real_broadcast(1));
    interval->evaluations += PASSES + 2;
    return hamiltonian_value(&at->hamiltonian, at->y, NULL) - before;
}

/* The energy is nearly a parabola in a, and a has poles along the motion, where the parabola is
 * flat. So a = 1/2 + x with the root x nearest to zero, or the vertex. */
void collocation_initial_guess(struct noe_interval *interval, noe_real *u) {
    const struct collocation_view at = collocation_view(interval);
    const real low = collocation_try(interval, &at, u, real_broadcast(0));
    const real high = collocation_try(interval, &at, u, real_broadcast(1));
    const real middle = collocation_try(interval, &at, u, real_broadcast(0.5));
    const real quadratic_remainder = 2 * (high + low - 2 * middle), slope = high - low;
    const real inside = slope * slope - 4 * quadratic_remainder * middle;
    const real root = noe_sqrt(real_max(inside, real_broadcast(0)));
    const real below = slope + real_select(slope < 0, -root, root);
    const real x = real_select(inside > 0, -2 * middle / below, -slope / (2 * quadratic_remainder));
    const real a = 0.5 + real_select(noe_abs(x) < 1, x, real_broadcast(0));
    collocation_try(interval, &at, u, a);
}

/* True if the step is so short that a has no effect beyond round-off. */
REAL_INLINE mask collocation_is_short(const struct noe_interval *interval,
                                      const struct collocation_view *at, const real *u) {
    real size = {0}, change = {0};
    for (int i = 0; i < at->n; i++) {
        const real q = interval->from->q[i], p = interval->from->p[i];
        const real dq = at->h * u[i], dp = at->h * u[at->n + i];
        size += q * q + p * p;
        change += dq * dq + dp * dp;
    }
    return change <= gradient_tiny * size;
}

REAL_INLINE void collocation_evaluate(struct noe_interval *interval,
                                      const struct collocation_view *at, const real *u, real *r,
                                      bool derivatives) {
    const real a = u[2 * at->n];
    const int n = at->n;
    collocation_place(interval, at, u, real_broadcast(0), real_broadcast(0));
    const real before = hamiltonian_value(&at->hamiltonian, at->y, NULL);
    collocation_place(interval, at, u, real_broadcast(1), real_broadcast(1));
    const real after = hamiltonian_value(&at->hamiltonian, at->y, at->g1);
    collocation_place(interval, at, u, a, 1 - a);
    if (derivatives)
        hamiltonian_field(&at->hamiltonian, at->y, at->g, at->G);
    else
        hamiltonian_value(&at->hamiltonian, at->y, at->g);
    for (int i = 0; i < n; i++) {
        r[i] = u[i] - at->g[n + i];
        r[n + i] = u[n + i] + at->g[i];
    }
    r[2 * n] = real_select(collocation_is_short(interval, at, u), a - 0.5, after - before);
    interval->evaluations += 3;
}

void collocation_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct collocation_view at = collocation_view(interval);
    collocation_evaluate(interval, &at, u, r, false);
}

/* H_p depends on p alone, H_q on q alone. */
void collocation_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                          noe_real *values) {
    const struct collocation_view at = collocation_view(interval);
    const int n = at.n, N = 2 * n, nu = N + 1;
    const real a = u[N], ahead = a * at.h, behind = (1 - a) * at.h;
    collocation_evaluate(interval, &at, u, r, true);
    for (int i = 0; i < nu * nu; i++) values[i] = real_broadcast(0);
    for (int i = 0; i < n; i++) {
        real *moving = values + i * nu, *pushing = values + (n + i) * nu;
        moving[i] = pushing[n + i] = real_broadcast(1);
        for (int j = 0; j < n; j++) {
            const real Hpp = at.G[(n + i) * N + n + j], Hqq = at.G[i * N + j];
            moving[n + j] = -behind * Hpp;
            moving[N] += at.h * Hpp * u[n + j];
            pushing[j] = ahead * Hqq;
            pushing[N] += at.h * Hqq * u[j];
        }
    }
    const mask is_short = collocation_is_short(interval, &at, u);
    for (int j = 0; j < N; j++)
        values[N * nu + j] = real_select(is_short, real_broadcast(0), at.h * at.g1[j]);
    values[N * nu + N] = real_select(is_short, real_broadcast(1), real_broadcast(0));
}

void collocation_update(struct noe_interval *interval, const noe_real *u) {
    const struct collocation_view at = collocation_view(interval);
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    for (int i = 0; i < 2 * at.n; i++) at.y[i] = at.h * u[i];
    compensated_add(at.n, to->q, to->q_carry, from->q, from->q_carry, at.y);
    compensated_add(at.n, to->p, to->p_carry, from->p, from->p_carry, at.y + at.n);
    memcpy(interval->velocity, u, (size_t)at.n * sizeof *u);
}
