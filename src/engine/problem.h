/* Properties of a problem that only the library uses. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_PROBLEM_H
#define ENGINE_PROBLEM_H

#include "noether.h"

/* Chooses the kernel called `name`, or with "none" Newton's method on the plain residual. Before a
 * stepper is compiled and before works are made. */
enum noe_status problem_set_kernel(struct noe_problem *problem, const char *name,
                                   struct noe_error *error);
/* The name of the kernel in use; "none": Newton's method. */
const char *problem_kernel_name(const struct noe_problem *problem);
/* True if event detection can run inside the method's kernel: no event function depends on the
 * group element, and the kernel supports it. */
bool problem_has_kernel_events(const struct noe_problem *problem);

#endif
