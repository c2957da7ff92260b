/* Lists of the methods, spaces and output formats that the build found. tools/registry.sh writes
 * them. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_REGISTRY_H
#define BASE_REGISTRY_H

#include "noether.h"

/* Families of methods. Each is a table that ends with a row whose name is NULL. */
extern const struct noe_method *const registry_methods[];

/* Spaces and formats. A NULL ends each list. */
extern const struct noe_space *const registry_spaces[];
extern const struct noe_format *const registry_formats[];

#endif
