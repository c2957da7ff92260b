/* The multipliers that a state of a constrained system demands. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_MULTIPLIERS_H
#define MECHANICS_MULTIPLIERS_H

#include "linalg/linear_system.h"
#include "mechanics/constraint.h"

struct multipliers {
    struct linear linear;
    struct linear schur; /* psi M^-1 psi^T, where a kernel of a large system solves with it */
    real *values;        /* entries of its matrix */
    real *v;             /* a velocity, and multipliers that are zero */
    real *P, *W, *D;     /* of the system there */
    real *c, *d;         /* of its constraints */
    real *x;             /* right side, then accelerations and multipliers */
    real *before;        /* psi_v at the end of the step before */
    real normal;         /* the sign of the matrix's determinant; 0: not known */
};

/* Writes the entries of the matrix; returns their number. With NULL arguments it only counts. */
int multipliers_pattern(const struct noe_system *system, int *row, int *col);
/* Does a kernel solve for multipliers alone, with a matrix that is not full? */
bool multipliers_use_schur(const struct noe_problem *problem);
/* Measures or carves its memory, as linear_layout. */
void multipliers_layout(struct multipliers *multipliers, struct arena *arena,
                        const struct noe_problem *problem);
enum noe_status multipliers_init(struct multipliers *multipliers,
                                 const struct noe_problem *problem);
void multipliers_clear(struct multipliers *multipliers);

struct noe_interval;
/* The multipliers of the motion through q with velocity v at time t; false where constraints
 * depend on one another. */
mask multipliers_demanded(const struct noe_interval *interval, real t, const real *q, const real *v,
                          real *lambda);
/* Takes psi_v of the last such motion for that at the end of a step. */
void multipliers_remember(struct multipliers *multipliers, const struct noe_system *system);
/* Does the way from there to q, where the velocity is v, cross a configuration where constraints
 * depend on one another? Where it does not, psi_v there is remembered. */
mask multipliers_turn(const struct noe_interval *interval, real t, const real *q, const real *v);

#endif
