/* Lagrange multipliers of a state of a constrained system.
 *
 * Along a motion psi = 0, so psi_v v' + psi_q v + psi_t = 0, where p_v v' = F + w_lambda lambda, F
 * = L_q + f + ad*_v p - p_q v - p_t and w_lambda = psi_v^T with a sign. Accelerations and
 * multipliers solve one sparse linear system (a saddle-point system). */
/* SPDX-License-Identifier: MIT */
#include "mechanics/multipliers.h"

#include "mechanics/block_product.h"
#include "mechanics/lie_product.h"

/* x -= p_t by a finite difference of order six, because L may depend on time in any way. */
static void multipliers_subtract_rate(const struct noe_interval *interval, real t, const real *q) {
    const struct multipliers *to = interval->multipliers;
    const struct noe_system *system = interval_problem(interval)->system;
    const struct noe_system *self = interval->problem->system;
    const scalar weight[3] = {(scalar)3 / 4, -(scalar)3 / 20, (scalar)1 / 60};
    const real e = 0.1 * interval->h;
    if (system->traits & NOE_AUTONOMOUS) return;
    for (int i = 0; i < 6; i++) {
        const scalar side = i % 2 ? -1 : 1;
        system->first(self, t + side * (i / 2 + 1) * e, q, to->v, to->P, to->W);
        for (int k = 0; k < system->n; k++) to->x[k] -= side * weight[i / 2] / e * to->P[k];
    }
}

/* The right-hand side: F and -(psi_q v + psi_t). */
static void multipliers_force(const struct noe_interval *interval, real t, const real *q) {
    const struct noe_problem *problem = interval_problem(interval);
    const struct noe_system *system = problem->system;
    const struct multipliers *to = interval->multipliers;
    const int n = system->n, m = constraint_count(system);
    const real *psi_t = to->c + system->nholonomic + m, *psi_q = to->d + system->nzc;
    for (int k = 0; k < n; k++) to->x[k] = to->W[k];
    for (int a = 0; a < m; a++) to->x[n + a] = -psi_t[a];
    if (problem->internals->lie_product)
        lie_product_add_bracket(problem->internals->lie_product, to->v, to->P, to->x);
    pattern_add_product(system, real_broadcast(-1), to->D + system->nz, to->v, to->x);
    for (int e = 0; e < system->nzc; e++)
        to->x[n + constraint_row(system, e)] -= psi_q[e] * to->v[constraint_col(system, e)];
    multipliers_subtract_rate(interval, t, q);
}

/* Factorises the matrix of p_v and psi_v in the columns, with the given psi_v in the rows. */
static mask multipliers_factor(const struct noe_interval *interval, const real *rows) {
    const struct noe_system *system = interval_problem(interval)->system;
    struct multipliers *to = interval->multipliers;
    const int nz = system->nz, nzc = system->nzc;
    for (int e = 0; e < nz; e++) to->values[e] = to->D[e];
    for (int e = 0; e < nzc; e++) {
        to->values[nz + e] = rows[e];
        to->values[nz + nzc + e] = -constraint_sign(system, constraint_row(system, e)) * to->d[e];
    }
    return linear_factor(&to->linear, system->n + constraint_count(system), to->values);
}

mask multipliers_demanded(const struct noe_interval *interval, real t, const real *q, const real *v,
                          real *lambda) {
    const struct noe_system *system = interval_problem(interval)->system;
    const struct noe_system *self = interval->problem->system;
    struct multipliers *to = interval->multipliers;
    const int n = system->n, m = constraint_count(system);
    for (int k = 0; k < n; k++) to->v[k] = v[k];
    system->second(self, t, q, to->v, to->P, to->W, to->D);
    system->constraints_second(self, t, q, to->v, to->c, to->d);
    multipliers_force(interval, t, q);
    const mask is_regular = multipliers_factor(interval, to->d);
    if (!mask_any(is_regular)) return is_regular;
    linear_solve(&to->linear, n + m, to->x);
    for (int a = 0; a < m; a++) lambda[a] = to->x[n + a];
    return is_regular;
}

/* One Newton correction (dv, mu) of p_v dv + psi_v^T mu = p - L_v, psi_v dv = -psi, where mu has
 * the sign of a constraint force of holonomic constraints. */
static mask multipliers_correct(const struct noe_interval *interval, real t, const real *q,
                                const real *p) {
    const struct noe_system *system = interval_problem(interval)->system;
    const struct noe_system *self = interval->problem->system;
    struct multipliers *to = interval->multipliers;
    const int n = system->n, m = constraint_count(system);
    system->second(self, t, q, to->v, to->P, to->W, to->D);
    system->constraints_second(self, t, q, to->v, to->c, to->d);
    for (int k = 0; k < n; k++) to->x[k] = p[k] - to->P[k];
    for (int a = 0; a < m; a++) to->x[n + a] = -to->c[system->nholonomic + a];
    const mask is_regular = multipliers_factor(interval, to->d);
    if (mask_any(is_regular)) linear_solve(&to->linear, n + m, to->x);
    return is_regular;
}

/* Two corrections are exact to round-off where L_v and psi are affine in v. */
mask multipliers_project(const struct noe_interval *interval, real t, const real *q, const real *p,
                         real *v, real *mu) {
    enum { CORRECTIONS_MAX = 40 };
    const struct noe_system *system = interval_problem(interval)->system;
    const struct multipliers *to = interval->multipliers;
    const int n = system->n, m = constraint_count(system);
    mask is_regular = mask_broadcast(true);
    for (int k = 0; k < n; k++) to->v[k] = v[k];
    for (int i = 0; i < CORRECTIONS_MAX; i++) {
        is_regular = multipliers_correct(interval, t, q, p);
        if (!mask_any(is_regular)) return is_regular;
        for (int k = 0; k < n; k++) to->v[k] += to->x[k];
        const real scale = real_norm((size_t)n, to->v);
        const mask is_done = real_norm((size_t)n, to->x) <= 1e-9 * scale;
        if (i > 0 && mask_all(is_done | mask_not(is_regular))) break;
    }
    for (int k = 0; k < n; k++) v[k] = to->v[k];
    for (int a = 0; mu && a < m; a++) mu[a] = to->x[n + a];
    return is_regular;
}

void multipliers_remember(struct multipliers *multipliers, const struct noe_system *system) {
    const int size = system->n + constraint_count(system);
    for (int e = 0; e < system->nzc; e++) multipliers->before[e] = multipliers->d[e];
    multipliers->normal = linear_sign(&multipliers->linear, size);
}

/* The determinant of the matrix with psi_v of both ends is det p_v times det(psi_v p_v^-1 psi_v^T).
 * It passes zero if psi_v has lost its rank between them. */
mask multipliers_turn(const struct noe_interval *interval, real t, const real *q, const real *v) {
    const struct noe_system *system = interval_problem(interval)->system;
    const struct noe_system *self = interval->problem->system;
    struct multipliers *to = interval->multipliers;
    const int n = system->n, size = n + constraint_count(system);
    for (int k = 0; k < n; k++) to->v[k] = v[k];
    system->second(self, t, q, to->v, to->P, to->W, to->D);
    system->constraints_second(self, t, q, to->v, to->c, to->d);
    const mask is_regular = multipliers_factor(interval, to->before);
    const real sign = linear_sign(&to->linear, size);
    const mask has_turned = is_regular & (sign * to->normal < 0);
    for (int e = 0; e < system->nzc; e++)
        to->before[e] = real_select(has_turned, to->before[e], to->d[e]);
    return has_turned;
}
