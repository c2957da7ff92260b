/* Sets of spaces by their properties, as methods state them. */
/* SPDX-License-Identifier: MIT */
#ifndef SPACES_SPACE_SET_H
#define SPACES_SPACE_SET_H

#include "noether.h"

/* True if a method for `spaces`, a sum of enum noe_spaces, serves the space. */
static inline bool space_set_has(unsigned spaces, const struct noe_space *space) {
    if (!space->retractions) return spaces & NOE_ON_VECTORS;
    return (spaces & NOE_ON_GROUPS) ||
           ((spaces & NOE_ON_QUADRATIC) && (space->retractions & NOE_HAS_CAY)) ||
           ((spaces & NOE_ON_EXPONENTIAL) && (space->retractions & NOE_HAS_EXP)) ||
           ((spaces & NOE_ON_CHORD) && (space->retractions & NOE_HAS_CHORD)) ||
           ((spaces & NOE_ON_SO3_ALGEBRA) && space->kind.algebra == NOE_ALGEBRA_SO3) ||
           ((spaces & NOE_ON_ROTATIONS) && space->kind.is_rotation);
}

#endif
