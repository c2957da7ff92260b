/* A method as text, for a specialised stepper. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_METHOD_SOURCE_H
#define METHODS_METHOD_SOURCE_H

#include "noether.h"

/* What struct noe_method.describe gives, from the method's source, the C text of its coefficients
 * ("static const ... specialised_coefficients ...;") and of the hooks that a step calls. */
char *method_source_write(const struct noe_problem *problem, const char *source,
                          const char *coefficients, const char *hooks);

#endif
