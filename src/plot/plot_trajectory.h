/* Default figure of a trajectory. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_PLOT_TRAJECTORY_H
#define PLOT_PLOT_TRAJECTORY_H

#include "plot/figure.h"

/* Configuration against time, phase portrait or paths, energy, recorded quantities. `name` is the
 * title if the trajectory has none. */
enum noe_status plot_trajectory_make(struct figure *picture, const struct noe_table *table,
                                     const char *name, struct noe_error *error);

#endif
