/* Schur complement psi M^-1 psi^T of the constraints: the matrix of the linear system for the
 * Lagrange multipliers if the mass matrix M is constant. Its entries are sums of listed products.
 */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_CONSTRAINT_SCHUR_H
#define MECHANICS_CONSTRAINT_SCHUR_H

#include <stdio.h>

#include "mechanics/interval.h"

/* Largest number of degrees of freedom with a full y, stored row by row. Beyond it M must be
 * diagonal. */
enum { SCHUR_FULL_UP_TO = 32 };

/* One product of an entry of psi and an entry of y = (M^-1 psi^T)^T, and the matrix entry that it
 * is added to. */
struct schur_term {
    int entry, psi, y;
    bool begins; /* true for the first term of an entry */
};

/* The Schur complement of the first `size` constraints. */
struct constraint_schur {
    int size, nz, nterms;
    const struct schur_term *term;
};

/* True if y has the sparsity pattern of psi. Otherwise y is full, row by row. */
static inline bool schur_is_sparse(const struct noe_system *system) {
    return system->traits & NOE_DIAGONAL_MASS;
}

/* Count of the numbers in y, and the row and column of one of them. */
static inline int schur_numbers(const struct noe_system *system) {
    return schur_is_sparse(system) ? system->nzc : constraint_count(system) * system->n;
}

static inline int schur_row(const struct noe_system *system, int e) {
    return schur_is_sparse(system) ? constraint_row(system, e) : e / system->n;
}

static inline int schur_col(const struct noe_system *system, int e) {
    return schur_is_sparse(system) ? constraint_col(system, e) : e % system->n;
}

/* True if the Schur complement exists and its sparsity makes it worthwhile. */
static inline bool schur_exists(const struct noe_system *system) {
    if (system->factors || !(system->traits & NOE_SEPARABLE)) return false;
    return system->n <= SCHUR_FULL_UP_TO || schur_is_sparse(system);
}

/* Number of terms. */
size_t schur_count(const struct noe_system *system, int size);
/* Fills the terms. False if memory runs out. */
bool schur_make(struct constraint_schur *schur, const struct noe_system *system, int size,
                struct schur_term *term);
/* Writes C text that defines the terms under the given name. */
void schur_write(FILE *out, const struct constraint_schur *schur, const char *name);

/* Rows and columns of the entries. */
static inline void schur_sparsity(const struct noe_system *system,
                                  const struct constraint_schur *schur, int *row, int *col) {
    for (int i = 0; i < schur->nterms; i++) {
        row[schur->term[i].entry] = constraint_row(system, schur->term[i].psi);
        col[schur->term[i].entry] = schur_row(system, schur->term[i].y);
    }
}

/* Computes the entries from psi and y, which may belong to different configurations. */
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
