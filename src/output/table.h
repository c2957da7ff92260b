/* Memory of a table of numbers. The formats fill it. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_TABLE_H
#define OUTPUT_TABLE_H

#include "base/status.h"

/* Allocates `ncolumns` names, all NULL. */
enum noe_status table_make_columns(struct noe_table *table, int ncolumns, struct noe_error *error);
/* Allocates the values of `nrows` rows. */
enum noe_status table_make_rows(struct noe_table *table, size_t nrows, struct noe_error *error);

/* Keeps the rows whose value in the column `name` lies in [low, high]. Fails if no row is left. */
enum noe_status table_keep_rows(struct noe_table *table, const char *name, noe_real low,
                                noe_real high, struct noe_error *error);

/* Index of the column called `name`, or -1. */
int table_column_find(const struct noe_table *table, const char *name);
/* The values of column c. */
static inline const noe_real *table_column(const struct noe_table *table, int c) {
    return table->values + (size_t)c * table->nrows;
}

#endif
