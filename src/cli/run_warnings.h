/* Warnings of a run: its accuracy is useless, or it leaves statements of the file out. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_RUN_WARNINGS_H
#define CLI_RUN_WARNINGS_H

#include "study/trajectory.h"

enum { RUN_WARNINGS_MAX = 5 };

struct run_warnings {
    int count;
    char text[RUN_WARNINGS_MAX][320];
};

/* Fills the warnings of a run that has started. */
void run_warnings_find(struct run_warnings *warnings, const struct noe_model *model,
                       const struct noe_problem *problem, const struct trajectory *trajectory);

#endif
