/* Properties of a method measured on one system: order, symplecticity, reversibility, energy. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_VERIFY_METHOD_REPORT_H
#define STUDY_VERIFY_METHOD_REPORT_H

#include "study/verify/convergence.h"
#include "study/verify/derivative_check.h"

enum {
    METHOD_REPORT_POINTS = 5,      /* points at which derivatives and defects are measured */
    METHOD_REPORT_STRIDE = 7,      /* steps between them */
    METHOD_REPORT_MATRIX_MAX = 400 /* degrees of freedom up to which M^T J M is formed */
};

/* Values that could not be measured are NaN. */
struct method_report {
    struct derivative_check derivatives;
    int points;              /* number of points at which derivatives were compared */
    real order, order_doubt; /* order_doubt: difference between estimates from neighbouring steps */
    real order_span;         /* time span over which the order was measured */
    char order_words[240];   /* explanation of the result, or of its absence */
    real symplecticity_defect, reversibility_defect;
    real symplecticity_rounding, reversibility_rounding; /* defects explained by round-off */
    bool symplecticity_by_differences;                   /* the method provides no tangent map */
    real energy_start, energy_max_error, energy_slope;   /* slope of the linear fit */
    long energy_steps;
    struct noe_error energy_error; /* failure that ended the run early, or NOE_OK */
};

/* Compares the derivatives at the start and, if `problem` is not NULL, along its motion. */
enum noe_status method_report_derivatives(struct method_report *card,
                                          const struct convergence_task *task,
                                          const struct noe_problem *problem,
                                          struct noe_error *error);
/* Measures the method over task->until, or over a hundred steps if that is NaN. */
enum noe_status method_report_method(struct method_report *card,
                                     const struct convergence_task *task,
                                     const struct noe_problem *problem, struct noe_error *error);
/* Creates a run of the problem at its start; NULL on failure. */
enum noe_status method_report_begin(struct noe_work **work, const struct convergence_task *task,
                                    const struct noe_problem *problem, struct noe_error *error);

#endif
