/* Solution of an optimal control problem by nonlinear programming, and its KKT error. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "study/control/control_block.h"

enum { LIE_PRODUCTS_MAX = 4 };
static const double far_away = 1; /* increment at which the chart is changed */

enum noe_status control_solution_make(struct control_solution *solution,
                                      const struct control *control) {
    const size_t nx = (size_t)control->nx, ng = (size_t)control->ng;
    *solution = (struct control_solution){0};
    solution->x = calloc(3 * nx + 2 * ng + (size_t)control->N + 1, sizeof(double));
    if (!solution->x) return NOE_NO_MEMORY;
    solution->z_least = solution->x + nx;
    solution->z_most = solution->z_least + nx;
    solution->g = solution->z_most + nx;
    solution->lambda = solution->g + ng;
    solution->hamiltonian = solution->lambda + ng;
    return NOE_OK;
}

void control_solution_clear(struct control_solution *solution) {
    free(solution->x);
    *solution = (struct control_solution){0};
}

/* Gradient of the Lagrange function without the multipliers of the bounds. `own` has room for the
 * variables of a block. */
static void lagrange_slope(const struct control *control, struct control_solution *solution,
                           double *slope, double *own) {
    const double *lambda = solution->lambda;
    const int n = control->transcription->n;
    for (long k = 0; k < control_blocks(control); k++) {
        const struct noe_block *block = control_block(control, k);
        memset(own, 0, (size_t)block->nz * sizeof *own);
        control_block_derivative(control, solution->x, lambda, k, own);
        for (int j = 0; j < block->nz; j++) slope[control_variable(control, k, j)] += own[j];
        if (k < control->N) solution->hamiltonian[k] = own[control->stride];
        lambda += block->nc;
    }
    for (int i = 0; i < control->nperiodic; i++) {
        const int number = control->periodic[i];
        slope[(int)control->N * control->stride + number] += lambda[i];
        slope[number < 2 * n ? number : control_start_velocity_at(control) + number - 2 * n] -=
            lambda[i];
    }
}

static double largest_slope(const struct control *control, const struct control_solution *solution,
                            const double *slope) {
    double error = 0;
    for (int i = 0; i < control->nx; i++) {
        if (control->x_least[i] == control->x_most[i]) continue;
        error = fmax(error, fabs(slope[i] - solution->z_least[i] + solution->z_most[i]));
    }
    return error;
}

static void measure(struct control *control, struct control_solution *solution) {
    const struct noe_transcription *t = control->transcription;
    const size_t block = (size_t)(t->interval.nz + t->end.nz);
    double *slope = calloc((size_t)control->nx + block + 1, sizeof *slope);
    solution->violation = control_violation(control, solution->x, solution->g);
    solution->kkt_error = solution->hamiltonian_spread = NAN;
    if (!slope) return;
    lagrange_slope(control, solution, slope, slope + control->nx);
    double min = INFINITY, max = -INFINITY;
    for (long k = 0; k < control->N; k++) {
        min = fmin(min, solution->hamiltonian[k]);
        max = fmax(max, solution->hamiltonian[k]);
    }
    solution->hamiltonian_spread = max - min;
    solution->kkt_error = fmax(largest_slope(control, solution, slope), solution->violation);
    free(slope);
}

/* The largest increment of a rotation in its chart, 2 tan(angle/2). */
static double largest_increment(const struct control *control, const double *x) {
    struct control_factors factors;
    double largest = 0;
    int tangent = 0;
    control_list_factors(&factors, control->model->system);
    for (int f = 0; f < factors.count; f++) {
        const struct noe_factor *factor = &factors.factor[f];
        for (long k = 0; k <= control->N && factor->space->frame; k++) {
            const double *w = x + k * control->stride + tangent;
            largest = fmax(largest, sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
        }
        tangent += factor->size * factor->space->tangent;
    }
    return largest;
}

void control_recentre(struct control *control, double *x) {
    const struct noe_transcription *t = control->transcription;
    struct control_factors factors;
    control_list_factors(&factors, control->model->system);
    for (long k = 0; k <= control->N; k++) {
        real *q = control->values, *reference = control->reference + k * t->np;
        double *increment = x + k * control->stride;
        control_point(control, x, k, q);
        for (int f = 0; f < factors.count; f++) {
            const struct noe_factor *factor = &factors.factor[f];
            const int points = factor->size * factor->space->point;
            const int tangents = factor->size * factor->space->tangent;
            if (factor->space->frame) {
                memcpy(reference, q, (size_t)points * sizeof *q);
                memset(increment, 0, (size_t)tangents * sizeof *increment);
            }
            q += points;
            reference += points;
            increment += tangents;
        }
    }
}

/* Configuration to which the velocities of interval k lead from its start. */
static void interval_end(const struct control *control, const double *x, long k, real *q) {
    const struct noe_transcription *t = control->transcription;
    const struct noe_system *system = control->model->system;
    const double *y = x + k * control->stride + 2 * t->n;
    const int parts = control->stages.rule == NOE_STAGES_MIDPOINT ? 2 : 1;
    const double h = x[control_step_at(control)] / parts;
    real *increment = control->values;
    control_point(control, x, k, q);
    for (int i = 0; i < t->n; i++) {
        increment[i] = 0;
        for (int j = 0; j < t->s; j++)
            increment[i] += h * control->stages.b[j] * (real)y[j * t->n + i];
    }
    for (int i = 0; i < parts; i++)
        product_retract(system, control->stages.retraction, q, q, increment);
}

/* True if two rotations are more than a right angle apart. */
static bool are_apart(const struct control_factors *factors, const real *a, const real *b) {
    for (int f = 0; f < factors->count; f++) {
        const struct noe_factor *factor = &factors->factor[f];
        real trace = 0; /* trace of R_a^T R_b = 1 + 2 cos(angle) */
        for (int i = 0; factor->space->frame && i < 9; i++) trace += a[i] * b[i];
        if (factor->space->frame && !(trace >= 1)) return true;
        a += factor->size * factor->space->point;
        b += factor->size * factor->space->point;
    }
    return false;
}

/* The equation for the configuration at the end of an interval is also zero if the rotation differs
 * by half a turn. That is a spurious solution. */
static bool has_jump(const struct control *control, const double *x) {
    const size_t np = (size_t)control->transcription->np;
    struct control_factors factors;
    real *end = malloc((2 * np + 1) * sizeof *end), *node = end + np;
    bool is_jump = !end;
    control_list_factors(&factors, control->model->system);
    for (long k = 0; k < control->N && !is_jump; k++) {
        interval_end(control, x, k, end);
        control_point(control, x, k + 1, node);
        is_jump = are_apart(&factors, end, node);
    }
    free(end);
    return is_jump;
}

static void solve_once(struct control *control, const struct nlp_settings *settings,
                       struct control_solution *solution, struct noe_error *error) {
    const struct nlp program = control_program(control);
    struct nlp_result result = {.x = solution->x,
                                .g = solution->g,
                                .lambda = solution->lambda,
                                .z_least = solution->z_least,
                                .z_most = solution->z_most};
    solution->status = nlp_solve(&program, settings, &result, error);
    snprintf(solution->words, sizeof solution->words, "%s",
             result.words ? result.words : error->text);
    solution->cost = result.f;
    solution->iterations += result.iterations;
    solution->seconds += result.seconds;
    solution->seconds_in_derivatives += result.seconds_in_callbacks;
}

enum noe_status control_solve(struct control *control, double tolerance, int iterations_max,
                              struct control_solution *solution, struct noe_error *error) {
    const struct nlp_settings settings = {tolerance, iterations_max};
    struct noe_error own = {0};
    solution->iterations = 0;
    solution->seconds = solution->seconds_in_derivatives = 0;
    for (int lie_product = 0; lie_product < LIE_PRODUCTS_MAX; lie_product++) {
        solve_once(control, &settings, solution, &own);
        if (solution->status < 0) break;
        const bool is_far = largest_increment(control, solution->x) > far_away;
        /* Equations and multipliers do not depend on the charts, so a solution remains one. */
        control_recentre(control, solution->x);
        if (solution->status == NOE_OK || !is_far || solution->status == NOE_INTERRUPTED) break;
    }
    if (solution->status == NOE_OK && has_jump(control, solution->x)) {
        static const char words[] = "a rotation jumps by half a turn between two nodes: take more "
                                    "intervals, or another guess";
        solution->status = status_set(&own, NOE_NOT_CONVERGED, "%s", words);
        snprintf(solution->words, sizeof solution->words, "%s", words);
    }
    if (error) *error = own;
    if (solution->status >= 0) measure(control, solution);
    return solution->status;
}
