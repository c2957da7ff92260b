/* Consistent start of a constrained run: constraints that hold and are independent, and the
 * multipliers. */
/* SPDX-License-Identifier: MIT */
#include "engine/consistent_start.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "engine/advance.h"
#include "linalg/row_rank.h"
#include "spaces/product.h"

/* Largest residual of the constraints at the start that counts as round-off, relative to their
 * terms. */
static const double residual_most = 1e-8;
/* A row of psi_v is linearly dependent on the previous rows if less than this fraction of it
 * remains after projection. */
static const double rank_least = 1e-10;
enum {
    ROWS_MAX = 400
}; /* beyond it the search costs too much, and the matrix of a step shows the dependence */

/* Words for the kind of constraint `a`. */
static const char *kind_of(const struct noe_system *system, int a) {
    return a < system->nholonomic ? "holonomic" : "nonholonomic";
}

static int number_of(const struct noe_system *system, int a) {
    return a < system->nholonomic ? a + 1 : a - system->nholonomic + 1;
}

/* One plus the size of the terms of each row of psi_v x. */
static void find_row_sizes(const struct noe_system *system, const real *psi_v, const real *x,
                           real *size) {
    for (int a = 0; a < constraint_count(system); a++) size[a] = 1;
    for (int e = 0; e < system->nzc; e++)
        size[constraint_row(system, e)] += noe_abs(psi_v[e] * x[constraint_col(system, e)]);
}

static enum noe_status compare_residuals(struct noe_work *work, const real *row_size,
                                         struct noe_error *error) {
    const struct noe_system *system = work->problem->system;
    const struct multipliers *at = &work->multipliers;
    const int nposition = system->nholonomic, m = constraint_count(system);
    for (int i = 0; i < nposition + m; i++) {
        const int a = i < nposition ? i : i - nposition;
        const real scale = i < nposition ? 1 + noe_abs(at->c[i]) : row_size[a];
        if (noe_abs(at->c[i]) <= residual_most * scale) continue;
        return status_set(error, NOE_BAD_INPUT,
                          "the start does not meet %s constraint %d%s: left minus right side is "
                          "%.6g (at most %g is taken for round-off)",
                          kind_of(system, a), number_of(system, a),
                          i >= nposition && a < nposition ? ", differentiated in time" : "",
                          (double)at->c[i], residual_most);
    }
    return NOE_OK;
}

static enum noe_status check_residuals(struct noe_work *work, struct noe_error *error) {
    const struct noe_system *system = work->problem->system;
    real *size = malloc((size_t)constraint_count(system) * sizeof *size);
    if (!size) return status_set(error, NOE_NO_MEMORY, "out of memory for constraints");
    find_row_sizes(system, work->multipliers.d, work->multipliers.v, size);
    const enum noe_status status = compare_residuals(work, size, error);
    free(size);
    return status;
}

/* The first row of psi_v that is linearly dependent on the previous rows, or -1. Returns -2 if
 * memory runs out. */
static int redundant_row(const struct noe_system *system, const real *psi_v) {
    const int n = system->n, m = constraint_count(system);
    real *rows = calloc((size_t)m * (size_t)n, sizeof *rows);
    bool *is_redundant = calloc((size_t)m, sizeof *is_redundant);
    int found = rows && is_redundant ? -1 : -2;
    for (int e = 0; found == -1 && e < system->nzc; e++)
        rows[constraint_row(system, e) * n + constraint_col(system, e)] += psi_v[e];
    if (found == -1) rank_rows(m, n, rows, rank_least, is_redundant);
    for (int a = 0; found == -1 && a < m; a++)
        if (is_redundant[a]) found = a;
    free(rows);
    free(is_redundant);
    return found;
}

static enum noe_status check_rank(struct noe_work *work, struct noe_error *error) {
    const struct noe_system *system = work->problem->system;
    const int m = constraint_count(system);
    if (m > ROWS_MAX || work->problem->internals->is_least_squares) return NOE_OK;
    const int a = redundant_row(system, work->multipliers.d);
    if (a == -2) return status_set(error, NOE_NO_MEMORY, "out of memory for constraints");
    if (a < 0) return NOE_OK;
    return status_set(error, NOE_BAD_INPUT,
                      "%s constraint %d is redundant at the start: its derivative depends on those "
                      "of the %d before it (less than %g of it is left); leave it out, or try "
                      "redundant = least-squares",
                      kind_of(system, a), number_of(system, a), a, rank_least);
}

enum noe_status consistent_start_check(struct noe_work *work, struct noe_error *error) {
    const struct noe_state *now = work->now;
    const struct noe_system *system = work->problem->system;
    struct multipliers *at = &work->multipliers;
    memcpy(at->v, work->interval.velocity, (size_t)system->n * sizeof *at->v);
    system->constraints_second(system, now->t, now->q, at->v, at->c, at->d);
    const enum noe_status status = check_residuals(work, error);
    return status == NOE_OK ? check_rank(work, error) : status;
}

enum noe_status consistent_start(struct noe_work *work, struct noe_error *error) {
    const struct noe_system *system = work->problem->system;
    struct noe_state *now = work->now;
    work->interval.h = work->h;
    const mask is_regular = multipliers_demanded(&work->interval, now->t, now->q,
                                                 work->interval.velocity, now->multipliers);
    const size_t m = (size_t)constraint_count(system);
    if (!is_regular || !real_all_finite(m, now->multipliers))
        return status_set(error, NOE_BAD_INPUT,
                          "no multipliers keep the constraints at the start: mass matrix and "
                          "constraints are singular there");
    memcpy(work->interval.velocity + system->n, now->multipliers, m * sizeof *now->multipliers);
    return NOE_OK;
}

/* The smallest singular value of psi_v at any point, with the velocity of the run. */
static real least_singular(struct noe_work *work, real t, const real *q, real *row) {
    const struct noe_system *system = work->problem->system;
    struct multipliers *at = &work->multipliers;
    const int n = system->n, m = constraint_count(system);
    real *rows = m <= ROWS_MAX ? calloc((size_t)m * (size_t)n, sizeof *rows) : NULL, min = -1;
    if (!rows) return min;
    memcpy(at->v, work->interval.velocity, (size_t)n * sizeof *at->v);
    system->constraints_second(system, t, q, at->v, at->c, at->d);
    for (int e = 0; e < system->nzc; e++)
        rows[constraint_row(system, e) * n + constraint_col(system, e)] += at->d[e];
    min = rank_least_singular(m, n, rows, row);
    free(rows);
    return min;
}

real consistent_least_singular(struct noe_work *work, real *row) {
    return least_singular(work, work->now->t, work->now->q, row);
}

/* Searches along q tau(x h v) over the fractions x of the step: first a grid of sixteenths, then
 * ever finer grids about the minimum. */
real consistent_least_on_way(struct noe_work *work, real *row) {
    enum { PARTS = 16, ROUNDS = 4 };
    const struct noe_problem *problem = work->problem;
    const int n = problem->system->n;
    const real h = work->interval.h;
    real min = HUGE_VAL, best = 0, from = 0, width = 1;
    real *q = work->next->q, *x = work->variation; /* unused at this point */
    real energy;                                   /* only the velocity is used */
    advance_energy(work, &energy);
    for (int round = 0; round < ROUNDS; round++, width /= 8, from = best - width / 2)
        for (int i = 0; i <= PARTS; i++) {
            const real part = from + width * i / PARTS;
            real largest = 0;
            for (int k = 0; k < n; k++) x[k] = part * h * work->velocity[k];
            product_retract(problem->system, problem->retraction, q, work->now->q, x);
            const real seen = least_singular(work, work->now->t + part * h, q, &largest);
            if (!(seen < min)) continue;
            min = seen, best = part, *row = largest;
        }
    return min;
}
