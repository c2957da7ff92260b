/* The picture of the crossings of sections. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_PLOT_SECTION_H
#define PLOT_PLOT_SECTION_H

#include "plot/figure.h"

/* Is it a table of crossings, as noether section records them? */
bool plot_section_are_in(const struct noe_table *table);
/* A panel for each section: the second number recorded against the first, or the only one against
 * time. `name` stands for a title where the table has none. */
enum noe_status plot_section_make(struct figure *picture, const struct noe_table *table,
                                  const char *name, struct noe_error *error);

/* Adds the panels of a table to a picture of several; `label` says which it is. */
enum noe_status plot_section_add(struct figure *picture, const struct noe_table *table,
                                 const char *label, struct noe_error *error);

#endif
