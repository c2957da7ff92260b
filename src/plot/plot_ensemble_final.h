/* Panels of where the members of an ensemble ended. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_PLOT_ENSEMBLE_FINAL_H
#define PLOT_PLOT_ENSEMBLE_FINAL_H

#include "plot/figure.h"

/* Do one or two numbers vary on a grid? */
bool plot_ensemble_ends_have_grid(const struct noe_table *table);
/* Of the number in `column`: how many members ended where. */
enum noe_status plot_ensemble_ends_histogram(struct figure *picture, const struct noe_table *table,
                                             int column, struct noe_error *error);
/* Its mean over the members at each point of the grid: colours over two numbers, points over one.
 */
enum noe_status plot_ensemble_ends_heat(struct figure *picture, const struct noe_table *table,
                                        int column, struct noe_error *error);

#endif
