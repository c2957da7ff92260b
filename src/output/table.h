/* Memory of a trajectory read back; the formats fill it. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_TABLE_H
#define OUTPUT_TABLE_H

#include "base/status.h"

/* Makes room for `ncolumns` names, all NULL. */
enum noe_status table_make_columns(struct noe_table *table, int ncolumns, struct noe_error *error);
/* Makes room for the numbers of `nrows` rows. */
enum noe_status table_make_rows(struct noe_table *table, size_t nrows, struct noe_error *error);

/* Keeps the rows whose number in the column `name` lies from `low` to `high`: at least one. */
enum noe_status table_keep_rows(struct noe_table *table, const char *name, noe_real low,
                                noe_real high, struct noe_error *error);

/* Index of the column called `name`, or -1. */
int table_column_find(const struct noe_table *table, const char *name);
/* The numbers of column c. */
static inline const noe_real *table_column(const struct noe_table *table, int c) {
    return table->values + (size_t)c * table->nrows;
}

#endif
