/* What a method reaches at what cost: its error against a tight reference, and its work. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_VERIFY_WORK_PRECISION_H
#define STUDY_VERIFY_WORK_PRECISION_H

#include "study/verify/convergence.h"

struct work_precision_row {
    long steps;
    real h;            /* the mean step where the method chooses its own */
    real error;        /* of (q,p) at the end, as in convergence_distance */
    real energy_error; /* the largest deviation from the start over all steps */
    double seconds;    /* processor time of the steps, the best of several runs */
    long evaluations;  /* of the model by the method; 0: it does without */
};

/* Runs `problem` over the task's horizon, in equal steps of its length or in its own. A failed run
 * leaves its status. */
enum noe_status work_precision_measure(struct work_precision_row *row,
                                       const struct convergence_reference *reference,
                                       const struct convergence_task *task,
                                       const struct noe_problem *problem, struct noe_error *error);

#endif
