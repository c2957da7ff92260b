/* Symplecticity defect of a step, from its tangent map. */
/* SPDX-License-Identifier: MIT */
#include "study/verify/symplecticity.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/status.h"
#include "methods/method.h"
#include "spaces/product.h"
#include "study/verify/constraint_tangent_space.h"

enum { TANGENT_MAX = 6 }; /* largest dimension of a group */

/* Sum of B(p)_ba x_a y_b over the groups, where x and y are columns of a matrix with `stride`
 * numbers per row. It is the contribution of the momentum p to the symplectic form in the left
 * trivialisation. */
static real twist(const struct noe_system *system, const real *p, int stride, const real *x,
                  const real *y) {
    real sum = 0;
    for (int f = 0; system->factors && f < system->nfactors; f++) {
        const struct noe_space *space = system->factors[f].space;
        const int n = space->tangent * system->factors[f].size;
        if (space->maps.poisson) {
            real B[TANGENT_MAX * TANGENT_MAX];
            space->maps.poisson(B, p);
            for (int a = 0; a < n; a++)
                for (int b = 0; b < n; b++) sum += B[b * n + a] * x[a * stride] * y[b * stride];
        }
        p += n;
        x += (ptrdiff_t)n * stride;
        y += (ptrdiff_t)n * stride;
    }
    return sum;
}

/* Tangent map of a step, 2n x 2n and row-major, and the momenta before and after it. */
struct step_derivative {
    const struct noe_system *system;
    real *m, *before, *one;
    const real *after;
    int ndirections; /* with constraints: dimension of the tangent space */
    real *directions, *form;
};

/* (M^T W(p1) M - W(p0))_ij with W(p) = ((B(p)^T, 1), (-1, 0)). `size` is raised to the sum of the
 * magnitudes of its terms. */
static real form_entry(const struct step_derivative *d, int i, int j, real *size) {
    const int n = d->system->n;
    real sum = j == i + n ? -1 : i == j + n ? 1 : 0, magnitude = 1;
    for (int k = 0; k < n; k++) {
        const real *q = d->m + 2 * (size_t)n * (size_t)k, *p = q + 2 * (size_t)n * (size_t)n;
        sum += q[i] * p[j] - p[i] * q[j];
        magnitude += noe_abs(q[i] * p[j]) + noe_abs(p[i] * q[j]);
    }
    const real added = twist(d->system, d->after, 2 * n, d->m + i, d->m + j);
    real was = 0;
    if (i < n && j < n) {
        d->one[i] = d->one[n + j] = 1;
        was = twist(d->system, d->before, 1, d->one, d->one + n);
        d->one[i] = d->one[n + j] = 0;
    }
    magnitude += noe_abs(added) + noe_abs(was);
    if (magnitude > *size) *size = magnitude;
    return sum + added - was;
}

/* x.(M^T W M - W) y for two tangent directions. */
static real form_along(const struct step_derivative *d, const real *x, const real *y) {
    const int size = 2 * d->system->n;
    real sum = 0;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) sum += x[i] * d->form[i * size + j] * y[j];
    return sum;
}

/* Defect restricted to the constraint manifold. */
static void add_restricted_defect(struct method_report *card, const struct step_derivative *d) {
    const int size = 2 * d->system->n;
    real magnitude = 0;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) d->form[i * size + j] = form_entry(d, i, j, &magnitude);
    for (int i = 0; i < d->ndirections; i++)
        for (int j = 0; j < i; j++) {
            const real entry = form_along(d, d->directions + (ptrdiff_t)i * size,
                                          d->directions + (ptrdiff_t)j * size);
            card->symplecticity_defect = noe_max(card->symplecticity_defect, noe_abs(entry));
        }
    card->symplecticity_rounding = noe_max(card->symplecticity_rounding, NOE_EPSILON * magnitude);
}

static void add_form_defect(struct method_report *card, const struct step_derivative *derivative) {
    const int n = derivative->system->n;
    real size = 0;
    for (int i = 0; i < 2 * n; i++)
        for (int j = i + 1; j < 2 * n; j++)
            card->symplecticity_defect =
                noe_max(card->symplecticity_defect, noe_abs(form_entry(derivative, i, j, &size)));
    card->symplecticity_rounding = noe_max(card->symplecticity_rounding, NOE_EPSILON * size);
}

/* Tangent map by finite differences: the run that takes trial steps, their starts and ends. */
struct trial {
    struct noe_work *work;
    const struct noe_problem *problem;
    real t;
    const real *q, *p;            /* start of the step */
    real *x, *q1, *p1, *end;      /* displaced start; end (q and p) of the undisturbed step */
    real *column[4], *numbers[2]; /* changes of the end for four widths */
};

static void trial_layout(struct arena *arena, struct trial *trial) {
    const size_t n = (size_t)trial->problem->system->n, np = (size_t)trial->problem->np;
    trial->x = arena_reals(arena, n);
    trial->q1 = arena_reals(arena, np);
    trial->p1 = arena_reals(arena, n);
    trial->end = arena_reals(arena, np + n);
    for (int i = 0; i < 4; i++) trial->column[i] = arena_reals(arena, 2 * n);
    for (int i = 0; i < 2; i++) trial->numbers[i] = arena_reals(arena, i ? n : np);
}

/* x = tau^-1(g0^-1 g1), factor by factor. */
static void difference_of(const struct noe_system *system, real *x, const real *g0,
                          const real *g1) {
    for (int i = 0; !system->factors && i < system->n; i++) x[i] = g1[i] - g0[i];
    for (int i = 0; system->factors && i < system->nfactors; i++) {
        const struct noe_space *space = system->factors[i].space;
        const int size = system->factors[i].size;
        space->difference(size, 0, x, g0, g1);
        x += space->tangent * size;
        g0 += space->point * size;
        g1 += space->point * size;
    }
}

/* One step from (q, p) displaced by `shift` along direction j. */
static enum noe_status trial_step(struct trial *trial, int j, real shift, struct noe_error *error) {
    const struct noe_problem *problem = trial->problem;
    const int n = problem->system->n;
    memcpy(trial->p1, trial->p, (size_t)n * sizeof(real));
    memset(trial->x, 0, (size_t)n * sizeof(real));
    if (j < n)
        trial->x[j] = shift;
    else
        trial->p1[j - n] += shift;
    product_retract(problem->system, 0, trial->q1, trial->q, trial->x);
    const enum noe_status status =
        noe_work_start_momentum(trial->work, trial->t, trial->q1, trial->p1, error);
    return status == NOE_OK ? noe_work_step_by(trial->work, problem->h, error) : status;
}

/* Derivative of the end along direction j, by finite differences of widths e and 2e. */
static enum noe_status trial_column(struct trial *trial, int j, real e, struct noe_error *error) {
    static const real width[4] = {1, -1, 2, -2};
    const struct noe_system *system = trial->problem->system;
    const int n = system->n, np = trial->problem->np;
    for (int i = 0; i < 4; i++) {
        const enum noe_status status = trial_step(trial, j, width[i] * e, error);
        if (status != NOE_OK) return status;
        const struct noe_state *now = noe_work_state(trial->work);
        difference_of(system, trial->column[i], trial->end, now->q);
        for (int k = 0; k < n; k++) trial->column[i][n + k] = now->p[k] - trial->end[np + k];
    }
    for (int k = 0; k < 2 * n; k++) {
        real *const *c = trial->column;
        c[0][k] = (8 * (c[0][k] - c[1][k]) - (c[2][k] - c[3][k])) / (12 * e);
    }
    return NOE_OK;
}

/* Tangent map of the next step of `work` by finite differences, for methods that do not provide it.
 * Its errors are e^4 and epsilon/e. */
static enum noe_status differentiate_step(struct trial *trial, const struct noe_state *now,
                                          real *derivative, struct noe_error *error) {
    const int n = trial->problem->system->n, np = trial->problem->np;
    const real e = noe_pow(NOE_EPSILON, (real)0.2);
    trial->t = now->t;
    trial->q = memcpy(trial->numbers[0], now->q, (size_t)np * sizeof(real));
    trial->p = memcpy(trial->numbers[1], now->p, (size_t)n * sizeof(real));
    enum noe_status status = trial_step(trial, 0, 0, error);
    if (status != NOE_OK) return status;
    memcpy(trial->end, noe_work_state(trial->work)->q, (size_t)np * sizeof(real));
    memcpy(trial->end + np, noe_work_state(trial->work)->p, (size_t)n * sizeof(real));
    for (int j = 0; j < 2 * n && status == NOE_OK; j++) {
        status = trial_column(trial, j, e, error);
        for (int i = 0; i < 2 * n; i++) derivative[i * 2 * n + j] = trial->column[0][i];
    }
    return status;
}

/* One step of `work` and its tangent map. */
static enum noe_status take_step(struct noe_work *work, struct trial *trial, real *derivative,
                                 struct noe_error *error) {
    if (!trial->work) return noe_work_step_linearised(work, derivative, error);
    const enum noe_status status =
        differentiate_step(trial, noe_work_state(work), derivative, error);
    return status == NOE_OK ? noe_work_step_by(work, trial->problem->h, error) : status;
}

static enum noe_status find_directions(struct noe_work *work, struct step_derivative *derivative,
                                       struct noe_error *error) {
    const struct noe_state *now = noe_work_state(work);
    struct noe_observation moment;
    const enum noe_status status = noe_work_observe(work, &moment, error);
    if (status != NOE_OK) return status;
    derivative->ndirections = constraint_tangent_directions(derivative->system, now->t, now->q,
                                                            moment.v, derivative->directions);
    if (derivative->ndirections >= 0) return NOE_OK;
    return status_set(error, NOE_NO_MEMORY, "out of memory for constraints");
}

static enum noe_status measure(struct method_report *card, const struct convergence_task *task,
                               struct trial *trial, struct step_derivative *derivative,
                               struct noe_error *error) {
    const int n = task->system->n;
    struct noe_work *work;
    enum noe_status status = method_report_begin(&work, task, trial->problem, error);
    if (status == NOE_OK && card->symplecticity_by_differences)
        status = noe_work_create(&trial->work, trial->problem, error);
    card->symplecticity_defect = card->symplecticity_rounding = 0;
    for (int i = 0; i < METHOD_REPORT_POINTS && status == NOE_OK; i++) {
        memcpy(derivative->before, noe_work_state(work)->p, (size_t)n * sizeof(real));
        if (derivative->directions) status = find_directions(work, derivative, error);
        if (status == NOE_OK) status = take_step(work, trial, derivative->m, error);
        derivative->after = noe_work_state(work)->p;
        if (status == NOE_OK && derivative->directions)
            add_restricted_defect(card, derivative);
        else if (status == NOE_OK)
            add_form_defect(card, derivative);
        if (status == NOE_OK && n <= METHOD_REPORT_MATRIX_MAX / 4)
            status = noe_work_steps(work, METHOD_REPORT_STRIDE, error);
    }
    if (status != NOE_OK) card->symplecticity_defect = noe_sqrt((real)-1);
    if (card->symplecticity_by_differences)
        card->symplecticity_rounding *= noe_pow(NOE_EPSILON, (real)-0.2);
    noe_work_free(trial->work);
    noe_work_free(work);
    return status;
}

static void derivative_layout(struct arena *arena, struct step_derivative *derivative) {
    const size_t n = (size_t)derivative->system->n;
    derivative->m = arena_reals(arena, 4 * n * n);
    derivative->before = arena_reals(arena, n);
    derivative->one = arena_reals(arena, 2 * n);
    if (derivative->system->nholonomic == 0) return;
    derivative->directions = arena_reals(arena, 4 * n * n);
    derivative->form = arena_reals(arena, 4 * n * n);
}

enum noe_status symplecticity_measure(struct method_report *card,
                                      const struct convergence_task *task,
                                      const struct noe_problem *problem, struct noe_error *error) {
    struct step_derivative derivative = {.system = task->system};
    struct trial trial = {.problem = problem};
    struct arena arena = {0};
    card->symplecticity_by_differences = !problem->internals->scheme->tangent;
    const bool is_constrained = task->system->nholonomic + task->system->nnonholonomic > 0;
    const bool is_linearised =
        problem->internals->scheme->tangent && !problem->internals->has_no_derivative;
    if (task->system->n > METHOD_REPORT_MATRIX_MAX || (is_constrained && !is_linearised) ||
        (problem->traits & NOE_MULTISTEP))
        return NOE_OK;
    derivative_layout(&arena, &derivative);
    trial_layout(&arena, &trial);
    void *block = aligned_alloc(64, (arena.used + 63) / 64 * 64);
    if (!block) return status_set(error, NOE_NO_MEMORY, "out of memory");
    memset(block, 0, arena.used);
    arena = (struct arena){.base = block};
    derivative_layout(&arena, &derivative);
    trial_layout(&arena, &trial);
    const enum noe_status status = measure(card, task, &trial, &derivative, error);
    free(block);
    return status;
}
