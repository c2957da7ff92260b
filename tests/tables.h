/* Tables with synthetic columns, and the panels of their overview. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_TABLES_H
#define TESTS_TABLES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/real.h"
#include "plot/plot_trajectory.h"

/* A table with columns named in `names`, separated by spaces; `make` computes row r of column c. */
static inline struct noe_table *tables_new(const char *names, size_t nrows,
                                           real (*make)(int c, size_t r)) {
    struct noe_table *table = calloc(1, sizeof *table);
    char *words = strdup(names);
    table->column = calloc(strlen(names) + 1, sizeof *table->column);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        table->column[table->ncolumns++] = strdup(word);
    free(words);
    table->nrows = nrows;
    table->values = calloc((size_t)table->ncolumns * nrows + 1, sizeof *table->values);
    for (int c = 0; c < table->ncolumns; c++)
        for (size_t r = 0; r < nrows; r++) table->values[(size_t)c * nrows + r] = make(c, r);
    return table;
}

static inline real tables_oscillations(int c, size_t r) {
    const real t = (real)r / 100;
    return c == 0 ? t : noe_sin((real)(c + 1) * t);
}

/* Checks the titles of the panels and their numbers of curves: "Path: 1; ". */
static inline void tables_assert_panels(const char *names, const char *titles) {
    static struct figure picture; /* large */
    struct noe_table *table = tables_new(names, 500, tables_oscillations);
    struct noe_error error = {0};
    char found[1000] = "";
    if (plot_trajectory_make(&picture, table, "file", &error) != NOE_OK) fail_msg("%s", error.text);
    for (int p = 0; p < picture.npanels; p++) {
        const size_t length = strlen(found);
        snprintf(found + length, sizeof found - length, "%s: %d; ", picture.panel[p].title,
                 picture.panel[p].ncurves);
    }
    assert_string_equal(found, titles);
    assert_string_equal(picture.title, "file");
    figure_clear(&picture);
    noe_table_free(table);
}

#endif
