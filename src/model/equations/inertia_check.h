/* Whether the inertia of rotations and poses is one that a rigid body can have. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EQUATIONS_INERTIA_CHECK_H
#define MODEL_EQUATIONS_INERTIA_CHECK_H

#include "model/definition.h"

/* Adds a note to the model for each rotation whose inertia at the start no rigid body has, and for
 * each pose whose inertia is not positive definite: with the mass of a fluid around it, it may
 * otherwise be any. False when memory ran out. */
bool inertia_check(struct definition *model, const struct noe_system *system);

#endif
