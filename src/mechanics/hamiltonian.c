/* The Hamiltonian of a system, its derivatives and its forces, by the inverse Legendre transform.
 */
/* SPDX-License-Identifier: MIT */
#include "mechanics/hamiltonian.h"

/* Solves L_v(q,v) = p for v. The result is NaN if there is no solution. */
REAL_INLINE void hamiltonian_velocity(const struct hamiltonian *at, const real *y) {
    const int n = at->n;
    for (int i = 0; i < n; i++) at->v[i] = at->guess[i];
    const noe_lane_status outcome = legendre_velocity(at->legendre, at->t, y, y + n, at->v);
    for (int i = 0; i < n; i++)
        at->v[i] = real_select(outcome == NOE_OK, at->v[i], real_broadcast(NAN));
}

/* x = (-w, v). */
REAL_INLINE void hamiltonian_pair(const struct hamiltonian *at, const real *w, real *x) {
    for (int i = 0; i < at->n; i++) {
        x[i] = -w[i];
        x[at->n + i] = at->v[i];
    }
}

STEP_FOLDED real hamiltonian_value(const struct hamiltonian *at, const real *y, real *g) {
    const int n = at->n;
    hamiltonian_velocity(at, y);
    real sum = -at->system->lagrangian(at->self, at->t, y, at->v);
    for (int i = 0; i < n; i++) sum += y[n + i] * at->v[i];
    if (!g) return sum;
    if (hamiltonian_has_forces(at))
        at->system->gradient(at->self, at->t, y, at->v, at->slope);
    else
        at->system->first(at->self, at->t, y, at->v, at->P, at->W);
    hamiltonian_pair(at, hamiltonian_has_forces(at) ? at->slope : at->W, g);
    return sum;
}

/* column = column j of a block. The sparsity pattern has each entry once. */
REAL_INLINE void hamiltonian_column(const struct hamiltonian *at, const real *block, int j) {
    const struct noe_system *s = at->system;
    for (int i = 0; i < at->n; i++) at->column[i] = real_broadcast(0);
    for (int e = 0; s->row && e < s->nz; e++)
        if (s->col[e] == j) at->column[s->row[e]] = block[e];
    for (int i = 0; !s->row && i < at->n; i++) at->column[i] = block[i * at->n + j];
}

/* With A = L_vv and C = L_vq, dv = A^-1 (dp - C dq). So v_p = A^-1 and v_q = -A^-1 C. The
 * derivative of -W by q is -W_q - W_v v_q, which is H_qq = -L_qq + C^T A^-1 C without forces. Its
 * derivative by p is -W_v A^-1. */
STEP_FOLDED void hamiltonian_field(const struct hamiltonian *at, const real *y, real *x, real *G) {
    const int n = at->n, N = 2 * n;
    const real *A = at->D, *C = at->D + at->nz, *wv = at->D + 2 * at->nz, *wq = wv + at->nz;
    hamiltonian_velocity(at, y);
    if (G)
        at->system->second(at->self, at->t, y, at->v, at->P, at->W, at->D);
    else
        at->system->first(at->self, at->t, y, at->v, at->P, at->W);
    hamiltonian_pair(at, at->W, x);
    if (!G) return;
    if (!(at->system->traits & NOE_CONSTANT_MASS)) linear_factor(&at->legendre->mass, n, A);
    for (int j = 0; j < N; j++) { /* derivatives of v and -W by y_j */
        const bool is_q = j < n;
        if (is_q)
            hamiltonian_column(at, C, j);
        else
            for (int i = 0; i < n; i++) at->column[i] = real_broadcast(i == j - n ? -1 : 0);
        hamiltonian_solve(at, at->column);
        for (int i = 0; i < n; i++) {
            G[(n + i) * N + j] = at->column[i] = -at->column[i];
            at->P[i] = real_broadcast(0);
        }
        pattern_add_product(at->system, real_broadcast(-1), wv, at->column, at->P);
        for (int i = 0; i < n; i++) G[i * N + j] = at->P[i];
        if (!is_q) continue;
        hamiltonian_column(at, wq, j);
        for (int i = 0; i < n; i++) G[i * N + j] -= at->column[i];
    }
}
