/* Panels of the statistics of an ensemble over time. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_PLOT_ENSEMBLE_TIME_H
#define PLOT_PLOT_ENSEMBLE_TIME_H

#include "plot/figure.h"

/* Number of columns of a quantity. */
int plot_ensemble_time_stride(const struct noe_table *table);
/* Rejects a table that lacks columns of the quantity at `column`. */
enum noe_status plot_ensemble_time_check(const struct noe_table *table, int column,
                                         struct noe_error *error);
/* Quantile bands, density, and final histogram of the quantity whose columns begin at `column`. */
enum noe_status plot_ensemble_time_fan(struct figure *picture, const struct noe_table *table,
                                       int column, struct noe_error *error);
enum noe_status plot_ensemble_time_density(struct figure *picture, const struct noe_table *table,
                                           int column, struct noe_error *error);
enum noe_status plot_ensemble_time_histogram(struct figure *picture, const struct noe_table *table,
                                             int column, struct noe_error *error);
/* A histogram outline over `cells` equal bins from range[0] to range[1]; `share` are counts. */
enum noe_status plot_ensemble_time_stairs(struct figure *picture, const char *title,
                                          const char *label, int cells, const double *share,
                                          const double range[2], struct noe_error *error);

#endif
