/* Reference solution computed along with a run, to measure the error of the run. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_REFERENCE_SOLUTION_H
#define STUDY_REFERENCE_SOLUTION_H

#include "base/real.h"
#include "noether.h"

struct reference {
    const char *method;
    struct noe_problem problem;
    bool has_problem;
    struct noe_work *work[2]; /* with step sizes up to that of the problem, and up to half of it */
    real energy;              /* energy of the reference solution at the current time */
    real agreement;           /* largest difference between the two so far */
    real error_max, energy_error_max;
};

/* Prepares a reference solution with steps of at most h. Clear `reference` in every case. */
enum noe_status reference_init(struct reference *reference, const struct noe_system *system, real h,
                               struct noe_error *error);
void reference_clear(struct reference *reference);
enum noe_status reference_start(struct reference *reference, real from, const real *q,
                                const real *v, struct noe_error *error);
/* Advances the reference to the time of `state` and computes the largest absolute difference of
 * (q,p). */
enum noe_status reference_compare(struct reference *reference, const struct noe_state *state,
                                  real energy, real *difference, struct noe_error *error);

#endif
