/* Panels of the final states of an ensemble. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_PLOT_ENSEMBLE_FINAL_H
#define PLOT_PLOT_ENSEMBLE_FINAL_H

#include "plot/figure.h"

/* True if one or two parameters vary on a grid. */
bool plot_ensemble_ends_have_grid(const struct noe_table *table);
/* Histogram of the final values of the quantity in `column`. */
enum noe_status plot_ensemble_ends_histogram(struct figure *picture, const struct noe_table *table,
                                             int column, struct noe_error *error);
/* Mean of a quantity over the members at each grid point: a heat map over two parameters, points
 * over one. */
enum noe_status plot_ensemble_ends_heat(struct figure *picture, const struct noe_table *table,
                                        int column, struct noe_error *error);

#endif
