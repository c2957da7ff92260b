/* Panels of where the members of an ensemble ended. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_MEMBERS_ENDS_H
#define OUTPUT_MEMBERS_ENDS_H

#include "plot/figure.h"

/* Do one or two numbers vary on a grid? */
bool members_ends_have_grid(const struct noe_table *table);
/* Of the number in `column`: how many members ended where. */
enum noe_status members_ends_histogram(struct picture *picture, const struct noe_table *table,
                                       int column, struct noe_error *error);
/* Its mean over the members at each point of the grid: colours over two numbers, points over one.
 */
enum noe_status members_ends_heat(struct picture *picture, const struct noe_table *table,
                                  int column, struct noe_error *error);

#endif
