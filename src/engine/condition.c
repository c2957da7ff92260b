/* Condition number of the Jacobian of a step. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "engine/condition.h"
#include "engine/work.h"

enum { UNKNOWNS_MAX = 512 }; /* one linear system is solved per unknown */

/* Separate memory, because the data of the next step must not change. */
struct look {
    struct linear linear;
    int nu, nz, *row, *col;
    real *values, *x, *columns, *scratch;
};

static void look_layout(struct look *look, struct arena *arena, const struct noe_problem *problem) {
    look->nu = problem->internals->nu;
    look->nz = problem->internals->scheme->sparsity(problem, NULL, NULL);
    linear_layout(&look->linear, arena, look->nu, look->nz, &problem->internals->plan->step);
    look->row = arena_ints(arena, (size_t)look->nz);
    look->col = arena_ints(arena, (size_t)look->nz);
    look->values = arena_reals(arena, (size_t)look->nz);
    look->x = arena_reals(arena, (size_t)look->nu);
    look->columns = arena_reals(arena, (size_t)look->nu);
    look->scratch = arena_reals(arena, problem->internals->nscratch);
}

static real column_sum(int n, const real *x) {
    real sum = 0;
    for (int i = 0; i < n; i++) sum += noe_abs(x[i]);
    return sum;
}

/* |J| |J^-1| in the 1-norm; infinite if J is singular. */
static real condition(struct look *look) {
    real size = 0, inverse = 0;
    for (int e = 0; e < look->nz; e++) look->columns[look->col[e]] += noe_abs(look->values[e]);
    for (int j = 0; j < look->nu; j++) size = real_max(look->columns[j], size);
    if (!linear_factor(&look->linear, look->nu, look->values)) return (real)HUGE_VAL;
    for (int j = 0; j < look->nu; j++) {
        memset(look->x, 0, (size_t)look->nu * sizeof *look->x);
        look->x[j] = 1;
        linear_solve(&look->linear, look->nu, look->x);
        inverse = real_max(column_sum(look->nu, look->x), inverse);
    }
    return size * inverse;
}

/* Evaluates the Jacobian at the root of the last step, which is the velocity if a kernel found it.
 * The workspace of the method does not change. */
static void evaluate(struct look *look, struct noe_work *work) {
    const struct noe_problem *problem = work->problem;
    const size_t bytes = problem->internals->nscratch * sizeof(real);
    const long evaluations = work->interval.evaluations;
    const real retraction_load = work->interval.retraction_load;
    memcpy(look->scratch, work->interval.scratch, bytes);
    problem->internals->scheme->jacobian(
        &work->interval, kernel_takes_steps(problem) ? work->interval.velocity : work->newton.u,
        look->x, look->values);
    memcpy(work->interval.scratch, look->scratch, bytes);
    work->interval.evaluations = evaluations;
    work->interval.retraction_load = retraction_load;
}

enum noe_status condition_of_step(struct noe_work *work, noe_real *result,
                                  struct noe_error *error) {
    const struct noe_problem *problem = work->problem;
    struct look look = {0};
    struct arena arena = {0};
    *result = 0;
    const bool is_direct =
        kernel_is_direct(problem) && !problem->internals->scheme->energy_equation;
    if (is_direct || problem->internals->nu > UNKNOWNS_MAX) return NOE_OK;
    if (work->interval.from != work->next || work->interval.taken != 1)
        return status_set(error, NOE_BAD_INPUT, "there is no step to look at");
    look_layout(&look, &arena, problem);
    void *block = calloc(1, arena.used);
    if (!block) return status_set(error, NOE_NO_MEMORY, "no memory for %zu bytes", arena.used);
    arena = (struct arena){.base = block};
    look_layout(&look, &arena, problem);
    problem->internals->scheme->sparsity(problem, look.row, look.col);
    const enum noe_status status = linear_init(&look.linear, look.row, look.col);
    if (status == NOE_OK) {
        evaluate(&look, work);
        *result = condition(&look);
    }
    linear_clear(&look.linear);
    free(block);
    return status == NOE_OK ? NOE_OK : status_set(error, status, "%s", noe_status_text(status));
}
