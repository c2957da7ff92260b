/* Checks that the inertia of rotations and poses is that of a rigid body. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EQUATIONS_INERTIA_CHECK_H
#define MODEL_EQUATIONS_INERTIA_CHECK_H

#include "model/definition.h"

/* Adds a note to the model for each rotation whose inertia at the start no rigid body can have, and
 * for each pose whose inertia is not positive definite. The inertia of a pose is otherwise
 * arbitrary, because it may include added mass of a fluid. False if memory ran out. */
bool inertia_check(struct definition *model, const struct noe_system *system);

#endif
