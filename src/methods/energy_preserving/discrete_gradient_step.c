/* Discrete gradient methods (Gonzalez, 1996; McLachlan, Quispel and Robidoux, 1999).
 *
 * With y = (q,p) and a discrete gradient, dH(y,y1).(y1 - y) = H(y1) - H(y), the step (y1 - y)/h = J
 * dH(y,y1) preserves H because J is skew. The unknowns are u = (y1 - y)/h = (X, F): R = (X - dH_p,
 * F + dH_q - f) = 0, where f is the force of the step. Then H(y1) - H(y) = h f.X for every f. */
/* SPDX-License-Identifier: MIT */
#include "methods/energy_preserving/discrete_gradient_step.h"

#include <string.h>

#include "base/compensated_sum.h"

/* Velocity and force at the start. */
void gradient_initial_guess(struct noe_interval *interval, noe_real *u) {
    const struct gradient_view at = gradient_view(interval);
    const int n = at.N / 2;
    at.hamiltonian.system->first(at.hamiltonian.self, interval->t, interval->from->q,
                                 interval->velocity, at.hamiltonian.P, u + n);
    memcpy(u, interval->velocity, (size_t)n * sizeof *u);
    interval->evaluations++;
}

/* Sets both ends, with y1 = y0 + hu. */
REAL_INLINE void gradient_ends(const struct noe_interval *interval, const struct gradient_view *at,
                               const real *u) {
    const int n = at->N / 2;
    for (int i = 0; i < n; i++) {
        at->y0[i] = interval->from->q[i];
        at->y0[n + i] = interval->from->p[i];
    }
    for (int i = 0; i < at->N; i++) {
        at->change[i] = at->h * u[i];
        at->y1[i] = at->y0[i] + at->change[i];
    }
}

REAL_INLINE void gradient_evaluate(struct noe_interval *interval, const struct gradient_view *at,
                                   const real *u, bool derivatives) {
    const bool has_edges = at->gradient->kind == GRADIENT_EDGES;
    gradient_ends(interval, at, u);
    if (has_edges)
        gradient_edges(at, derivatives, false);
    else
        gradient_corrected(at, derivatives);
    interval->evaluations += has_edges ? at->N * at->gradient->points : 3;
}

REAL_INLINE void gradient_assemble(const struct gradient_view *at, const real *u, real *r) {
    const int n = at->N / 2;
    for (int i = 0; i < n; i++) {
        r[i] = u[i] - at->dH[n + i];
        r[n + i] = u[n + i] + at->dH[i]; /* dH contains -f */
    }
}

void gradient_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct gradient_view at = gradient_view(interval);
    gradient_evaluate(interval, &at, u, false);
    gradient_assemble(&at, u, r);
}

/* dR/du = 1 - h J K. */
void gradient_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                       noe_real *values) {
    const struct gradient_view at = gradient_view(interval);
    const int N = at.N, n = N / 2;
    gradient_evaluate(interval, &at, u, true);
    gradient_assemble(&at, u, r);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < N; j++) {
            values[i * N + j] = (scalar)(i == j) - at.h * at.K[(n + i) * N + j];
            values[(n + i) * N + j] = (scalar)(n + i == j) + at.h * at.K[i * N + j];
        }
}

void gradient_update(struct noe_interval *interval, const noe_real *u) {
    const struct gradient_view at = gradient_view(interval);
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    const int n = at.N / 2;
    for (int i = 0; i < at.N; i++) at.change[i] = at.h * u[i];
    compensated_add(n, to->q, to->q_carry, from->q, from->q_carry, at.change);
    compensated_add(n, to->p, to->p_carry, from->p, from->p_carry, at.change + n);
    memcpy(interval->velocity, u, (size_t)n * sizeof *u);
}
