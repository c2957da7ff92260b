/* Properties of a method measured on one system: order, symplecticity, reversibility, energy. */
/* SPDX-License-Identifier: MIT */
#include "study/verify/method_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "study/trajectory.h"
#include "study/verify/symplecticity.h"

enum {
    POINTS = METHOD_REPORT_POINTS,
    STRIDE = METHOD_REPORT_STRIDE,
    ENERGY_STEPS_MAX = 100000,
    SPAN_FIRST = 16, /* steps in the shortest time span */
    SPAN_GROWTHS = 6,
    SPAN_REFERENCE_STEPS_MAX = 1 << 13
};

/* Numbers of steps over the time span. They are dense enough that two neighbours lie between large
 * steps outside the asymptotic regime and small ones dominated by round-off. */
static const int order_steps[] = {1,  2,  3,  4,  5,  6,  8,  10, 12, 16,
                                  20, 24, 32, 40, 48, 64, 80, 96, 128};
enum { ORDER_ROWS = sizeof order_steps / sizeof *order_steps };

static real not_known(void) { return noe_sqrt((real)-1); }

enum noe_status method_report_begin(struct noe_work **work, const struct convergence_task *task,
                                    const struct noe_problem *problem, struct noe_error *error) {
    *work = NULL;
    enum noe_status status = noe_work_create(work, problem, error);
    if (status == NOE_OK) status = noe_work_start(*work, task->from, task->q, task->v, error);
    return status;
}

enum noe_status method_report_derivatives(struct method_report *card,
                                          const struct convergence_task *task,
                                          const struct noe_problem *problem,
                                          struct noe_error *error) {
    enum noe_status status =
        derivative_check(&card->derivatives, task->system, task->from, task->q, task->v, error);
    card->points = 1;
    if (status != NOE_OK || !problem) return status;
    struct noe_work *work;
    status = method_report_begin(&work, task, problem, error);
    bool goes_on = status == NOE_OK;
    if (status > 0) status = NOE_OK; /* the motion is examined elsewhere */
    const int points = task->system->n > METHOD_REPORT_MATRIX_MAX ? 2 : POINTS;
    while (goes_on && status == NOE_OK && card->points < points) {
        struct noe_observation moment;
        goes_on = noe_work_steps(work, STRIDE, NULL) == NOE_OK &&
                  noe_work_observe(work, &moment, NULL) == NOE_OK;
        if (!goes_on) break;
        const struct noe_state *now = noe_work_state(work);
        status =
            derivative_check(&card->derivatives, task->system, now->t, now->q, moment.v, error);
        card->points++;
    }
    noe_work_free(work);
    return status;
}

/* Reversibility: a step by h, then one by -h, and the distance from the start. */
static enum noe_status there_and_back(struct method_report *card, struct noe_work *work,
                                      const struct noe_problem *problem, real *before,
                                      struct noe_error *error) {
    const size_t np = (size_t)problem->np, n = (size_t)problem->system->n;
    const struct noe_state *now = noe_work_state(work);
    memcpy(before, now->q, np * sizeof *before);
    memcpy(before + np, now->p, n * sizeof *before);
    enum noe_status status = noe_work_step_by(work, problem->h, error);
    if (status == NOE_OK) status = noe_work_step_by(work, -problem->h, error);
    if (status != NOE_OK) return status;
    now = noe_work_state(work);
    real defect = card->reversibility_defect;
    for (size_t i = 0; i < np; i++) defect = noe_max(defect, noe_abs(now->q[i] - before[i]));
    for (size_t i = 0; i < n; i++) defect = noe_max(defect, noe_abs(now->p[i] - before[np + i]));
    card->reversibility_defect = defect;
    card->reversibility_rounding =
        noe_max(card->reversibility_rounding, NOE_EPSILON * real_norm(np + n, before));
    return NOE_OK;
}

static enum noe_status measure_reversibility(struct method_report *card,
                                             const struct convergence_task *task,
                                             const struct noe_problem *problem,
                                             struct noe_error *error) {
    real *before = malloc((size_t)(problem->np + task->system->n) * sizeof *before);
    if (!before) return status_set(error, NOE_NO_MEMORY, "out of memory");
    struct noe_work *work;
    enum noe_status status = method_report_begin(&work, task, problem, error);
    card->reversibility_defect = card->reversibility_rounding = 0;
    for (int i = 0; i < POINTS && status == NOE_OK; i++) {
        status = there_and_back(card, work, problem, before, error);
        if (status == NOE_OK) status = noe_work_steps(work, STRIDE, error);
    }
    if (status != NOE_OK) card->reversibility_defect = not_known();
    noe_work_free(work);
    free(before);
    return status;
}

/* Sums of the linear least squares fit through the energy. */
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
    const real t = noe_work_state(work)->t;
    if (task->until != task->until) return steps >= 100;
    return steps >= ENERGY_STEPS_MAX || t >= task->until - problem->h / 2;
}

static enum noe_status measure_energy(struct method_report *card,
                                      const struct convergence_task *task,
                                      const struct noe_problem *problem, struct noe_error *error) {
    struct noe_work *work;
    struct noe_observation moment;
    enum noe_status status = method_report_begin(&work, task, problem, error);
    if (status == NOE_OK) status = noe_work_observe(work, &moment, error);
    struct line line = {0};
    real largest = 0;
    const real start = status == NOE_OK ? moment.energy : not_known();
    card->energy_start = start;
    if (status == NOE_OK) line_add(&line, 0, 0);
    while (status == NOE_OK && !reached(work, task, problem, card->energy_steps)) {
        status = noe_work_step(work, error);
        if (status == NOE_OK) status = noe_work_observe(work, &moment, error);
        if (status == NOE_OK && !real_is_finite(moment.energy))
            status = status_set(error, NOE_NOT_FINITE,
                                "step %ld, t = %.9g: the energy is not a finite number",
                                card->energy_steps + 1, (double)noe_work_state(work)->t);
        if (status != NOE_OK) break;
        largest = noe_max(largest, noe_abs(moment.energy - start));
        line_add(&line, noe_work_state(work)->t - task->from, moment.energy - start);
        card->energy_steps++;
    }
    if (card->energy_steps > 0) {
        card->energy_max_error = largest;
        card->energy_slope = line_slope(&line);
    }
    noe_work_free(work);
    return status;
}

static enum noe_status measure_rows(struct convergence_row *row,
                                    const struct convergence_reference *reference,
                                    const struct convergence_task *task, struct noe_error *error) {
    enum noe_status status = NOE_OK;
    for (int i = 0; i < ORDER_ROWS && status >= 0; i++) {
        row[i].steps = order_steps[i];
        row[i].h = (task->until - task->from) / (real)row[i].steps;
        status = convergence_measure(&row[i], reference, task, error);
        if (row[i].error > reference->scale / 20) row[i].error = not_known(); /* too coarse */
    }
    return status < 0 ? status : NOE_OK; /* a solver failure at a large step is not an error */
}

/* Order over one time span, kept if neighbouring steps agree on it better than before. */
static enum noe_status measure_order_over(struct method_report *card,
                                          const struct convergence_task *task,
                                          struct noe_error *error) {
    struct convergence_reference reference;
    struct convergence_row row[ORDER_ROWS];
    enum noe_status status = convergence_refer(&reference, task, 8, error);
    if (status == NOE_OK) status = measure_rows(row, &reference, task, error);
    if (status == NOE_OK) {
        real doubt;
        const real order = convergence_order(&doubt, ORDER_ROWS, row, &reference);
        const bool is_first = order == order && card->order != card->order;
        const bool is_better = !(doubt >= card->order_doubt) && doubt == doubt;
        if (is_first || is_better) {
            card->order = order;
            card->order_doubt = doubt;
            card->order_span = task->until - task->from;
            snprintf(card->order_words, sizeof card->order_words, "%s", reference.words);
        }
    }
    convergence_reference_clear(&reference);
    return status;
}

static enum noe_status measure_order(struct method_report *card,
                                     const struct convergence_task *task,
                                     const struct noe_problem *problem, struct noe_error *error) {
    const real whole = task->until == task->until ? task->until - task->from : 1024 * problem->h;
    struct convergence_task short_task = *task;
    short_task.reference_steps_max = SPAN_REFERENCE_STEPS_MAX;
    real span = SPAN_FIRST * problem->h;
    enum noe_status status = NOE_OK;
    for (int i = 0; i < SPAN_GROWTHS; i++, span *= 4) {
        if (span > whole) span = whole;
        short_task.until = task->from + span;
        status = measure_order_over(card, &short_task, error);
        if (status < 0 || card->order_doubt <= card->order / 100 || span >= whole) break;
    }
    return status;
}

enum noe_status method_report_method(struct method_report *card,
                                     const struct convergence_task *task,
                                     const struct noe_problem *problem, struct noe_error *error) {
    card->order = card->order_doubt = card->symplecticity_defect = card->reversibility_defect =
        not_known();
    card->energy_start = card->energy_max_error = card->energy_slope = not_known();
    const enum noe_status energy = measure_energy(card, task, problem, &card->energy_error);
    card->energy_error.status = energy;
    enum noe_status status = energy < 0 ? energy : NOE_OK;
    if (status >= 0) status = symplecticity_measure(card, task, problem, error);
    if (status >= 0) status = measure_reversibility(card, task, problem, error);
    if (status >= 0 && !task->system->nnoises) status = measure_order(card, task, problem, error);
    if (energy == NOE_OK || (status < 0 && energy > 0)) return status < 0 ? status : NOE_OK;
    if (error) *error = card->energy_error; /* the failure of the run has priority */
    return energy;
}
