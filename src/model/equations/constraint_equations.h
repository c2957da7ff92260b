/* The constraints of a model: g, psi, their derivatives, and the forces that keep them. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EQUATIONS_CONSTRAINT_EQUATIONS_H
#define MODEL_EQUATIONS_CONSTRAINT_EQUATIONS_H

#include "model/equations/frame_derivative.h"

/* Rows stand as in the system: holonomic ones first. psi is g' or phi. */
struct constraints {
    int n; /* directions: columns */
    int nholonomic, count;
    int nz;
    int *row, *col; /* the pattern, row by row; NULL: dense */
    int *c;         /* g (nholonomic nodes), psi and psi_t (`count` each) */
    int *d;         /* psi_v and psi_q, nz nodes each */
};

/* Adds to the model's graph what they need; false when memory ran out. */
bool constraint_equations_make(struct constraints *constraints, struct definition *model,
                               const struct frame_derivative *directions);
void constraint_equations_clear(struct constraints *constraints);

/* -lambda.g: what holonomic constraints add to the Lagrangian. */
int constraint_equations_potential(struct definition *model);
/* Adds phi_v^T lambda, by direction, to `force`. */
void constraint_equations_add_forces(const struct constraints *constraints,
                                     struct definition *model, int *force);
/* n nodes: -g_q^T lambda + phi_v^T lambda by direction; false when memory ran out. */
bool constraint_equations_reactions(struct definition *model, int *reaction);

#endif
