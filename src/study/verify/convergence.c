/* Error of a method at the end of the horizon against a reference solution, and its observed
 * order. */
/* SPDX-License-Identifier: MIT */
#include "study/verify/convergence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

enum { STALE_MAX = 3 }; /* doublings without improvement before the refinement stops */

/* The first method that supports the system is used. */
static const char *const reference_methods[] = {"gauss stages=8",
                                                "lobatto stages=6 multiplier=recompute"};

static enum noe_status advance(struct noe_work *work, const struct noe_problem *problem, long steps,
                               struct noe_error *error) {
    if (!(problem->traits & NOE_ADAPTIVE)) return noe_work_steps(work, steps, error);
    enum noe_status status = NOE_OK;
    for (long i = 0; i < steps && status == NOE_OK; i++)
        status = noe_work_step_by(work, problem->h, error);
    return status;
}

/* end = (q,p) after `steps` equal steps of `method` over the horizon; *gained is the change of the
 * energy. */
static enum noe_status integrate(const struct convergence_task *task, const char *method,
                                 long steps, real *end, real *gained, struct noe_error *error) {
    struct noe_problem problem;
    struct noe_observation moment = {0};
    struct noe_work *work = NULL;
    const real h = (task->until - task->from) / (real)steps;
    enum noe_status status = noe_problem_init(&problem, task->system, method, h, error);
    if (status != NOE_OK) return status;
    status = noe_work_create(&work, &problem, error);
    if (status == NOE_OK) status = noe_work_start(work, task->from, task->q, task->v, error);
    if (status == NOE_OK) status = noe_work_observe(work, &moment, error);
    const real energy = moment.energy;
    if (status == NOE_OK) status = advance(work, &problem, steps, error);
    if (status == NOE_OK) status = noe_work_observe(work, &moment, error);
    if (status == NOE_OK) {
        *gained = moment.energy - energy;
        const struct noe_state *now = noe_work_state(work);
        memcpy(end, now->q, (size_t)problem.np * sizeof *end);
        memcpy(end + problem.np, now->p, (size_t)task->system->n * sizeof *end);
        const size_t count = (size_t)(problem.np + task->system->n);
        if (!real_is_finite(real_norm(count, end)))
            status = status_set(error, NOE_NOT_FINITE, "the end state is not finite");
    }
    noe_work_free(work);
    noe_problem_clear(&problem);
    return status;
}

static real distance(int count, const real *a, const real *b) {
    real largest = 0;
    for (int i = 0; i < count; i++) largest = noe_max(largest, noe_abs(a[i] - b[i]));
    return largest;
}

enum noe_status convergence_method(const struct noe_system *system, const char **method,
                                   struct noe_error *error) {
    *method = NULL;
    for (size_t i = 0; i < sizeof reference_methods / sizeof *reference_methods; i++) {
        struct noe_problem problem;
        const enum noe_status status =
            noe_problem_init(&problem, system, reference_methods[i], 1, error);
        noe_problem_clear(&problem);
        if (status == NOE_OK) *method = reference_methods[i];
        if (status != NOE_NOT_SERVED) return status;
    }
    return NOE_OK;
}

/* State of the refinement. */
struct refining {
    long used; /* number of steps of the best result; 0: none */
    int stale;
    bool has_before, is_done;
};

/* Compares a result with the one with half as many steps, and keeps it if it is the best. */
static void judge(struct refining *refining, struct convergence_reference *reference, long steps,
                  const real *now, const real *before) {
    const size_t count = (size_t)reference->count;
    const real moved = distance(reference->count, now, before);
    const real tight = 8 * NOE_EPSILON * real_norm(count, now);
    const bool is_better = refining->used == 0 || moved < reference->agreement;
    const bool is_stagnant = refining->used != 0 && moved > reference->agreement / 4;
    refining->stale = is_stagnant ? refining->stale + 1 : 0;
    if (is_better) {
        reference->agreement = moved;
        memcpy(reference->end, now, count * sizeof *now);
        refining->used = steps;
    }
    refining->is_done = moved <= tight || refining->stale >= STALE_MAX ||
                        (is_stagnant && reference->agreement <= 1e6 * tight);
}

static void describe(struct convergence_reference *reference, const char *method, long steps) {
    const int length =
        snprintf(reference->words, sizeof reference->words, "%s with %ld steps; ", method, steps);
    char *rest = reference->words + length;
    const size_t room = sizeof reference->words - (size_t)length;
    if (reference->agreement > 0)
        snprintf(rest, room, "half as many agree to %.1e", (double)reference->agreement);
    else
        snprintf(rest, room, "half as many agree in every digit");
}

/* Doubles the number of steps until the result no longer changes. */
static enum noe_status refine(struct convergence_reference *reference,
                              const struct convergence_task *task, const char *method, long steps,
                              real *scratch[2], struct noe_error *error) {
    struct refining refining = {0};
    enum noe_status status = NOE_OK;
    real gained = 0;
    for (int i = 0; !refining.is_done && steps <= task->reference_steps_max; i++, steps *= 2) {
        real *now = scratch[i % 2], *before = scratch[(i + 1) % 2];
        status = integrate(task, method, steps, now, &gained, error);
        if (status < 0) return status;
        if (status == NOE_OK && refining.has_before)
            judge(&refining, reference, steps, now, before);
        refining.has_before = status == NOE_OK;
    }
    if (refining.used == 0 && status != NOE_OK) return status;
    if (refining.used == 0)
        return status_set(error, NOE_NOT_CONVERGED,
                          "no two references within %ld steps could be compared",
                          task->reference_steps_max);
    reference->scale = real_norm((size_t)reference->count, reference->end);
    describe(reference, method, refining.used);
    return NOE_OK;
}

enum noe_status convergence_refer(struct convergence_reference *reference,
                                  const struct convergence_task *task, long first_steps,
                                  struct noe_error *error) {
    *reference = (struct convergence_reference){0};
    struct noe_problem problem;
    const char *method;
    enum noe_status status = convergence_method(task->system, &method, error);
    if (status != NOE_OK) return status;
    if (!method) method = task->method;
    status = noe_problem_init(&problem, task->system, method, 1, error);
    if (status != NOE_OK) return status;
    reference->np = problem.np;
    reference->count = problem.np + task->system->n;
    noe_problem_clear(&problem);
    const size_t size = (size_t)reference->count * sizeof(real);
    real *scratch[2] = {malloc(size), malloc(size)};
    reference->end = malloc(size);
    if (scratch[0] && scratch[1] && reference->end)
        status = refine(reference, task, method, first_steps, scratch, error);
    else
        status = status_set(error, NOE_NO_MEMORY, "out of memory");
    free(scratch[0]);
    free(scratch[1]);
    return status;
}

real convergence_distance(const struct convergence_reference *reference, int np,
                          const struct noe_state *state) {
    return noe_max(distance(np, state->q, reference->end),
                   distance(reference->count - np, state->p, reference->end + np));
}

void convergence_reference_clear(struct convergence_reference *reference) {
    free(reference->end);
    *reference = (struct convergence_reference){0};
}

enum noe_status convergence_measure(struct convergence_row *row,
                                    const struct convergence_reference *reference,
                                    const struct convergence_task *task, struct noe_error *error) {
    const int np = reference->np;
    real gained = 0;
    row->error = row->q_error = row->p_error = row->energy_error = row->order = noe_sqrt((real)-1);
    real *end = malloc((size_t)reference->count * sizeof *end);
    if (!end) return status_set(error, NOE_NO_MEMORY, "out of memory");
    const enum noe_status status = integrate(task, task->method, row->steps, end, &gained, error);
    if (status == NOE_OK) {
        row->q_error = distance(np, end, reference->end);
        row->p_error = distance(reference->count - np, end + np, reference->end + np);
        row->error = noe_max(row->q_error, row->p_error);
        row->energy_error = noe_abs(gained);
    }
    free(end);
    return status;
}

static real order_between(const struct convergence_row *coarse,
                          const struct convergence_row *fine) {
    return noe_log(coarse->error / fine->error) / noe_log(coarse->h / fine->h);
}

void convergence_orders(int count, struct convergence_row *row) {
    for (int i = 1; i < count; i++) {
        const real order = order_between(&row[i - 1], &row[i]);
        if (real_is_finite(order)) row[i].order = order;
    }
}

/* True if the error is well above the round-off of the run, a random walk of about epsilon per
 * step, and above the error of the reference. */
static bool is_clear(const struct convergence_row *row,
                     const struct convergence_reference *reference) {
    const real walk = NOE_EPSILON * reference->scale * noe_sqrt((real)row->steps);
    return row->error > 50 * (reference->agreement + walk) && real_is_finite(row->error);
}

real convergence_order(real *doubt, int count, const struct convergence_row *row,
                       const struct convergence_reference *reference) {
    const struct convergence_row *finest[3] = {NULL, NULL, NULL}; /* the finest first */
    for (int i = 0; i < count; i++) {
        if (!is_clear(&row[i], reference)) continue;
        int at = 3;
        while (at > 0 && (!finest[at - 1] || row[i].h < finest[at - 1]->h)) at--;
        for (int j = 2; j > at; j--) finest[j] = finest[j - 1];
        if (at < 3) finest[at] = &row[i];
    }
    const real unknown = noe_sqrt((real)-1);
    const real order = finest[1] ? order_between(finest[1], finest[0]) : unknown;
    const real before = finest[2] ? order_between(finest[2], finest[1]) : unknown;
    if (doubt) *doubt = noe_abs(order - before);
    return order;
}
