/* Partitioned Runge-Kutta methods: coefficients, pattern, and the derivative of a step. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/status.h"
#include "methods/interval.h"
#include "methods/prk.h"

/* As many as keep their numbers in registers. */
static int groups_of(int n) { return n <= 1 ? 4 : n == 2 ? 3 : n <= 4 ? 2 : 1; }

enum noe_status prk_prepare(struct noe_problem *problem, struct noe_error *error) {
    const struct noe_system *system = problem->system;
    const struct prk *family = problem->method->data;
    struct tableau *t = aligned_alloc(_Alignof(struct tableau), sizeof *t);
    if (!t) return status_set(error, NOE_NO_MEMORY, "out of memory for a tableau");
    problem->coefficients = t;
    family->make(t, problem);
    problem->nu = t->s * system->n;
    const bool kicks = t->nkicks && (system->traits & NOE_SEPARABLE) && !system->factors;
    problem->use_kernel = kicks || t->is_explicit;
    problem->use_contraction = prk_contracts(problem);
    problem->nscratch =
        problem->use_contraction ? prk_contract_scratch(problem) : prk_scratch(problem);
    problem->groups = kicks ? groups_of(system->n) : 1;
    return NOE_OK;
}

int prk_pattern(const struct noe_problem *problem, int *row, int *col) {
    const struct tableau *t = prk_tableau(problem);
    const struct noe_system *system = problem->system;
    const int n = system->n;
    int count = 0;
    for (int i = 0; i < t->s; i++)
        for (int j = 0; j < t->s; j++) {
            if (!t->couples[i][j]) continue;
            for (int e = 0; row && e < system->nz; e++) {
                row[count + e] = i * n + (system->row ? system->row[e] : e / n);
                col[count + e] = j * n + (system->row ? system->col[e] : e % n);
            }
            count += system->nz;
        }
    return count;
}

/* dR_i = p_q(i) dq - dp - h sum_j ahat_ij w_q(j) dq. */
void prk_vary(struct noe_interval *interval, const noe_real *dz, noe_real *r) {
    const struct prk_view at = prk_view(interval);
    for (int i = 0; i < at.s; i++, r += at.n) {
        for (int k = 0; k < at.n; k++) r[k] = -dz[at.n + k];
        prk_add_product(at.system, 1, at.D + (size_t)i * 4 * at.nz + at.nz, dz, r);
        for (int j = 0; j < at.s; j++)
            prk_add_product(at.system, -at.h * at.tableau->ahat[i][j].value,
                            at.D + (size_t)j * 4 * at.nz + 3 * at.nz, dz, r);
    }
}

/* dq1 = dq + h sum_j b_j dV_j, dp1 = dp + h sum_j bhat_j (w_v dV_j + w_q dQ_j),
 * dQ_j = dq + h sum_l a_jl dV_l. */
void prk_vary_finish(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                     noe_real *dz1) {
    const struct prk_view at = prk_view(interval);
    const int n = at.n;
    prk_sum(&at, at.tableau->b, at.s, du, at.x);
    for (int k = 0; k < n; k++) dz1[k] = dz[k] + at.x[k];
    for (int k = 0; k < n; k++) dz1[n + k] = dz[n + k];
    for (int j = 0; j < at.s; j++) {
        const real *D = at.D + (size_t)j * 4 * at.nz, weight = at.h * at.tableau->bhat[j].value;
        prk_sum(&at, at.tableau->a[j], at.s, du, at.x);
        for (int k = 0; k < n; k++) at.x[k] += dz[k];
        prk_add_product(at.system, weight, D + 2 * at.nz, du + j * n, dz1 + n);
        prk_add_product(at.system, weight, D + 3 * at.nz, at.x, dz1 + n);
    }
}
