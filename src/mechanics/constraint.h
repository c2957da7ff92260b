/* Number of constraints of a system, and the sign of their constraint forces. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_CONSTRAINT_H
#define MECHANICS_CONSTRAINT_H

#include "noether_system.h"

/* Number of Lagrange multipliers, which are stored behind the velocities. It is a compile-time
 * constant in a specialised stepper for a system without constraints. */
#ifdef NOE_WITHOUT_CONSTRAINTS
#define constraint_count(system) 0
#else
static inline int constraint_count(const struct noe_system *system) {
    return system->nholonomic + system->nnonholonomic;
}
#endif

/* The constraint force is w_lambda = psi_v^T with this sign in the column of constraint `a`. */
static inline noe_scalar constraint_sign(const struct noe_system *system, int a) {
    return a < system->nholonomic ? -1 : 1;
}

/* Row and column of entry e in the sparsity pattern of psi_v and psi_q. */
static inline int constraint_row(const struct noe_system *system, int e) {
    return system->crow ? system->crow[e] : e / system->n;
}

static inline int constraint_col(const struct noe_system *system, int e) {
    return system->crow ? system->ccol[e] : e % system->n;
}

#endif
