/* The constraints of a model at its start: do they hold, and are they independent? */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_INDEPENDENCE_H
#define STUDY_INDEPENDENCE_H

#include "base/real.h"
#include "noether.h"

struct independence {
    real residual; /* the largest |g| and |psi| */
    int rank;      /* of psi_v; -1: not found, there are too many */
    bool
        *is_redundant; /* by constraint in the order of the statements: follows from earlier rows */
};

/* Looks at the start at time t. Free `is_redundant` with independence_clear. */
enum noe_status independence_find(struct independence *independence, const struct noe_model *model,
                                  real t, struct noe_error *error);
void independence_clear(struct independence *independence);

#endif
