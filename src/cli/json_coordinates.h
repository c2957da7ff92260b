/* Numbers under the names of the coordinates, in their shapes, as JSON. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_JSON_COORDINATES_H
#define CLI_JSON_COORDINATES_H

#include "noether.h"
#include "output/json_writer.h"

/* Points, or velocities and momenta. */
void coordinates_write(struct json *json, const char *key, const struct noe_model *model,
                       bool of_velocity, const noe_real *x);
/* Those of many moments or members, the next one `stride` numbers further: an array for each. */
void coordinates_write_series(struct json *json, const char *key, const struct noe_model *model,
                              bool of_velocity, long count, long stride, const noe_real *x);

#endif
