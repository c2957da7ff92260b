/* Reference solution computed along with a run, to measure the error of the run. */
/* SPDX-License-Identifier: MIT */
#include "study/reference_solution.h"

#include "base/status.h"
#include "study/verify/convergence.h"

enum reference_fineness { COARSE, FINE, BOTH };

enum noe_status reference_init(struct reference *reference, const struct noe_system *system, real h,
                               struct noe_error *error) {
    *reference = (struct reference){0};
    enum noe_status status = convergence_method(system, &reference->method, error);
    if (status != NOE_OK) return status;
    if (!reference->method)
        return status_set(error, NOE_NOT_SERVED,
                          "there is no method of high order for this system to compare with");
    status = noe_problem_init(&reference->problem, system, reference->method, h, error);
    reference->has_problem = status == NOE_OK;
    for (int i = 0; i < BOTH && status == NOE_OK; i++)
        status = noe_work_create(&reference->work[i], &reference->problem, error);
    return status;
}

void reference_clear(struct reference *reference) {
    for (int i = 0; i < BOTH; i++) noe_work_free(reference->work[i]);
    if (reference->has_problem) noe_problem_clear(&reference->problem);
    *reference = (struct reference){0};
}

enum noe_status reference_start(struct reference *reference, real from, const real *q,
                                const real *v, struct noe_error *error) {
    enum noe_status status = noe_work_start(reference->work[COARSE], from, q, v, error);
    return status == NOE_OK ? noe_work_start(reference->work[FINE], from, q, v, error) : status;
}

/* Integrates to time t in equal steps of at most h. */
static enum noe_status reach(struct noe_work *work, real t, real h, struct noe_error *error) {
    const real from = noe_work_state(work)->t;
    const long steps = (long)noe_floor(noe_abs(t - from) / h + (real)(1 - 1e-6));
    enum noe_status status = NOE_OK;
    for (long left = steps; left > 0 && status == NOE_OK; left--)
        status = noe_work_step_by(work, (t - noe_work_state(work)->t) / (real)left, error);
    return status;
}

static real difference_of(const struct noe_problem *problem, const struct noe_state *a,
                          const struct noe_state *b) {
    real largest = 0;
    for (int i = 0; i < problem->np; i++) largest = noe_max(largest, noe_abs(a->q[i] - b->q[i]));
    for (int i = 0; i < problem->system->n; i++)
        largest = noe_max(largest, noe_abs(a->p[i] - b->p[i]));
    return largest;
}

enum noe_status reference_compare(struct reference *reference, const struct noe_state *state,
                                  real energy, real *difference, struct noe_error *error) {
    const struct noe_problem *problem = &reference->problem;
    struct noe_work *const *work = reference->work;
    struct noe_observation moment = {0};
    enum noe_status status = reach(work[COARSE], state->t, problem->h, error);
    if (status == NOE_OK) status = reach(work[FINE], state->t, problem->h / 2, error);
    if (status == NOE_OK) status = noe_work_observe(work[FINE], &moment, error);
    if (status != NOE_OK) return status;
    reference->energy = moment.energy;
    *difference = difference_of(problem, state, noe_work_state(work[FINE]));
    reference->error_max = noe_max(reference->error_max, *difference);
    reference->energy_error_max =
        noe_max(reference->energy_error_max, noe_abs(energy - moment.energy));
    reference->agreement =
        noe_max(reference->agreement,
                difference_of(problem, noe_work_state(work[COARSE]), noe_work_state(work[FINE])));
    return NOE_OK;
}
