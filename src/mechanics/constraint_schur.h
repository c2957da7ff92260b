/* psi M^-1 psi^T, the matrix of multipliers where the mass matrix M is constant: which products
 * make it. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_CONSTRAINT_SCHUR_H
#define MECHANICS_CONSTRAINT_SCHUR_H

#include <stdio.h>

#include "mechanics/interval.h"

/* Up to so many degrees of freedom the matrix is full, row by row; beyond, M must be diagonal. */
enum { SCHUR_FULL_UP_TO = 32 };

/* One product, of entries of psi and of y = (M^-1 psi^T)^T, and the entry of the matrix it is part
 * of. */
struct schur_term {
    int entry, psi, y;
    bool begins; /* it is the first one of its entry */
};

/* The matrix of the first `size` constraints. */
struct constraint_schur {
    int size, nz, nterms;
    const struct schur_term *term;
};

/* Does y have the pattern of psi? Else it is full, row by row. */
static inline bool schur_is_sparse(const struct noe_system *system) {
    return system->traits & NOE_DIAGONAL_MASS;
}

/* Numbers in y, and where one of them stands. */
static inline int schur_numbers(const struct noe_system *system) {
    return schur_is_sparse(system) ? system->nzc : constraint_count(system) * system->n;
}

static inline int schur_row(const struct noe_system *system, int e) {
    return schur_is_sparse(system) ? constraint_row(system, e) : e / system->n;
}

static inline int schur_col(const struct noe_system *system, int e) {
    return schur_is_sparse(system) ? constraint_col(system, e) : e % system->n;
}

/* Is there such a matrix, with a pattern that pays? */
bool schur_exists(const struct noe_system *system);
/* How many terms it has. */
size_t schur_count(const struct noe_system *system, int size);
/* Fills so many terms; false without memory. */
bool schur_make(struct constraint_schur *schur, const struct noe_system *system, int size,
                struct schur_term *term);
/* Writes C text that defines the terms under a name. */
void schur_write(FILE *out, const struct constraint_schur *schur, const char *name);

/* Where its entries stand. */
static inline void schur_sparsity(const struct noe_system *system,
                                  const struct constraint_schur *schur, int *row, int *col) {
    for (int i = 0; i < schur->nterms; i++) {
        row[schur->term[i].entry] = constraint_row(system, schur->term[i].psi);
        col[schur->term[i].entry] = schur_row(system, schur->term[i].y);
    }
}

/* The entries, from psi and y, be they of two configurations. */
REAL_INLINE void schur_evaluate(const struct constraint_schur *schur, const real *psi,
                                const real *y, real *K) {
    STEP_SPREAD
    for (int e = 0; e < schur->nz; e++) K[e] = real_broadcast(0);
    STEP_SPREAD
    for (int i = 0; i < schur->nterms; i++) {
        const struct schur_term *term = &schur->term[i];
        const real product = psi[term->psi] * y[term->y];
        K[term->entry] = term->begins ? product : K[term->entry] + product;
    }
}

#endif
