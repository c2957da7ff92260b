/* The kernel of a problem: the fast path of its steps. */
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

#endif
