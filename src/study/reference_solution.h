/* A tight solution that is followed beside a run, to say how far the run is from it. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_REFERENCE_SOLUTION_H
#define STUDY_REFERENCE_SOLUTION_H

#include "base/real.h"
#include "noether.h"

struct reference {
    const char *method;
    struct noe_problem problem;
    bool has_problem;
    struct noe_work *work[2]; /* with steps up to the problem's, and up to half of it */
    real energy;              /* of the solution at the time reached */
    real agreement;           /* largest difference between the two so far */
    real error_max, energy_error_max;
};

/* Prepares a solution by steps no longer than h. Clear `reference` in every case. */
enum noe_status reference_init(struct reference *reference, const struct noe_system *system, real h,
                               struct noe_error *error);
void reference_clear(struct reference *reference);
enum noe_status reference_start(struct reference *reference, real from, const real *q,
                                const real *v, struct noe_error *error);
/* Goes on to the time of `state`, and finds the largest absolute difference of (q,p) there. */
enum noe_status reference_compare(struct reference *reference, const struct noe_state *state,
                                  real energy, real *difference, struct noe_error *error);

#endif
