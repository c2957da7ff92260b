/* Repetition of the last step: with another step size, or with dense output. */
/* SPDX-License-Identifier: MIT */
#include "engine/restep.h"

#include "base/status.h"
#include "engine/events.h"

void restep_back(struct noe_work *work) {
    struct noe_state *before = work->next;
    work->t0 = work->interval.is_fixed ? work->t0_before : work->t0;
    work->next = work->now;
    work->now = before;
    advance_reset_history(work);
}

enum noe_status noe_work_restep(struct noe_work *work, noe_real h, struct noe_error *error) {
    if (!events_can_part(work))
        return status_set(error, NOE_BAD_INPUT, "there is no single step that could be retaken");
    restep_back(work);
    const real t0 = work->t0;
    const enum noe_status status = noe_work_step_by(work, h, error);
    const bool on_grid = status == NOE_OK && h == work->problem->h;
    if (on_grid) work->t0 = t0; /* without the round-off of noe_work_step_by */
    return status;
}

enum noe_status noe_work_dense_output(struct noe_work *work, noe_real x, noe_real *q, noe_real *v,
                                      struct noe_error *error) {
    const struct scheme *scheme = work->problem->internals->scheme;
    if (!scheme->dense_output)
        return status_set(error, NOE_NOT_SERVED, "%s has no curve between the ends of a step",
                          work->problem->method->name);
    if (!events_can_part(work))
        return status_set(error, NOE_BAD_INPUT, "there is no step to look into");
    scheme->dense_output(&work->interval, work->newton.u, x, q, v);
    return NOE_OK;
}
