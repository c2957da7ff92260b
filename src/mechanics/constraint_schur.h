/* psi M^-1 psi^T, the matrix of multipliers where the mass matrix M is constant: which products
 * make it. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_GRAM_H
#define METHODS_GRAM_H

#include <stdio.h>

#include "mechanics/interval.h"

/* Up to so many degrees of freedom the matrix is full, row by row; beyond, M must be diagonal. */
enum { GRAM_FULL_UP_TO = 32 };

/* One product, of entries of psi and of y = (M^-1 psi^T)^T, and the entry of the matrix it is part
 * of. */
struct gram_term {
    int entry, psi, y;
    bool begins; /* it is the first one of its entry */
};

/* The matrix of the first `size` constraints. */
struct gram {
    int size, nz, nterms;
    const struct gram_term *term;
};

/* Does y have the pattern of psi? Else it is full, row by row. */
static inline bool gram_is_sparse(const struct noe_system *system) {
    return system->traits & NOE_DIAGONAL_MASS;
}

/* Numbers in y, and where one of them stands. */
static inline int gram_numbers(const struct noe_system *system) {
    return gram_is_sparse(system) ? system->nzc : constraint_count(system) * system->n;
}

static inline int gram_row(const struct noe_system *system, int e) {
    return gram_is_sparse(system) ? constraint_row(system, e) : e / system->n;
}

static inline int gram_col(const struct noe_system *system, int e) {
    return gram_is_sparse(system) ? constraint_col(system, e) : e % system->n;
}

/* Is there such a matrix, with a pattern that pays? */
bool gram_exists(const struct noe_system *system);
/* How many terms it has. */
size_t gram_count(const struct noe_system *system, int size);
/* Fills so many terms; false without memory. */
bool gram_make(struct gram *gram, const struct noe_system *system, int size,
               struct gram_term *term);
/* Writes C text that defines the terms under a name. */
void gram_write(FILE *out, const struct gram *gram, const char *name);

/* Where its entries stand. */
static inline void gram_pattern(const struct noe_system *system, const struct gram *gram, int *row,
                                int *col) {
    for (int i = 0; i < gram->nterms; i++) {
        row[gram->term[i].entry] = constraint_row(system, gram->term[i].psi);
        col[gram->term[i].entry] = gram_row(system, gram->term[i].y);
    }
}

/* The entries, from psi and y, be they of two configurations. */
STEP_INLINE void gram_evaluate(const struct gram *gram, const real *psi, const real *y, real *K) {
    STEP_SPREAD
    for (int e = 0; e < gram->nz; e++) K[e] = real_of(0);
    STEP_SPREAD
    for (int i = 0; i < gram->nterms; i++) {
        const struct gram_term *term = &gram->term[i];
        const real product = psi[term->psi] * y[term->y];
        K[term->entry] = term->begins ? product : K[term->entry] + product;
    }
}

#endif
