/* Consistency of the initial state with the constraints, and their linear independence. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_VERIFY_CONSTRAINT_RANK_H
#define STUDY_VERIFY_CONSTRAINT_RANK_H

#include "base/real.h"
#include "noether_model.h"

struct constraint_rank {
    real residual;      /* largest |g| and |psi| */
    int rank;           /* rank of psi_v; -1: not computed, too many rows */
    bool *is_redundant; /* by statement: linearly dependent on earlier rows */
};

/* Examines the initial state at time t. Free `is_redundant` with constraint_rank_clear. */
enum noe_status constraint_rank_find(struct constraint_rank *independence,
                                     const struct noe_model *model, real t,
                                     struct noe_error *error);
void constraint_rank_clear(struct constraint_rank *independence);

#endif
