/* What the files of the subcommand match share. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_MATCH_H
#define CLI_MATCH_H

#include "cli/cli.h"
#include "noether_optimise.h"

/* Reads a rotation vector from the text of an option; R is its exponential. */
int match_read_rotation(const char *option, const char *text, real *R);
/* The angle between two rotations. */
real match_angle(const real *A, const real *B);
/* Follows one iteration, settings->method, from settings->from, and tells how it goes. `target` is
 * the rotation that was asked for; NULL: it is not known. */
int match_descend(const struct cli_settings *settings, const struct noe_shape *f,
                  const struct noe_shape *g, const real *target);

#endif
