/* Constraint equations of a model: g, psi, their derivatives, and the constraint forces. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EQUATIONS_CONSTRAINT_EQUATIONS_H
#define MODEL_EQUATIONS_CONSTRAINT_EQUATIONS_H

#include "model/equations/frame_derivative.h"

/* Rows are ordered as in the system, holonomic ones first. psi is g' (holonomic) or phi
 * (nonholonomic). */
struct constraints {
    int n; /* number of columns, one for each frame direction */
    int nholonomic, count;
    int nz;
    int *row, *col; /* sparsity pattern, row by row; NULL: dense */
    int *c;         /* g (nholonomic nodes), psi and psi_t (`count` each) */
    int *d;         /* psi_v and psi_q, nz nodes each */
};

/* Adds the constraint equations to the model's graph. False if memory ran out. */
bool constraint_equations_make(struct constraints *constraints, struct definition *model,
                               const struct frame_derivative *frame);
void constraint_equations_clear(struct constraints *constraints);

/* -lambda.g, the term that holonomic constraints add to the Lagrangian. */
int constraint_equations_potential(struct definition *model);
/* Adds phi_v^T lambda to `force`. */
void constraint_equations_add_forces(const struct constraints *constraints,
                                     struct definition *model, int *force);
/* Writes n nodes: the constraint forces -g_q^T lambda + phi_v^T lambda. False if memory ran out. */
bool constraint_equations_reactions(struct definition *model, int *reaction);

#endif
