/* psi M^-1 psi^T: which products make it. */
/* SPDX-License-Identifier: MIT */
#include "mechanics/constraint_schur.h"

#include <stdlib.h>

bool gram_exists(const struct noe_system *system) {
    if (system->factors || !(system->traits & NOE_SEPARABLE)) return false;
    return system->n <= GRAM_FULL_UP_TO || gram_is_sparse(system);
}

/* Entries of y by columns: those of column k are list[start[k]] to list[start[k + 1] - 1]. */
struct columns {
    int *start, *list;
};

static bool open_columns(const struct noe_system *system, int size, struct columns *columns) {
    const int n = system->n, numbers = gram_numbers(system);
    columns->start = calloc((size_t)(n + 2 + numbers), sizeof *columns->start);
    if (!columns->start) return false;
    int *end = columns->start + 1; /* of what is listed so far, of the column before */
    columns->list = columns->start + n + 2;
    for (int f = 0; f < numbers; f++)
        if (gram_row(system, f) < size) end[gram_col(system, f) + 1]++;
    for (int k = 1; k <= n; k++) end[k] += end[k - 1];
    for (int f = 0; f < numbers; f++)
        if (gram_row(system, f) < size) columns->list[end[gram_col(system, f)]++] = f;
    return true;
}

size_t gram_count(const struct noe_system *system, int size) {
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
    const struct gram_term *a = left, *b = right;
    return (a->y > b->y) - (a->y < b->y);
}

/* Puts the terms of one row in order and numbers their entries. */
static void close_row(const struct noe_system *system, struct gram *gram, struct gram_term *first,
                      int count) {
    const bool is_full = system->n <= GRAM_FULL_UP_TO;
    if (count == 0) return;
    qsort(first, (size_t)count, sizeof *first, compare);
    for (int i = 0; i < count; i++) {
        const int row = constraint_row(system, first->psi), col = gram_row(system, first[i].y);
        first[i].begins = i == 0 || gram_row(system, first[i - 1].y) != col;
        if (first[i].begins) gram->nz++;
        first[i].entry = is_full ? row * gram->size + col : gram->nz - 1;
    }
}

bool gram_make(struct gram *gram, const struct noe_system *system, int size,
               struct gram_term *term) {
    struct columns columns;
    int begin = 0, row = 0;
    *gram = (struct gram){.size = size, .term = term};
    if (!open_columns(system, size, &columns)) return false;
    for (int e = 0; e < system->nzc && constraint_row(system, e) < size; e++) {
        const int *start = columns.start + constraint_col(system, e);
        if (constraint_row(system, e) != row) {
            close_row(system, gram, term + begin, gram->nterms - begin);
            begin = gram->nterms;
            row = constraint_row(system, e);
        }
        for (int i = start[0]; i < start[1]; i++)
            term[gram->nterms++] = (struct gram_term){.psi = e, .y = columns.list[i]};
    }
    close_row(system, gram, term + begin, gram->nterms - begin);
    if (system->n <= GRAM_FULL_UP_TO) gram->nz = size * size;
    free(columns.start);
    return true;
}

void gram_write(FILE *out, const struct gram *gram, const char *name) {
    fprintf(out, "static const struct gram_term %s[] = {", name);
    for (int i = 0; i < gram->nterms; i++) {
        const struct gram_term *term = &gram->term[i];
        fprintf(out, "{%d,%d,%d,%d},", term->entry, term->psi, term->y, term->begins);
    }
    fputs("{0,0,0,0}};\n", out);
}
