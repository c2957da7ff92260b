/* The constraints of a model at its start: do they hold, and are they independent? */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_VERIFY_CONSTRAINT_RANK_H
#define STUDY_VERIFY_CONSTRAINT_RANK_H

#include "base/real.h"
#include "noether.h"

struct constraint_rank {
    real residual; /* the largest |g| and |psi| */
    int rank;      /* of psi_v; -1: not found, there are too many */
    bool
        *is_redundant; /* by constraint in the order of the statements: follows from earlier rows */
};

/* Looks at the start at time t. Free `is_redundant` with constraint_rank_clear. */
enum noe_status constraint_rank_find(struct constraint_rank *independence,
                                     const struct noe_model *model, real t,
                                     struct noe_error *error);
void constraint_rank_clear(struct constraint_rank *independence);

#endif
