/* Work-precision data of a method: error against a reference solution, and cost. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_VERIFY_WORK_PRECISION_H
#define STUDY_VERIFY_WORK_PRECISION_H

#include "study/verify/convergence.h"

struct work_precision_row {
    long steps;
    real h;            /* mean step size if the method is adaptive */
    real error;        /* error of (q,p) at the end, as in convergence_distance */
    real energy_error; /* largest energy deviation from the start over all steps */
    double seconds;    /* processor time of the steps, the fastest of several runs */
    long evaluations;  /* evaluations of the model by the method; 0: none */
};

/* Runs `problem` over the task's horizon, with its fixed step size or adaptively. A failed run
 * leaves its status. */
enum noe_status work_precision_measure(struct work_precision_row *row,
                                       const struct convergence_reference *reference,
                                       const struct convergence_task *task,
                                       const struct noe_problem *problem, struct noe_error *error);

#endif
