/* Consistent initial values: a start is rejected, projected onto the constraints, or accepted. */
/* SPDX-License-Identifier: MIT */
#include "model/equations/start_projection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Residuals are relative to psi_v times the components that the constraint moves. */
#define RESIDUAL_MAX   ((real)1e-8)       /* a larger residual is taken for a mistake */
#define RESIDUAL_ROUND (64 * NOE_EPSILON) /* a smaller residual is round-off of the expression */
enum { ITERATIONS_MAX = 20 };

struct projection {
    struct definition *model;
    const struct noe_system *system;
    int n, ng, nc;
    real *size;      /* by direction: magnitude of the components it moves, or of the velocity */
    real *c, *d;     /* constraints and their derivatives at the start */
    real *p, *pv;    /* momentum and mass matrix */
    bool has_mass;   /* the mass matrix is positive as far as known */
    real *rhs, *y;   /* nc components each */
    real *dx, *step; /* n and n + np components */
    real *room[2];   /* work of the two conjugate gradient solvers, 3 max(n, nc) each */
};

static bool allocate(struct projection *s) {
    const struct noe_system *system = s->system;
    const size_t n = (size_t)s->n, nc = (size_t)s->nc, max = n > nc ? n : nc;
    const size_t np = (size_t)s->model->np;
    const size_t total =
        4 * n + np + (size_t)system->nz + 5 * nc + 2 * (size_t)system->nzc + 6 * max;
    real *at = calloc(total + 1, sizeof *at);
    s->size = at;
    if (!at) return false;
    s->p = s->size + n;
    s->pv = s->p + n;
    s->c = s->pv + system->nz;
    s->d = s->c + 3 * nc;
    s->rhs = s->d + 2 * (size_t)system->nzc;
    s->y = s->rhs + nc;
    s->dx = s->y + nc;
    s->step = s->dx + n;
    s->room[0] = s->step + n + np;
    s->room[1] = s->room[0] + 3 * max;
    return true;
}

static int row_of(const struct projection *s, int e) {
    return s->system->crow ? s->system->crow[e] : e / s->n;
}

static int col_of(const struct projection *s, int e) {
    return s->system->crow ? s->system->ccol[e] : e % s->n;
}

/* --- Linear algebra: (psi_v M^-1 psi_v^T) y = residual by nested conjugate gradients. */

static real dot(int n, const real *x, const real *y) {
    real sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

typedef void apply_function(struct projection *, const real *x, real *y);

/* Conjugate gradients: A x = b with a symmetric positive semidefinite A. If A is singular, b must
 * be in its range. False if A is indefinite. */
static bool solve(struct projection *s, int n, apply_function *apply, const real *b, real *x,
                  real *room) {
    real *r = room, *direction = r + n, *image = direction + n;
    memset(x, 0, (size_t)n * sizeof *x);
    memcpy(r, b, (size_t)n * sizeof *r);
    memcpy(direction, b, (size_t)n * sizeof *r);
    const real first = dot(n, b, b), min = NOE_EPSILON * NOE_EPSILON * first;
    real now = first;
    for (int i = 0; i < 2 * n + ITERATIONS_MAX && now > min; i++) {
        apply(s, direction, image);
        const real curvature = dot(n, direction, image);
        if (!(curvature > 0)) return i > 0;
        const real length = now / curvature;
        for (int k = 0; k < n; k++) {
            x[k] += length * direction[k];
            r[k] -= length * image[k];
        }
        const real next = dot(n, r, r), ratio = next / now;
        for (int k = 0; k < n; k++) direction[k] = r[k] + ratio * direction[k];
        now = next;
    }
    return true;
}

static void apply_mass(struct projection *s, const real *x, real *y) {
    const struct noe_system *system = s->system;
    memset(y, 0, (size_t)s->n * sizeof *y);
    for (int e = 0; e < system->nz; e++) {
        const int row = system->row ? system->row[e] : e / s->n;
        y[row] += s->pv[e] * x[system->row ? system->col[e] : e % s->n];
    }
}

/* y = M^-1 x, or y = x if M is not positive. */
static void divide_by_mass(struct projection *s, const real *x, real *y) {
    if (s->has_mass && solve(s, s->n, apply_mass, x, y, s->room[1])) return;
    s->has_mass = false;
    memcpy(y, x, (size_t)s->n * sizeof *y);
}

/* x = M^-1 psi_v^T y, restricted to the first `rows` rows. */
static void apply_jacobian_transpose(struct projection *s, int rows, const real *y, real *x) {
    memset(s->step, 0, (size_t)s->n * sizeof *s->step);
    for (int e = 0; e < s->system->nzc; e++)
        if (row_of(s, e) < rows) s->step[col_of(s, e)] += s->d[e] * y[row_of(s, e)];
    divide_by_mass(s, s->step, x);
}

static void apply_rows(struct projection *s, int rows, const real *y, real *image) {
    apply_jacobian_transpose(s, rows, y, s->dx);
    memset(image, 0, (size_t)rows * sizeof *image);
    for (int e = 0; e < s->system->nzc; e++)
        if (row_of(s, e) < rows) image[row_of(s, e)] += s->d[e] * s->dx[col_of(s, e)];
}

static void apply_positions(struct projection *s, const real *y, real *image) {
    apply_rows(s, s->ng, y, image);
}

static void apply_velocities(struct projection *s, const real *y, real *image) {
    apply_rows(s, s->nc, y, image);
}

/* dx = the smallest change in the mass metric with psi_v dx = -residual. */
static void find_change(struct projection *s, int rows, const real *residual) {
    for (int k = 0; k < rows; k++) s->rhs[k] = -residual[k];
    solve(s, rows, rows == s->nc ? apply_velocities : apply_positions, s->rhs, s->y, s->room[0]);
    apply_jacobian_transpose(s, rows, s->y, s->dx);
}

/* --- Residuals. */

static void evaluate(struct projection *s) {
    const struct definition *model = s->model;
    s->system->constraints_second(s->system, model->from, model->q, model->v, s->c, s->d);
}

/* Magnitudes of the components that the directions move. For a group, the largest of its point. */
static void measure_positions(struct projection *s) {
    const real *q = s->model->q;
    real *size = s->size;
    for (int i = 0; i < s->model->nfactors; i++) {
        const struct noe_factor *factor = &s->model->factor[i];
        const int point = factor->space->point * factor->size;
        const int tangent = factor->space->tangent * factor->size;
        real largest = 0;
        for (int k = 0; k < point; k++) largest = noe_max(largest, noe_abs(q[k]));
        for (int k = 0; k < tangent; k++) size[k] = factor->space->frame ? largest : noe_abs(q[k]);
        q += point;
        size += tangent;
    }
}

static void measure_velocities(struct projection *s) {
    for (int k = 0; k < s->n; k++) s->size[k] = noe_abs(s->model->v[k]);
}

/* Residual of a row relative to the largest component that it moves, or to 1 if all are zero. *e is
 * the row's first entry and is advanced to the next row. */
static real relative(const struct projection *s, int row, real residual, int *e) {
    real slope = 0, size = 0;
    for (; *e < s->system->nzc && row_of(s, *e) == row; ++*e) {
        slope += noe_abs(s->d[*e]);
        size = noe_max(size, s->size[col_of(s, *e)]);
    }
    if (residual == 0) return 0;
    const real scale = slope * (size > 0 ? size : 1);
    return noe_abs(residual) / (scale > 0 ? scale : 1);
}

/* Row with the largest relative residual. A residual that is not finite counts as the largest. */
static int find_worst(const struct projection *s, int rows, const real *residual, real *worst) {
    int found = 0, e = 0;
    *worst = 0;
    for (int k = 0; k < rows; k++) {
        const real size = relative(s, k, residual[k], &e);
        if (size <= *worst) continue;
        found = k;
        *worst = size;
        if (!real_is_finite(size)) break;
    }
    return found;
}

static const struct noe_constraint *stated_row(const struct definition *model, int row) {
    const struct noe_constraint *stated = model->constraint;
    while (stated->row != row) stated++;
    return stated;
}

/* --- Messages. */

static void name_part(const struct noe_constraint *stated, size_t size, char *text) {
    if (stated->component > 0)
        snprintf(text, size, "component %d of this constraint", stated->component);
    else
        snprintf(text, size, "this constraint");
}

static enum noe_status reject(const struct projection *s, int row, real residual, bool by_velocity,
                              struct noe_error *error) {
    const struct noe_constraint *stated = stated_row(s->model, row);
    const bool is_rate = by_velocity && stated->is_holonomic;
    char name[64], shown[48];
    name_part(stated, sizeof name, name);
    snprintf(shown, sizeof shown, "%.6g", (double)residual);
    return status_set_at(error, stated->line, stated->column,
                         "the start%s breaks %s: %sleft side minus right side is %s%s",
                         is_rate ? " velocity" : "", name, is_rate ? "the rate of " : "", shown,
                         is_rate ? " (the positions meet it; the velocities must be tangent to it)"
                                 : "");
}

static bool note(const struct projection *s, int row, real residual, bool by_velocity) {
    const struct noe_constraint *stated = stated_row(s->model, row);
    char name[64];
    name_part(stated, sizeof name, name);
    return definition_note(
        s->model, stated->line, stated->column,
        "the start%s misses %s by %.3g: the nearest %s that meet all constraints are used",
        by_velocity && stated->is_holonomic ? " velocity" : "", name, (double)noe_abs(residual),
        by_velocity ? "velocities" : "positions");
}

/* --- Projection. */

static void move_point(struct projection *s) {
    real *q = s->model->q;
    const real *x = s->dx;
    for (int i = 0; i < s->model->nfactors; i++) {
        const struct noe_factor *factor = &s->model->factor[i];
        factor->space->retract(factor->size, 0, q, q, x);
        if (factor->space->maps.project) factor->space->maps.project(q);
        q += factor->space->point * factor->size;
        x += factor->space->tangent * factor->size;
    }
}

/* Gauss-Newton iteration to round-off, or until it stagnates. */
static void project(struct projection *s, bool of_velocity) {
    real worst, before = (real)INFINITY;
    const int rows = of_velocity ? s->nc : s->ng;
    const real *residual = of_velocity ? s->c + s->ng : s->c;
    for (int i = 0; i < ITERATIONS_MAX; i++) {
        find_worst(s, rows, residual, &worst);
        if (worst <= NOE_EPSILON || !(worst < before / 2)) break;
        before = worst;
        find_change(s, rows, residual);
        if (of_velocity)
            for (int k = 0; k < s->n; k++) s->model->v[k] += s->dx[k];
        else
            move_point(s);
        evaluate(s);
    }
}

/* Rejects, projects or accepts positions or velocities. */
static enum noe_status check_and_project(struct projection *s, bool of_velocity,
                                         struct noe_error *error) {
    const int rows = of_velocity ? s->nc : s->ng;
    const real *residual = of_velocity ? s->c + s->ng : s->c;
    real worst;
    if (of_velocity)
        measure_velocities(s);
    else
        measure_positions(s);
    const int row = find_worst(s, rows, residual, &worst);
    const real first = residual[row];
    if (!(worst <= RESIDUAL_MAX)) return reject(s, row, first, of_velocity, error);
    if (worst <= RESIDUAL_ROUND) return NOE_OK;
    project(s, of_velocity);
    const int left = find_worst(s, rows, residual, &worst);
    if (!(worst <= RESIDUAL_MAX / 100)) return reject(s, left, residual[left], of_velocity, error);
    if (note(s, row, first, of_velocity)) return NOE_OK;
    return status_set(error, NOE_NO_MEMORY, "out of memory while checking the start");
}

enum noe_status start_projection_make(struct definition *model, const struct noe_system *system,
                                      struct noe_error *error) {
    struct projection s = {.model = model,
                           .system = system,
                           .n = system->n,
                           .ng = system->nholonomic,
                           .nc = system->nholonomic + system->nnonholonomic,
                           .has_mass = true};
    if (s.nc == 0) return NOE_OK;
    if (!allocate(&s))
        return status_set(error, NOE_NO_MEMORY, "out of memory while checking the start");
    system->momentum(system, model->from, model->q, model->v, s.p, s.pv);
    evaluate(&s);
    enum noe_status status = s.ng > 0 ? check_and_project(&s, false, error) : NOE_OK;
    if (status == NOE_OK) status = check_and_project(&s, true, error);
    free(s.size);
    return status;
}
