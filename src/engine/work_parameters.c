/* Parameters of one run, in place of those of the problem's system. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "engine/advance.h"

struct work_parameters {
    struct noe_problem problem; /* the given one with the system below */
    struct noe_system system;   /* the given one with the numbers below */
    real number[];
};

/* Lets the run read parameters of its own, which are those of the system at first. */
static enum noe_status take_parameters(struct noe_work *work) {
    const struct noe_system *system = work->problem->system;
    const size_t count = (size_t)(system->nparameters + system->nprepared);
    struct work_parameters *own = calloc(1, sizeof *own + count * sizeof(real));
    if (!own) return NOE_NO_MEMORY;
    memcpy(own->number, system->parameters, count * sizeof(real));
    own->system = *system;
    own->system.parameters = own->number;
    own->problem = *work->problem;
    own->problem.system = &own->system;
    work->own = own;
    work->problem = work->interval.problem = &own->problem;
    work->legendre.system = &own->system;
    return NOE_OK;
}

enum noe_status noe_work_set_parameter(struct noe_work *work, int index, noe_real value,
                                       struct noe_error *error) {
    const int count = work->problem->system->nparameters;
    real before = 0;
    if (index < 0 || index >= count)
        return status_set(error, NOE_BAD_INPUT, "there is no parameter %d: the system has %d",
                          index, count);
    if (!work->own && take_parameters(work) != NOE_OK)
        return status_set(error, NOE_NO_MEMORY, "no memory for %d parameters", count);
    if (work->has_start) advance_energy(work, &before);
    struct work_parameters *own = work->own;
    const struct noe_state *now = work->now;
    own->number[index] = value;
    if (own->system.prepare)
        own->system.prepare(&own->system, now->t, now->q, work->interval.velocity,
                            own->number + count);
    if (work->has_start)
        work_parameters_changed(work, mask_broadcast(true), before);
    else
        legendre_prepare(&work->legendre, now->q);
    return NOE_OK;
}
