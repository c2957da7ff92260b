/* Condition number of the Jacobian of a step. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_CONDITION_H
#define ENGINE_CONDITION_H

#include "noether.h"

/* The condition number of the Jacobian of the last step at its root, in the 1-norm; 0 if there is
 * no Jacobian or more than 512 unknowns. The run is unchanged. */
enum noe_status condition_of_step(struct noe_work *work, noe_real *condition,
                                  struct noe_error *error);

#endif
