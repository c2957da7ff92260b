/* Consistent initial values: checks and projects start positions and velocities onto the
 * constraints. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EQUATIONS_START_PROJECTION_H
#define MODEL_EQUATIONS_START_PROJECTION_H

#include "model/definition.h"

/* Rejects a start that violates a constraint. A small violation is repaired by projection to the
 * nearest consistent start, with a note. */
enum noe_status start_projection_make(struct definition *model, const struct noe_system *system,
                                      struct noe_error *error);

#endif
