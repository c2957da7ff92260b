/* A table of numbers read from a file of any format. */
/* SPDX-License-Identifier: MIT */
#include "output/table.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum noe_status table_make_columns(struct noe_table *table, int ncolumns, struct noe_error *error) {
    table->column = calloc((size_t)ncolumns + 1, sizeof *table->column);
    if (!table->column) return status_set(error, NOE_NO_MEMORY, "out of memory");
    table->ncolumns = ncolumns;
    return NOE_OK;
}

enum noe_status table_make_rows(struct noe_table *table, size_t nrows, struct noe_error *error) {
    const size_t row = (size_t)table->ncolumns * sizeof *table->values;
    const bool fits = row == 0 || nrows < SIZE_MAX / row;
    table->values = fits ? malloc(nrows * row + 1) : NULL;
    if (!table->values)
        return status_set(error, NOE_NO_MEMORY, "out of memory for %zu rows of %d columns", nrows,
                          table->ncolumns);
    table->nrows = nrows;
    return NOE_OK;
}

enum noe_status table_keep_rows(struct noe_table *table, const char *name, noe_real low,
                                noe_real high, struct noe_error *error) {
    const int c = table_column_find(table, name);
    if (c < 0) return status_set(error, NOE_BAD_INPUT, "there is no column '%s'", name);
    size_t *row = malloc((table->nrows + 1) * sizeof *row), kept = 0;
    if (!row) return status_set(error, NOE_NO_MEMORY, "out of memory");
    const noe_real *along = table_column(table, c);
    for (size_t r = 0; r < table->nrows; r++)
        if (along[r] >= low && along[r] <= high) row[kept++] = r;
    noe_real *to = table->values;
    for (int k = 0; k < table->ncolumns; k++)
        for (size_t i = 0; i < kept; i++) *to++ = table_column(table, k)[row[i]];
    table->nrows = kept;
    free(row);
    if (kept) return NOE_OK;
    return status_set(error, NOE_BAD_INPUT, "no row has '%s' from %g to %g", name, (double)low,
                      (double)high);
}

int table_column_find(const struct noe_table *table, const char *name) {
    for (int c = 0; c < table->ncolumns; c++)
        if (strcmp(table->column[c], name) == 0) return c;
    return -1;
}

void noe_table_free(struct noe_table *table) {
    if (!table) return;
    for (int c = 0; table->column && c < table->ncolumns; c++) free(table->column[c]);
    free(table->column);
    free(table->values);
    free(table->model_title);
    free(table->model_text);
    free(table->method);
    free(table->settings);
    free(table->message);
    free(table);
}

/* A path without a file is bad input; a disk error is a failure of the environment. */
static enum noe_status check_readable(const char *path, struct noe_error *error) {
    struct stat found;
    int code = stat(path, &found) == 0 ? 0 : errno;
    if (!code && S_ISDIR(found.st_mode)) code = EISDIR;
    if (!code && access(path, R_OK) != 0) code = errno;
    if (!code) return NOE_OK;
    return status_set(error, code == EIO ? NOE_IO : NOE_BAD_INPUT, "cannot read '%s': %s", path,
                      strerror(code));
}

enum noe_status noe_table_open(struct noe_table **made, const char *path, struct noe_error *error) {
    *made = NULL;
    const struct noe_format *format = noe_format_find(path);
    if (!format)
        return status_set(error, NOE_BAD_INPUT,
                          "'%s' is not a trajectory file: its name ends in no known format", path);
    enum noe_status status = check_readable(path, error);
    if (status != NOE_OK) return status;
    struct noe_table *table = calloc(1, sizeof *table);
    if (!table) return status_set(error, NOE_NO_MEMORY, "out of memory");
    status = format->read(table, path, error);
    if (status == NOE_OK)
        *made = table;
    else
        noe_table_free(table);
    return status;
}
