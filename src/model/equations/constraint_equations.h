/* The constraints of a model: g, psi, their derivatives, and the forces that keep them. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CONSTRAINTS_H
#define MODEL_CONSTRAINTS_H

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
bool constraints_make(struct constraints *constraints, struct source_model *model,
                      const struct directions *directions);
void constraints_clear(struct constraints *constraints);

/* -lambda.g: what holonomic constraints add to the Lagrangian. */
int constraints_potential(struct source_model *model);
/* Adds phi_v^T lambda, by direction, to `force`. */
void constraints_add_forces(const struct constraints *constraints, struct source_model *model,
                            int *force);
/* n nodes: -g_q^T lambda + phi_v^T lambda by direction; false when memory ran out. */
bool constraints_reactions(struct source_model *model, int *reaction);

#endif
