/* Optimal control as a sparse nonlinear program, assembled from the blocks of all intervals. */
/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "study/control/control_block.h"

static int interval_variable(const struct control *control, long k, int j) {
    const int base = (int)k * control->stride;
    if (j < control->stride) return base + j;
    return j == control->stride ? control_step_at(control) : base + j - 1;
}

/* The variables of an end block are x, p, v of its node, multipliers, and the step size. */
static int end_variable(const struct control *control, bool is_start, int j) {
    const int n = control->transcription->n;
    if (j == 3 * n + control->transcription->nmultipliers) return control_step_at(control);
    if (!is_start) return (int)control->N * control->stride + j;
    return j < 2 * n ? j : control_start_velocity_at(control) + j - 2 * n;
}

int control_variable(const struct control *control, long k, int j) {
    return k < control->N ? interval_variable(control, k, j)
                          : end_variable(control, k > control->N, j);
}

const real *control_evaluate(const struct control *control, const double *x, long k,
                             enum noe_block_part part) {
    const struct noe_transcription *t = control->transcription;
    const struct noe_block *block = control_block(control, k);
    const long node = k > control->N ? 0 : k;
    const real *g = control->reference + node * t->np;
    const struct noe_interval_place place = {node, g, k < control->N ? g + t->np : NULL};
    for (int j = 0; j < block->nz; j++) control->z[j] = x[control_variable(control, k, j)];
    if (k < control->N)
        transcription_interval(t, part, &place, control->z, control->weights, control->values);
    else
        transcription_end(t, part, &place, control->z, control->weights, control->values);
    return control->values;
}

void control_block_derivative(const struct control *control, const double *x, const double *lambda,
                              long k, double *out) {
    const struct noe_block *block = control_block(control, k);
    const double cost = control_block_costs(control, k) ? 1 : 0;
    const real *values = control_evaluate(control, x, k, NOE_JACOBIAN);
    for (int i = 0; i < block->nj; i++) {
        const double weight = block->jrow[i] < block->nc ? lambda[block->jrow[i]] : cost;
        out[block->jcol[i]] += weight * (double)values[i];
    }
}

/* Callbacks of the nonlinear program. */

static bool cost_value(void *data, const double *x, double *f) {
    const struct control *control = data;
    *f = 0;
    for (long k = 0; k <= control->N; k++)
        *f += (double)control_evaluate(control, x, k, NOE_VALUES)[control_block(control, k)->nc];
    return isfinite(*f);
}

static bool cost_gradient(void *data, const double *x, double *gradient) {
    const struct control *control = data;
    bool is_finite = true;
    memset(gradient, 0, (size_t)control->nx * sizeof *gradient);
    for (long k = 0; k <= control->N; k++) {
        const struct noe_block *block = control_block(control, k);
        const real *values = control_evaluate(control, x, k, NOE_JACOBIAN);
        for (int i = 0; i < block->nj; i++) {
            if (block->jrow[i] < block->nc) continue;
            gradient[control_variable(control, k, block->jcol[i])] += (double)values[i];
            is_finite = is_finite && isfinite((double)values[i]);
        }
    }
    return is_finite;
}

/* Indices of a periodic variable at the start and at the end. */
static void periodic_pair(const struct control *control, int i, int *start, int *end) {
    const int n = control->transcription->n, number = control->periodic[i];
    *end = (int)control->N * control->stride + number;
    *start = number < 2 * n ? number : control_start_velocity_at(control) + number - 2 * n;
}

static bool constraint_values(void *data, const double *x, double *g) {
    const struct control *control = data;
    bool is_finite = true;
    for (long k = 0; k < control_blocks(control); k++) {
        const int nc = control_block(control, k)->nc;
        const real *values = control_evaluate(control, x, k, NOE_VALUES);
        for (int i = 0; i < nc; i++) {
            g[i] = (double)values[i];
            is_finite = is_finite && isfinite(g[i]);
        }
        g += nc;
    }
    for (int i = 0; i < control->nperiodic; i++) {
        int start, end;
        periodic_pair(control, i, &start, &end);
        g[i] = x[end] - x[start];
    }
    return is_finite;
}

static bool constraint_jacobian(void *data, const double *x, double *out) {
    const struct control *control = data;
    bool is_finite = true;
    for (long k = 0; k < control_blocks(control); k++) {
        const struct noe_block *block = control_block(control, k);
        const real *values = control_evaluate(control, x, k, NOE_JACOBIAN);
        for (int i = 0; i < block->nj; i++) {
            if (block->jrow[i] >= block->nc) continue;
            *out = (double)values[i];
            is_finite = is_finite && isfinite(*out++);
        }
    }
    for (int i = 0; i < control->nperiodic; i++) {
        *out++ = 1;
        *out++ = -1;
    }
    return is_finite;
}

static bool lagrange_hessian(void *data, const double *x, double weight, const double *lambda,
                             double *out) {
    const struct control *control = data;
    bool is_finite = true;
    for (long k = 0; k < control_blocks(control); k++) {
        const struct noe_block *block = control_block(control, k);
        for (int i = 0; i < block->nc; i++) control->weights[i] = lambda[i];
        control->weights[block->nc] = control_block_costs(control, k) ? weight : 0;
        lambda += block->nc;
        const real *values = control_evaluate(control, x, k, NOE_HESSIAN);
        for (int i = 0; i < block->nh; i++) {
            *out = (double)values[i];
            is_finite = is_finite && isfinite(*out++);
        }
    }
    return is_finite;
}

static bool goes_on(void *data, int iteration, double cost, double violation) {
    const struct control *control = data;
    (void)iteration, (void)cost, (void)violation;
    return !control->interrupt || !*control->interrupt;
}

/* Sparsity patterns. */

static int count_rows(const struct noe_block *block) {
    int count = 0;
    for (int i = 0; i < block->nj; i++) count += block->jrow[i] < block->nc;
    return count;
}

static void fill_patterns(struct control *control) {
    int row = 0, j = 0, h = 0;
    for (long k = 0; k < control_blocks(control); k++) {
        const struct noe_block *block = control_block(control, k);
        for (int i = 0; i < block->nj; i++) {
            if (block->jrow[i] >= block->nc) continue;
            control->jrow[j] = row + block->jrow[i];
            control->jcol[j++] = control_variable(control, k, block->jcol[i]);
        }
        for (int i = 0; i < block->nh; i++) {
            const int a = control_variable(control, k, block->hrow[i]);
            const int b = control_variable(control, k, block->hcol[i]);
            control->hrow[h] = a > b ? a : b;
            control->hcol[h++] = a > b ? b : a;
        }
        row += block->nc;
    }
    for (int i = 0; i < control->nperiodic; i++, row++) {
        int start, end;
        periodic_pair(control, i, &start, &end);
        control->jrow[j] = control->jrow[j + 1] = row;
        control->jcol[j++] = end;
        control->jcol[j++] = start;
    }
}

static enum noe_status count_all(struct control *control, struct noe_error *error) {
    const struct noe_transcription *t = control->transcription;
    const struct noe_block *interval = &t->interval, *end = &t->end;
    control->stride = 2 * t->n + t->s * t->n + t->ninputs * t->m + t->nmultipliers;
    const long each[] = {control->stride, interval->nc, count_rows(interval), interval->nh};
    const long ends = 1 + control->has_open_start, nperiodic = control->nperiodic;
    const long rest[] = {3 * t->n + t->nmultipliers + (control->has_open_start ? t->n : 0) + 1,
                         nperiodic + ends * end->nc, 2 * nperiodic + ends * count_rows(end),
                         ends * end->nh};
    int *const count[] = {&control->nx, &control->ng, &control->nj, &control->nh};
    for (int i = 0; i < 4; i++) {
        const long max = each[i] ? (INT_MAX - 1 - rest[i]) / each[i] : LONG_MAX;
        if (control->N > max)
            return status_set(error, NOE_BAD_INPUT,
                              "%ld intervals are more than the solver can count: at most %ld",
                              control->N, max);
        *count[i] = (int)(control->N * each[i] + rest[i]);
    }
    return NOE_OK;
}

enum noe_status control_program_make(struct control *control, struct noe_error *error) {
    const struct noe_transcription *t = control->transcription;
    const struct noe_block *interval = &t->interval, *end = &t->end;
    const enum noe_status status = count_all(control, error);
    if (status != NOE_OK) return status;
    const size_t nx = (size_t)control->nx + 1, ng = (size_t)control->ng + 1;
    const size_t nj = (size_t)control->nj + 1, nh = (size_t)control->nh + 1;
    const size_t values = (size_t)(interval->nj + interval->nh + end->nj + end->nh) + nx;
    control->x_least = malloc(2 * (nx + ng) * sizeof(double));
    control->jrow = malloc(2 * (nj + nh) * sizeof(int));
    control->reference = calloc(((size_t)control->N + 1) * (size_t)t->np + 1, sizeof(real));
    control->z = calloc((size_t)interval->nz + (size_t)end->nz + 1, sizeof(real));
    control->weights = calloc((size_t)interval->nc + (size_t)end->nc + 2, sizeof(real));
    control->values = calloc(values, sizeof(real));
    control->guess = calloc(control_guess_room(control), sizeof(real));
    if (!control->x_least || !control->jrow || !control->reference || !control->z ||
        !control->weights || !control->values || !control->guess)
        return status_set(error, NOE_NO_MEMORY, "out of memory for %ld intervals", control->N);
    control->x_most = control->x_least + nx;
    control->g_least = control->x_most + nx;
    control->g_most = control->g_least + ng;
    control->jcol = control->jrow + nj;
    control->hrow = control->jcol + nj;
    control->hcol = control->hrow + nh;
    fill_patterns(control);
    return NOE_OK;
}

struct nlp control_program(struct control *control) {
    return (struct nlp){.n = control->nx,
                        .m = control->ng,
                        .nj = control->nj,
                        .nh = control->nh,
                        .x_least = control->x_least,
                        .x_most = control->x_most,
                        .g_least = control->g_least,
                        .g_most = control->g_most,
                        .jrow = control->jrow,
                        .jcol = control->jcol,
                        .hrow = control->hrow,
                        .hcol = control->hcol,
                        .value = cost_value,
                        .gradient = cost_gradient,
                        .constraints = constraint_values,
                        .jacobian = constraint_jacobian,
                        .hessian = lagrange_hessian,
                        .progress = goes_on,
                        .data = control};
}

double control_violation(struct control *control, const double *x, double *g) {
    double violation = 0;
    if (!constraint_values(control, x, g)) return NAN;
    for (int i = 0; i < control->ng; i++)
        violation = fmax(violation, fmax(control->g_least[i] - g[i], g[i] - control->g_most[i]));
    for (int i = 0; i < control->nx; i++)
        violation = fmax(violation, fmax(control->x_least[i] - x[i], x[i] - control->x_most[i]));
    return violation;
}
