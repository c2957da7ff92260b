/* Optimal control: the steps of a method over a whole horizon as one nonlinear program. */
/* SPDX-License-Identifier: MIT */
#include "study/control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "methods/prk.h"

/* --- Where numbers stand. */

static int step_at(const struct control *control) { return control->nx - 1; }

/* Variable j of interval k. */
static int interval_variable(const struct control *control, long k, int j) {
    const int base = (int)k * control->stride;
    if (j < control->stride) return base + j;
    return j == control->stride ? step_at(control) : base + j - 1;
}

/* Variable j of the end. */
static int end_variable(const struct control *control, int j) {
    const int n = control->transcription->n;
    return j < 3 * n ? (int)control->N * control->stride + j : step_at(control);
}

static struct noe_interval_place place_of(const struct control *control, long k) {
    const int np = control->transcription->np;
    const real *g = control->reference + k * np;
    return (struct noe_interval_place){k, g, k < control->N ? g + np : NULL};
}

/* Reads the variables of interval k, or of the end, into z. */
static void gather(const struct control *control, const double *x, long k) {
    const struct noe_transcription *t = control->transcription;
    const bool is_end = k == control->N;
    const int nz = is_end ? t->end.nz : t->interval.nz;
    for (int j = 0; j < nz; j++)
        control->z[j] = x[is_end ? end_variable(control, j) : interval_variable(control, k, j)];
}

/* A part of block k at x, into control->values; k = N: the end. */
static const real *evaluate(const struct control *control, const double *x, long k,
                            enum noe_block_part part) {
    const struct noe_interval_place place = place_of(control, k);
    gather(control, x, k);
    if (k < control->N)
        noe_transcription_interval(control->transcription, part, &place, control->z,
                                   control->weights, control->values);
    else
        noe_transcription_end(control->transcription, part, &place, control->z, control->weights,
                              control->values);
    return control->values;
}

static const struct noe_block *block_of(const struct control *control, long k) {
    const struct noe_transcription *t = control->transcription;
    return k < control->N ? &t->interval : &t->end;
}

static int variable(const struct control *control, long k, int j) {
    return k < control->N ? interval_variable(control, k, j) : end_variable(control, j);
}

/* --- The callbacks. */

static bool cost_value(void *data, const double *x, double *f) {
    const struct control *control = data;
    *f = 0;
    for (long k = 0; k <= control->N; k++)
        *f += (double)evaluate(control, x, k, NOE_VALUES)[block_of(control, k)->nc];
    return isfinite(*f);
}

static bool cost_gradient(void *data, const double *x, double *gradient) {
    const struct control *control = data;
    bool is_finite = true;
    memset(gradient, 0, (size_t)control->nx * sizeof *gradient);
    for (long k = 0; k <= control->N; k++) {
        const struct noe_block *block = block_of(control, k);
        const real *values = evaluate(control, x, k, NOE_JACOBIAN);
        for (int i = 0; i < block->nj; i++) {
            if (block->jrow[i] < block->nc) continue;
            gradient[variable(control, k, block->jcol[i])] += (double)values[i];
            is_finite = is_finite && isfinite((double)values[i]);
        }
    }
    return is_finite;
}

static bool constraint_values(void *data, const double *x, double *g) {
    const struct control *control = data;
    bool is_finite = true;
    for (long k = 0; k <= control->N; k++) {
        const int nc = block_of(control, k)->nc;
        const real *values = evaluate(control, x, k, NOE_VALUES);
        for (int i = 0; i < nc; i++) {
            g[i] = (double)values[i];
            is_finite = is_finite && isfinite(g[i]);
        }
        g += nc;
    }
    const int last = (int)control->N * control->stride;
    for (int i = 0; i < control->nperiodic; i++)
        g[i] = x[last + control->periodic[i]] - x[control->periodic[i]];
    return is_finite;
}

static bool constraint_jacobian(void *data, const double *x, double *out) {
    const struct control *control = data;
    bool is_finite = true;
    for (long k = 0; k <= control->N; k++) {
        const struct noe_block *block = block_of(control, k);
        const real *values = evaluate(control, x, k, NOE_JACOBIAN);
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
    for (long k = 0; k <= control->N; k++) {
        const struct noe_block *block = block_of(control, k);
        for (int i = 0; i < block->nc; i++) control->weights[i] = lambda[i];
        control->weights[block->nc] = weight;
        lambda += block->nc;
        const real *values = evaluate(control, x, k, NOE_HESSIAN);
        for (int i = 0; i < block->nh; i++) {
            *out = (double)values[i];
            is_finite = is_finite && isfinite(*out++);
        }
    }
    return is_finite;
}

/* --- Patterns. */

static int count_rows(const struct noe_block *block) {
    int count = 0;
    for (int i = 0; i < block->nj; i++) count += block->jrow[i] < block->nc;
    return count;
}

static void fill_patterns(struct control *control) {
    int row = 0, j = 0, h = 0;
    for (long k = 0; k <= control->N; k++) {
        const struct noe_block *block = block_of(control, k);
        for (int i = 0; i < block->nj; i++) {
            if (block->jrow[i] >= block->nc) continue;
            control->jrow[j] = row + block->jrow[i];
            control->jcol[j++] = variable(control, k, block->jcol[i]);
        }
        for (int i = 0; i < block->nh; i++) {
            const int a = variable(control, k, block->hrow[i]);
            const int b = variable(control, k, block->hcol[i]);
            control->hrow[h] = a > b ? a : b;
            control->hcol[h++] = a > b ? b : a;
        }
        row += block->nc;
    }
    for (int i = 0; i < control->nperiodic; i++, row++) {
        control->jrow[j] = row;
        control->jcol[j++] = (int)control->N * control->stride + control->periodic[i];
        control->jrow[j] = row;
        control->jcol[j++] = control->periodic[i];
    }
}

static bool make_arrays(struct control *control) {
    const struct noe_transcription *t = control->transcription;
    const struct noe_block *interval = &t->interval, *end = &t->end;
    const size_t N = (size_t)control->N;
    control->stride = 2 * t->n + t->s * (t->n + t->m);
    control->nx = (int)control->N * control->stride + 3 * t->n + 1;
    control->ng = (int)control->N * interval->nc + end->nc + control->nperiodic;
    control->nj = (int)control->N * count_rows(interval) + count_rows(end) + 2 * control->nperiodic;
    control->nh = (int)control->N * interval->nh + end->nh;
    const size_t nx = (size_t)control->nx + 1, ng = (size_t)control->ng + 1;
    const size_t nj = (size_t)control->nj + 1, nh = (size_t)control->nh + 1;
    const size_t values = (size_t)(interval->nj + interval->nh + end->nj + end->nh) + nx;
    control->x_least = malloc(2 * (nx + ng) * sizeof(double));
    control->jrow = malloc(2 * (nj + nh) * sizeof(int));
    control->reference = calloc((N + 1) * (size_t)t->np + 1, sizeof(real));
    control->z = calloc((size_t)interval->nz + (size_t)end->nz + 1, sizeof(real));
    control->weights = calloc((size_t)interval->nc + (size_t)end->nc + 2, sizeof(real));
    control->values = calloc(values, sizeof(real));
    if (!control->x_least || !control->jrow || !control->reference || !control->z ||
        !control->weights || !control->values)
        return false;
    control->x_most = control->x_least + nx;
    control->g_least = control->x_most + nx;
    control->g_most = control->g_least + ng;
    control->jcol = control->jrow + nj;
    control->hrow = control->jcol + nj;
    control->hcol = control->hrow + nh;
    return true;
}

/* --- Opening. */

/* The coefficients of a method whose step is stationary for a discrete action. */
static enum noe_status read_stages(struct control *control, const char *method,
                                   struct noe_error *error) {
    struct noe_problem problem;
    enum noe_status status = noe_problem_init(&problem, control->model->system, method, 1, error);
    if (status != NOE_OK) return status;
    const bool is_middle = problem.chart && strcmp(problem.method->name, "midpoint") == 0;
    const bool is_prk = is_middle || problem.method->residual == prk_residual;
    struct tableau *tableau = malloc(sizeof *tableau);
    control->coefficients = calloc(TABLEAU_STAGES_MAX * (TABLEAU_STAGES_MAX + 2), sizeof(real));
    if (!tableau || !control->coefficients) {
        status = status_set(error, NOE_NO_MEMORY, "out of memory for the control problem");
    } else if (!is_prk || !(problem.method->traits & NOE_SYMPLECTIC) || problem.retraction != 0) {
        status = status_set(error, NOE_NOT_SERVED,
                            "%s does not serve optimal control: it needs a variational method of "
                            "stages, on groups with retraction = cay; methods that serve it: "
                            "midpoint, gauss, lobatto, verlet, euler-a, euler-b",
                            problem.method->name);
    } else {
        if (is_middle) {
            const exact half = 0.5Q;
            tableau_collocation(tableau, 1, &half);
        } else {
            *tableau = *prk_tableau(&problem);
        }
        const int s = tableau->s;
        real *a = control->coefficients, *b = a + s * s, *c = b + s;
        for (int i = 0; i < s; i++) {
            for (int j = 0; j < s; j++) a[i * s + j] = tableau->a[i][j].value;
            b[i] = tableau->b[i].value;
            c[i] = tableau->c[i];
        }
        control->stages = (struct noe_stages){s, a, b, c, is_middle};
    }
    free(tableau);
    noe_problem_clear(&problem);
    return status;
}

/* The numbers of a node that are periodic: of x, and of p with the velocities. */
static enum noe_status list_periodic(struct control *control, struct noe_error *error) {
    const struct noe_transcription *t = control->transcription;
    const struct noe_system *system = control->model->system;
    int velocities = 0, point = 0, tangent = 0;
    control->periodic = malloc((2 * (size_t)t->n + 1) * sizeof(int));
    if (!control->periodic)
        return status_set(error, NOE_NO_MEMORY, "out of memory for the control problem");
    const struct noe_factor whole = {noe_space_find("vector"), t->n};
    const struct noe_factor *factor = system->factors ? system->factors : &whole;
    for (int f = 0; f < (system->factors ? system->nfactors : 1); f++) {
        const struct noe_space *space = factor[f].space;
        const int size = factor[f].size * space->tangent;
        const bool is_group = space->frame != NULL;
        for (int i = 0; i < size; i++)
            if (t->q_is_periodic[point + (is_group ? (i < 3 ? 0 : 9) : i)])
                control->periodic[control->nperiodic++] = tangent + i;
        point += factor[f].size * space->point;
        tangent += size;
    }
    for (int i = 0; i < t->n; i++) velocities += t->v_is_periodic[i];
    for (int i = 0; i < t->n; i++)
        if (t->v_is_periodic[i]) control->periodic[control->nperiodic++] = t->n + i;
    if (velocities == 0 || velocities == t->n) return NOE_OK;
    return status_set(error, NOE_BAD_INPUT, "periodic: where one velocity is periodic all must be");
}

enum noe_status control_open(struct control *control, const struct noe_model *model,
                             const char *method, real until, long N,
                             const struct noe_model_settings *settings, struct noe_error *error) {
    memset(control, 0, sizeof *control);
    control->model = model;
    control->from = model->from;
    control->N = N;
    control->h = (until - model->from) / N;
    enum noe_status status = read_stages(control, method, error);
    if (status == NOE_OK)
        status = noe_transcription_create(&control->transcription, model, &control->stages,
                                          settings, error);
    if (status == NOE_OK) status = list_periodic(control, error);
    if (status != NOE_OK) return status;
    if (!make_arrays(control))
        return status_set(error, NOE_NO_MEMORY, "out of memory for %ld intervals", N);
    fill_patterns(control);
    return NOE_OK;
}

void control_clear(struct control *control) {
    noe_transcription_free(control->transcription);
    free(control->coefficients);
    free(control->periodic);
    free(control->reference);
    free(control->x_least);
    free(control->jrow);
    free(control->z);
    free(control->weights);
    free(control->values);
    memset(control, 0, sizeof *control);
}

/* --- Solving. */

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

/* Adds the derivative of cost + lambda.c of block k to `out`, which has a number for each of its
 * variables; lambda is that of its rows. */
static void block_derivative(const struct control *control, const double *x, const double *lambda,
                             long k, double *out) {
    const struct noe_block *block = block_of(control, k);
    const real *values = evaluate(control, x, k, NOE_JACOBIAN);
    for (int i = 0; i < block->nj; i++) {
        const double weight = block->jrow[i] < block->nc ? lambda[block->jrow[i]] : 1;
        out[block->jcol[i]] += weight * (double)values[i];
    }
}

/* How far the solution is from the conditions of Karush, Kuhn and Tucker. */
static void measure(const struct control *control, struct control_solution *solution) {
    const int nx = control->nx;
    double *slope = calloc((size_t)nx + 1, sizeof *slope);
    double *own = calloc((size_t)control->transcription->interval.nz +
                             (size_t)control->transcription->end.nz + 1,
                         sizeof *own);
    solution->kkt_error = solution->violation = NAN;
    if (slope && own) {
        const double *lambda = solution->lambda;
        double least = INFINITY, most = -INFINITY;
        for (long k = 0; k <= control->N; k++) {
            const struct noe_block *block = block_of(control, k);
            memset(own, 0, (size_t)block->nz * sizeof *own);
            block_derivative(control, solution->x, lambda, k, own);
            for (int j = 0; j < block->nz; j++) slope[variable(control, k, j)] += own[j];
            if (k < control->N) {
                solution->hamiltonian[k] = own[control->stride];
                least = fmin(least, own[control->stride]);
                most = fmax(most, own[control->stride]);
            }
            lambda += block->nc;
        }
        for (int i = 0; i < control->nperiodic; i++) {
            slope[(int)control->N * control->stride + control->periodic[i]] += lambda[i];
            slope[control->periodic[i]] -= lambda[i];
        }
        solution->hamiltonian_spread = most - least;
        double error = 0, violation = 0;
        for (int i = 0; i < nx; i++) {
            if (control->x_least[i] == control->x_most[i]) continue;
            error = fmax(error, fabs(slope[i] - solution->z_least[i] + solution->z_most[i]));
        }
        for (int i = 0; i < control->ng; i++)
            violation = fmax(violation, fmax(control->g_least[i] - solution->g[i],
                                             solution->g[i] - control->g_most[i]));
        solution->violation = violation;
        solution->kkt_error = fmax(error, violation);
    }
    free(slope);
    free(own);
}

enum noe_status control_solve(struct control *control, double tolerance, int iterations_max,
                              struct control_solution *solution, struct noe_error *error) {
    const struct nlp nlp = {.n = control->nx,
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
                            .data = control};
    const struct nlp_settings settings = {tolerance, iterations_max};
    struct nlp_result result = {.x = solution->x,
                                .g = solution->g,
                                .lambda = solution->lambda,
                                .z_least = solution->z_least,
                                .z_most = solution->z_most};
    struct noe_error own = {0};
    solution->status = nlp_solve(&nlp, &settings, &result, &own);
    if (error) *error = own;
    snprintf(solution->words, sizeof solution->words, "%s", result.words ? result.words : own.text);
    if (solution->status < 0) return solution->status;
    solution->cost = result.f;
    solution->iterations = result.iterations;
    solution->seconds = result.seconds;
    solution->seconds_in_derivatives = result.seconds_in_callbacks;
    measure(control, solution);
    return solution->status;
}

/* --- Reading a solution. */

real control_time(const struct control *control, const double *x, long k) {
    return control->from + k * (real)x[step_at(control)];
}

void control_input(const struct control *control, const double *x, long k, real c, real *u) {
    const struct noe_transcription *t = control->transcription;
    const double *stage = x + k * control->stride + 2 * t->n + t->s * t->n;
    for (int i = 0; i < t->m; i++) u[i] = 0;
    for (int j = 0; j < t->s; j++) { /* the polynomial through the stages */
        real weight = 1;
        for (int l = 0; l < t->s; l++)
            if (l != j)
                weight *=
                    (c - control->stages.c[l]) / (control->stages.c[j] - control->stages.c[l]);
        for (int i = 0; i < t->m; i++) u[i] += weight * (real)stage[j * t->m + i];
    }
}

void control_costate(const struct control *control, const struct control_solution *solution, long k,
                     real *costate) {
    const struct noe_transcription *t = control->transcription;
    const int nz = t->interval.nz + t->end.nz;
    double *own = calloc((size_t)nz + 1, sizeof *own);
    for (int i = 0; i < 2 * t->n; i++) costate[i] = (real)NAN;
    if (!own) return;
    block_derivative(control, solution->x, solution->lambda + k * t->interval.nc, k, own);
    for (int i = 0; i < 2 * t->n; i++) costate[i] = own[i];
    free(own);
}
