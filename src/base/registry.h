/* What the build found in methods/, spaces/ and output/: tables written by tools/registry.sh. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_REGISTRY_H
#define BASE_REGISTRY_H

#include "noether.h"

struct method;

/* The families of methods: each a table that ends with a row whose name is NULL. */
extern const struct method *const registry_methods[];

/* The spaces and the formats; a NULL ends each list. */
extern const struct noe_space *const registry_spaces[];
extern const struct noe_format *const registry_formats[];

#endif
