/* Properties of a problem that only the library uses. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_PROBLEM_H
#define ENGINE_PROBLEM_H

#include "noether.h"

/* True if event detection can run inside the method's kernel: no event function depends on the
 * group element, and the kernel supports it. */
bool problem_has_kernel_events(const struct noe_problem *problem);

#endif
