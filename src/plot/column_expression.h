/* Expressions in the columns of a table, evaluated for all rows. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_COLUMN_EXPRESSION_H
#define PLOT_COLUMN_EXPRESSION_H

#include "base/real.h"
#include "base/status.h"

/* The value of the expression `text` in every row; free() it. Names are those of columns. If there
 * is no column `name_error`, it is the change of `name` since the first row. */
enum noe_status column_values(const struct noe_table *table, const char *text, real **values,
                              struct noe_error *error);

/* A list of expressions separated by commas. The name of a vector is replaced by its components. */
struct column_list {
    int count;
    char **text;
};
enum noe_status column_list_read(struct column_list *list, const struct noe_table *table,
                                 const char *text, struct noe_error *error);
void column_list_clear(struct column_list *list);

#endif
