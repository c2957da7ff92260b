/* Figure of Poincare sections. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_PLOT_SECTION_H
#define PLOT_PLOT_SECTION_H

#include "plot/figure.h"

/* True if the table was written by noether section. */
bool plot_section_are_in(const struct noe_table *table);
/* One panel per section: the second recorded quantity against the first, or the only one against
 * time. `name` is the title if the table has none. */
enum noe_status plot_section_make(struct figure *picture, const struct noe_table *table,
                                  const char *name, struct noe_error *error);

/* Adds the panels of one of several tables to a figure. `label` names the table. */
enum noe_status plot_section_add(struct figure *picture, const struct noe_table *table,
                                 const char *label, struct noe_error *error);

#endif
