/* The picture of a trajectory that one wants to see first. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_PLOT_TRAJECTORY_H
#define PLOT_PLOT_TRAJECTORY_H

#include "plot/figure.h"

/* Configuration against time, phase portrait or paths, energy, recorded quantities. `name` stands
 * for a title where the trajectory has none. */
enum noe_status plot_trajectory_make(struct figure *picture, const struct noe_table *table,
                                     const char *name, struct noe_error *error);

#endif
