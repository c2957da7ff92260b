/* Consistency of the initial state with the constraints, and their linear independence. */
/* SPDX-License-Identifier: MIT */
#include "study/verify/constraint_rank.h"

#include <stdlib.h>

#include "base/status.h"
#include "linalg/row_rank.h"

enum { ROWS_MAX = 400 }; /* the Gram-Schmidt process is slow for more rows */
#define LEAST ((real)1e-10)

/* Rows of psi_v in the order of the statements. */
static void fill_rows(const struct noe_model *model, const int *statement, const real *psi_v,
                      real *rows) {
    const struct noe_system *system = model->system;
    for (int e = 0; e < system->nzc; e++) {
        const int row = system->crow ? system->crow[e] : e / system->n;
        const int col = system->crow ? system->ccol[e] : e % system->n;
        rows[(size_t)statement[row] * (size_t)system->n + (size_t)col] = psi_v[e];
    }
}

static bool find_rank(struct constraint_rank *independence, const struct noe_model *model,
                      const real *psi_v) {
    const int m = model->nconstraints, n = model->system->n;
    real *rows = calloc((size_t)m * (size_t)n + 1, sizeof *rows);
    int *statement = calloc((size_t)m + 1, sizeof *statement);
    const bool is_done = rows && statement;
    for (int i = 0; is_done && i < m; i++) statement[model->constraint[i].row] = i;
    if (is_done) {
        fill_rows(model, statement, psi_v, rows);
        independence->rank = rank_rows(m, n, rows, LEAST, independence->is_redundant);
    }
    free(rows);
    free(statement);
    return is_done;
}

enum noe_status constraint_rank_find(struct constraint_rank *independence,
                                     const struct noe_model *model, real t,
                                     struct noe_error *error) {
    const struct noe_system *system = model->system;
    const int m = model->nconstraints, ng = system->nholonomic;
    *independence = (struct constraint_rank){.rank = -1};
    if (m == 0) return NOE_OK;
    real *c = calloc(3 * (size_t)m + 2 * (size_t)system->nzc + 1, sizeof *c), *d = c + 3 * m;
    independence->is_redundant = calloc((size_t)m, sizeof(bool));
    bool is_done = c && independence->is_redundant;
    if (is_done) {
        system->constraints_second(system, t, model->q, model->v, c, d);
        independence->residual = real_norm((size_t)(ng + m), c);
        if (m <= ROWS_MAX) is_done = find_rank(independence, model, d);
    }
    free(c);
    if (is_done) return NOE_OK;
    constraint_rank_clear(independence);
    return status_set(error, NOE_NO_MEMORY, "out of memory for constraints");
}

void constraint_rank_clear(struct constraint_rank *independence) {
    free(independence->is_redundant);
    *independence = (struct constraint_rank){.rank = -1};
}
