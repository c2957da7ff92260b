/* A method measured on one system: order, symplecticity, reversibility, energy. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_VERIFY_METHOD_REPORT_H
#define STUDY_VERIFY_METHOD_REPORT_H

#include "study/verify/convergence.h"
#include "study/verify/derivative_check.h"

enum {
    METHOD_REPORT_POINTS = 5,      /* where derivatives and defects are measured */
    METHOD_REPORT_STRIDE = 7,      /* steps between them */
    METHOD_REPORT_MATRIX_MAX = 400 /* degrees of freedom up to which M^T J M is formed */
};

/* Numbers that could not be measured are NaN. */
struct method_report {
    struct derivative_check derivatives;
    int points;              /* at which derivatives were compared */
    real order, order_doubt; /* how far estimates from neighbouring steps differ */
    real order_span;         /* the span of time over which order was measured */
    char order_words[240];   /* how, or why not */
    real symplecticity_defect, reversibility_defect;
    real symplecticity_rounding, reversibility_rounding; /* what rounding alone may leave */
    bool symplecticity_by_differences; /* the method gives no derivative of a step */
    real energy_start, energy_max_error, energy_slope; /* slope: of the straight line through it */
    long energy_steps;
    struct noe_error energy_error; /* what ended the run early; status NOE_OK: nothing */
};

/* Compares the derivatives at the start and, where `problem` is not NULL, along its motion. */
enum noe_status method_report_derivatives(struct method_report *card,
                                          const struct convergence_task *task,
                                          const struct noe_problem *problem,
                                          struct noe_error *error);
/* Measures the method; `task->until` NaN: a hundred steps. */
enum noe_status method_report_method(struct method_report *card,
                                     const struct convergence_task *task,
                                     const struct noe_problem *problem, struct noe_error *error);
/* A run of the problem at its start; NULL on failure. */
enum noe_status method_report_begin(struct noe_work **work, const struct convergence_task *task,
                                    const struct noe_problem *problem, struct noe_error *error);

#endif
