/* Regularity of the equations of motion at the start. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_REGULAR_START_H
#define ENGINE_REGULAR_START_H

#include "noether.h"

enum regular_start {
    REGULAR_START_FULL,        /* accelerations follow from the equations of motion */
    REGULAR_START_FIRST_ORDER, /* L_vv is singular; velocities along its null space follow */
    REGULAR_START_NONE,        /* neither follows for one coordinate */
    REGULAR_START_NO_MEMORY
};

/* Classifies the system at (t,q,v), where v has n numbers. For REGULAR_START_NONE it also gives the
 * component of the velocity that has no inertia. `is_singular`: L_vv is singular, whatever the
 * constraints. */
enum regular_start regular_start_find(const struct noe_system *system, noe_real t,
                                      const noe_real *q, const noe_real *v, int *component,
                                      bool *is_singular);
/* Words that follow the name of that component. */
const char *regular_start_words(const struct noe_system *system);

#endif
