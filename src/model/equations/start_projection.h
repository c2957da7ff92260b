/* Start values that meet the constraints, of positions and of velocities. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EQUATIONS_START_PROJECTION_H
#define MODEL_EQUATIONS_START_PROJECTION_H

#include "model/definition.h"

/* Rejects a start that breaks a constraint of its system; moves one that misses it by little to the
 * nearest that does not, and notes it. */
enum noe_status start_projection_make(struct definition *model, const struct noe_system *system,
                                      struct noe_error *error);

#endif
