/* A method measured on one system: order, symplecticity, reversibility, energy. */
/* SPDX-License-Identifier: MIT */
#include "study/card.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "study/trajectory.h"

enum {
    POINTS = 5,       /* where derivatives and defects are measured */
    STRIDE = 7,       /* steps between them */
    MATRIX_MAX = 400, /* degrees of freedom up to which M^T J M is formed */
    ENERGY_STEPS_MAX = 100000,
    ORDER_ROWS = 8,  /* 1, 2, 4 .. steps over the span */
    SPAN_FIRST = 16, /* steps in the shortest span */
    SPAN_GROWTHS = 4,
    SPAN_REFERENCE_STEPS_MAX = 1 << 13
};

static real not_known(void) { return noe_sqrt((real)-1); }

static enum noe_status begin(struct noe_work **work, const struct convergence_task *task,
                             const struct noe_problem *problem, struct noe_error *error) {
    *work = NULL;
    enum noe_status status = noe_work_create(work, problem, error);
    if (status == NOE_OK) status = noe_start(*work, task->from, task->q, task->v, error);
    return status;
}

enum noe_status card_derivatives(struct card *card, const struct convergence_task *task,
                                 const struct noe_problem *problem, struct noe_error *error) {
    enum noe_status status =
        differences_check(&card->derivatives, task->system, task->from, task->q, task->v, error);
    card->points = 1;
    if (status != NOE_OK || !problem) return status;
    struct noe_work *work;
    bool goes_on = begin(&work, task, problem, NULL) == NOE_OK;
    const int points = task->system->n > MATRIX_MAX ? 2 : POINTS;
    while (goes_on && status == NOE_OK && card->points < points) {
        struct noe_moment moment;
        goes_on =
            noe_steps(work, STRIDE, NULL) == NOE_OK && noe_measure(work, &moment, NULL) == NOE_OK;
        if (!goes_on) break; /* the motion is judged elsewhere */
        const struct noe_state *now = noe_now(work);
        status =
            differences_check(&card->derivatives, task->system, now->t, now->q, moment.v, error);
        card->points++;
    }
    noe_work_free(work);
    return status;
}

/* (M^T J M - J)_ij with J = ((0, 1), (-1, 0)) and M stored row by row, 2n x 2n. */
static real form_entry(int n, const real *m, int i, int j) {
    real sum = j == i + n ? -1 : i == j + n ? 1 : 0;
    for (int k = 0; k < n; k++) {
        const real *q = m + 2 * (size_t)n * (size_t)k, *p = m + 2 * (size_t)n * (size_t)(n + k);
        sum += q[i] * p[j] - p[i] * q[j];
    }
    return sum;
}

static real form_defect(int n, const real *m) {
    real defect = 0;
    for (int i = 0; i < 2 * n; i++)
        for (int j = i + 1; j < 2 * n; j++)
            defect = noe_max(defect, noe_abs(form_entry(n, m, i, j)));
    return defect;
}

static enum noe_status measure_symplecticity(struct card *card, const struct convergence_task *task,
                                             const struct noe_problem *problem,
                                             struct noe_error *error) {
    const int n = task->system->n;
    if (n > MATRIX_MAX) return NOE_OK;
    real *derivative = malloc(4 * (size_t)n * (size_t)n * sizeof *derivative);
    if (!derivative) return status_set(error, NOE_NO_MEMORY, "out of memory");
    struct noe_work *work;
    enum noe_status status = begin(&work, task, problem, error);
    real defect = 0;
    for (int i = 0; i < POINTS && status == NOE_OK; i++) {
        status = noe_step_linearised(work, derivative, error);
        if (status == NOE_OK) defect = noe_max(defect, form_defect(n, derivative));
        if (status == NOE_OK && n <= MATRIX_MAX / 4) status = noe_steps(work, STRIDE, error);
    }
    if (status == NOE_OK) card->symplecticity_defect = defect;
    noe_work_free(work);
    free(derivative);
    return status;
}

/* A step by h and one by -h: how far from where it was. */
static enum noe_status there_and_back(struct noe_work *work, const struct noe_problem *problem,
                                      real *before, real *defect, struct noe_error *error) {
    const size_t np = (size_t)problem->np, n = (size_t)problem->system->n;
    const struct noe_state *now = noe_now(work);
    memcpy(before, now->q, np * sizeof *before);
    memcpy(before + np, now->p, n * sizeof *before);
    enum noe_status status = noe_step_by(work, problem->h, error);
    if (status == NOE_OK) status = noe_step_by(work, -problem->h, error);
    if (status != NOE_OK) return status;
    now = noe_now(work);
    for (size_t i = 0; i < np; i++) *defect = noe_max(*defect, noe_abs(now->q[i] - before[i]));
    for (size_t i = 0; i < n; i++) *defect = noe_max(*defect, noe_abs(now->p[i] - before[np + i]));
    return NOE_OK;
}

static enum noe_status measure_reversibility(struct card *card, const struct convergence_task *task,
                                             const struct noe_problem *problem,
                                             struct noe_error *error) {
    real *before = malloc((size_t)(problem->np + task->system->n) * sizeof *before);
    if (!before) return status_set(error, NOE_NO_MEMORY, "out of memory");
    struct noe_work *work;
    real defect = 0;
    enum noe_status status = begin(&work, task, problem, error);
    for (int i = 0; i < POINTS && status == NOE_OK; i++) {
        status = there_and_back(work, problem, before, &defect, error);
        if (status == NOE_OK) status = noe_steps(work, STRIDE, error);
    }
    if (status == NOE_OK) card->reversibility_defect = defect;
    noe_work_free(work);
    free(before);
    return status;
}

/* Sums of the line of least squares through the energy. */
struct line {
    real count, t, e, tt, te;
};

static void line_add(struct line *line, real t, real e) {
    line->count += 1;
    line->t += t;
    line->e += e;
    line->tt += t * t;
    line->te += t * e;
}

static real line_slope(const struct line *line) {
    const real spread = line->count * line->tt - line->t * line->t;
    return spread > 0 ? (line->count * line->te - line->t * line->e) / spread : not_known();
}

static bool reached(const struct noe_work *work, const struct convergence_task *task,
                    const struct noe_problem *problem, long steps) {
    const real t = noe_now(work)->t;
    if (task->until != task->until) return steps >= 100;
    return steps >= ENERGY_STEPS_MAX || t >= task->until - problem->h / 2;
}

static enum noe_status measure_energy(struct card *card, const struct convergence_task *task,
                                      const struct noe_problem *problem, struct noe_error *error) {
    struct noe_work *work;
    struct noe_moment moment;
    enum noe_status status = begin(&work, task, problem, error);
    if (status == NOE_OK) status = noe_measure(work, &moment, error);
    struct line line = {0};
    real largest = 0;
    const real start = status == NOE_OK ? moment.energy : not_known();
    card->energy_start = start;
    if (status == NOE_OK) line_add(&line, 0, 0);
    while (status == NOE_OK && !reached(work, task, problem, card->energy_steps)) {
        status = noe_step(work, error);
        if (status == NOE_OK) status = noe_measure(work, &moment, error);
        if (status == NOE_OK && !real_is_finite(moment.energy))
            status = status_set(error, NOE_NOT_FINITE,
                                "step %ld, t = %.9g: the energy is not a finite number",
                                card->energy_steps + 1, (double)noe_now(work)->t);
        if (status != NOE_OK) break;
        largest = noe_max(largest, noe_abs(moment.energy - start));
        line_add(&line, noe_now(work)->t - task->from, moment.energy - start);
        card->energy_steps++;
    }
    if (card->energy_steps > 0) {
        card->energy_max_error = largest;
        card->energy_slope = line_slope(&line);
    }
    noe_work_free(work);
    return status;
}

/* Orders over one span: true if the coarsest rows stand well above rounding, so that a longer span
 * would show no more. */
static bool measure_order_over(struct card *card, const struct convergence_task *task,
                               enum noe_status *status, struct noe_error *error) {
    struct convergence_reference reference;
    struct convergence_row row[ORDER_ROWS];
    real largest = 0;
    *status = convergence_refer(&reference, task, ORDER_ROWS, error);
    for (int i = 0; i < ORDER_ROWS && *status == NOE_OK; i++) {
        row[i].steps = 1L << i;
        row[i].h = (task->until - task->from) / (real)row[i].steps;
        const enum noe_status one = convergence_measure(&row[i], &reference, task, error);
        if (one < 0) *status = one;
        if (one == NOE_OK && row[i].error > largest) largest = row[i].error;
    }
    bool is_enough = true;
    if (*status == NOE_OK) {
        const real order = convergence_order(ORDER_ROWS, row, &reference);
        is_enough = largest > (real)1e-5 * reference.scale && order == order;
        if (order == order || card->order != card->order) {
            card->order = order;
            card->order_span = task->until - task->from;
            snprintf(card->order_words, sizeof card->order_words, "%s", reference.words);
        }
    }
    convergence_reference_clear(&reference);
    return is_enough;
}

static enum noe_status measure_order(struct card *card, const struct convergence_task *task,
                                     const struct noe_problem *problem, struct noe_error *error) {
    const real whole = task->until == task->until ? task->until - task->from : 1024 * problem->h;
    struct convergence_task short_task = *task;
    short_task.reference_steps_max = SPAN_REFERENCE_STEPS_MAX;
    real span = SPAN_FIRST * problem->h;
    enum noe_status status = NOE_OK;
    for (int i = 0; i < SPAN_GROWTHS; i++, span *= 4) {
        if (span > whole) span = whole;
        short_task.until = task->from + span;
        if (measure_order_over(card, &short_task, &status, error) || span >= whole) break;
    }
    return status;
}

enum noe_status card_method(struct card *card, const struct convergence_task *task,
                            const struct noe_problem *problem, struct noe_error *error) {
    card->order = card->symplecticity_defect = card->reversibility_defect = not_known();
    card->energy_start = card->energy_max_error = card->energy_slope = not_known();
    const enum noe_status energy = measure_energy(card, task, problem, error);
    if (energy != NOE_OK) {
        card->energy_error.status = energy;
        if (error) card->energy_error = *error;
        return energy;
    }
    enum noe_status status = measure_symplecticity(card, task, problem, error);
    if (status >= 0) status = measure_reversibility(card, task, problem, error);
    if (status >= 0) status = measure_order(card, task, problem, error);
    return status < 0 ? status : NOE_OK;
}
