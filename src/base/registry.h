/* Lists of the methods, spaces and output formats that the build found. tools/registry.sh writes
 * them. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_REGISTRY_H
#define BASE_REGISTRY_H

#include "noether.h"

struct method;

/* Families of methods. Each is a table that ends with a row whose name is NULL. */
extern const struct method *const registry_methods[];

/* Spaces and formats. A NULL ends each list. */
extern const struct noe_space *const registry_spaces[];
extern const struct noe_format *const registry_formats[];

/* Writes the names of the traits of a method ("symplectic momentum ..."), at most `size` bytes. */
void registry_traits_text(unsigned traits, size_t size, char *text);
/* The names of the spaces among `spaces`, a sum of enum noe_spaces, separated by spaces: R^n, then
 * the groups in alphabetical order. */
void registry_space_names(unsigned spaces, size_t size, char *names);

#endif
