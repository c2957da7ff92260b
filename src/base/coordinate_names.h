/* Names of the components of q and v: x, x[2], R[1][3], W[2][1]. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_COORDINATE_NAMES_H
#define BASE_COORDINATE_NAMES_H

#include <stddef.h>

#include "noether_model.h"

/* Returns the coordinate to which component i of q (or of v) belongs, and in *index the row-major
 * index of that component within the coordinate. The search starts at coordinate `guess`. */
int coordinate_find(int count, const struct noe_coordinate *coordinate, bool of_velocity, int i,
                    int guess, int *index);
/* Writes the indices of component `index` of an array of this rank: "", "[2]", "[2][1]". */
void coordinate_index_text(int rank, int cols, int index, size_t size, char *text);

#endif
