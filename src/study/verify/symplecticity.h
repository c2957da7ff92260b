/* Symplecticity defect of a step. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_VERIFY_SYMPLECTICITY_H
#define STUDY_VERIFY_SYMPLECTICITY_H

#include "study/verify/method_report.h"

/* Measures the symplecticity of the report from the exact tangent map of steps, or by finite
 * differences if the method does not provide it. For multistep methods, which have no map of (q,p)
 * alone, the value is left unchanged. */
enum noe_status symplecticity_measure(struct method_report *card,
                                      const struct convergence_task *task,
                                      const struct noe_problem *problem, struct noe_error *error);

#endif
