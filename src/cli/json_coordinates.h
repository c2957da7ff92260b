/* Values of the coordinates as JSON, by name and in their shapes. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_JSON_COORDINATES_H
#define CLI_JSON_COORDINATES_H

#include "noether_model.h"
#include "output/json_writer.h"

/* Writes configurations, or velocities and momenta. */
void coordinates_write(struct json *json, const char *key, const struct noe_model *model,
                       bool of_velocity, const noe_real *x);
/* Writes a series over times or members, whose entries are `stride` numbers apart, as one array per
 * coordinate. */
void coordinates_write_series(struct json *json, const char *key, const struct noe_model *model,
                              bool of_velocity, long count, long stride, const noe_real *x);

#endif
