/* Shared by the files of the subcommand match. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_MATCH_H
#define CLI_MATCH_H

#include "cli/cli.h"
#include "noether_optimise.h"

/* Parses a rotation vector given to an option. R is its exponential. */
int match_read_rotation(const char *option, const char *text, real *R);
/* The angle between two rotations. */
real match_angle(const real *A, const real *B);
/* Runs one descent method, settings->method, from settings->from and reports its progress. `target`
 * is the known rotation, or NULL. */
int match_descend(const struct cli_settings *settings, const struct noe_shape *f,
                  const struct noe_shape *g, const real *target);

#endif
