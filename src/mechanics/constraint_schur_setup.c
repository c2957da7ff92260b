/* Schur complement psi M^-1 psi^T of the constraints: the list of products that its entries are
 * sums of. */
/* SPDX-License-Identifier: MIT */
#include "mechanics/constraint_schur.h"

#include <stdlib.h>

/* Entries of y by columns. Column k has the entries list[start[k]] to list[start[k + 1] - 1]. */
struct columns {
    int *start, *list;
};

static bool open_columns(const struct noe_system *system, int size, struct columns *columns) {
    const int n = system->n, numbers = schur_numbers(system);
    columns->start = calloc((size_t)(n + 2 + numbers), sizeof *columns->start);
    if (!columns->start) return false;
    int *end = columns->start + 1; /* end of the entries listed so far in the previous column */
    columns->list = columns->start + n + 2;
    for (int f = 0; f < numbers; f++)
        if (schur_row(system, f) < size) end[schur_col(system, f) + 1]++;
    for (int k = 1; k <= n; k++) end[k] += end[k - 1];
    for (int f = 0; f < numbers; f++)
        if (schur_row(system, f) < size) columns->list[end[schur_col(system, f)]++] = f;
    return true;
}

size_t schur_count(const struct noe_system *system, int size) {
    struct columns columns;
    size_t count = 0;
    if (!open_columns(system, size, &columns)) return 0;
    for (int e = 0; e < system->nzc; e++) {
        const int *start = columns.start + constraint_col(system, e);
        if (constraint_row(system, e) < size) count += (size_t)(start[1] - start[0]);
    }
    free(columns.start);
    return count;
}

static int compare(const void *left, const void *right) {
    const struct schur_term *a = left, *b = right;
    return (a->y > b->y) - (a->y < b->y);
}

/* Sorts the terms of one row and numbers their entries. */
static void close_row(const struct noe_system *system, struct constraint_schur *schur,
                      struct schur_term *first, int count) {
    const bool is_full = system->n <= SCHUR_FULL_UP_TO;
    if (count == 0) return;
    qsort(first, (size_t)count, sizeof *first, compare);
    for (int i = 0; i < count; i++) {
        const int row = constraint_row(system, first->psi), col = schur_row(system, first[i].y);
        first[i].begins = i == 0 || schur_row(system, first[i - 1].y) != col;
        if (first[i].begins) schur->nz++;
        first[i].entry = is_full ? row * schur->size + col : schur->nz - 1;
    }
}

bool schur_make(struct constraint_schur *schur, const struct noe_system *system, int size,
                struct schur_term *term) {
    struct columns columns;
    int begin = 0, row = 0;
    *schur = (struct constraint_schur){.size = size, .term = term};
    if (!open_columns(system, size, &columns)) return false;
    for (int e = 0; e < system->nzc && constraint_row(system, e) < size; e++) {
        const int *start = columns.start + constraint_col(system, e);
        if (constraint_row(system, e) != row) {
            close_row(system, schur, term + begin, schur->nterms - begin);
            begin = schur->nterms;
            row = constraint_row(system, e);
        }
        for (int i = start[0]; i < start[1]; i++)
            term[schur->nterms++] = (struct schur_term){.psi = e, .y = columns.list[i]};
    }
    close_row(system, schur, term + begin, schur->nterms - begin);
    if (system->n <= SCHUR_FULL_UP_TO) schur->nz = size * size;
    free(columns.start);
    return true;
}

void schur_write(FILE *out, const struct constraint_schur *schur, const char *name) {
    fprintf(out, "static const struct schur_term %s[] = {", name);
    for (int i = 0; i < schur->nterms; i++) {
        const struct schur_term *term = &schur->term[i];
        fprintf(out, "{%d,%d,%d,%d},", term->entry, term->psi, term->y, term->begins);
    }
    fputs("{0,0,0,0}};\n", out);
}
