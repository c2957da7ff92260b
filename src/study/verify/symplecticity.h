/* How far a step is from symplectic. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_VERIFY_SYMPLECTICITY_H
#define STUDY_VERIFY_SYMPLECTICITY_H

#include "study/verify/method_report.h"

/* Fills the card's symplecticity: from the exact derivative of steps, or by differences where the
 * method gives none. Methods of several steps have none in (q,p) alone; theirs stays as it is. */
enum noe_status symplecticity_measure(struct method_report *card,
                                      const struct convergence_task *task,
                                      const struct noe_problem *problem, struct noe_error *error);

#endif
