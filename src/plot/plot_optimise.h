/* Figure of a minimisation: value, gradient and configuration over the iterations. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_PLOT_OPTIMISE_H
#define PLOT_PLOT_OPTIMISE_H

#include "plot/figure.h"

/* True if the table is the record of a minimisation. */
bool plot_optimise_are(const struct noe_table *table);
enum noe_status plot_optimise_make(struct figure *picture, const struct noe_table *table,
                                   const char *name, struct noe_error *error);

#endif
