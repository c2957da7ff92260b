/* Lagrange multipliers of a state of a constrained system. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_MULTIPLIERS_H
#define MECHANICS_MULTIPLIERS_H

#include "linalg/linear_system.h"
#include "mechanics/constraint.h"

struct multipliers {
    struct linear linear;
    struct linear
        schur; /* Schur complement psi M^-1 psi^T, if a kernel of a large system solves with it */
    real *values;    /* entries of the matrix */
    real *v;         /* a velocity, followed by zero multipliers */
    real *P, *W, *D; /* system functions at this velocity */
    real *c, *d;     /* constraint functions at this velocity */
    real *x;         /* right-hand side, then accelerations and multipliers */
    real *before;    /* psi_v at the end of the previous step */
    real normal;     /* sign of the determinant of the matrix; 0 if unknown */
};

/* Writes the sparsity pattern of the matrix. Returns the number of entries. If the arguments are
 * NULL it only counts. */
int multipliers_pattern(const struct noe_system *system, int *row, int *col);
/* True if a kernel solves for the multipliers alone with a sparse Schur complement. */
bool multipliers_use_schur(const struct noe_problem *problem);
/* Measures or carves the memory, like linear_layout. */
void multipliers_layout(struct multipliers *multipliers, struct arena *arena,
                        const struct noe_problem *problem);
enum noe_status multipliers_init(struct multipliers *multipliers,
                                 const struct noe_problem *problem);
void multipliers_clear(struct multipliers *multipliers);

struct noe_interval;
/* Computes the multipliers of the motion through q with velocity v at time t. False if the
 * constraints are linearly dependent there. */
mask multipliers_demanded(const struct noe_interval *interval, real t, const real *q, const real *v,
                          real *lambda);
/* The velocity v that satisfies psi = 0 and has the momentum p - psi_v^T mu (with the signs of
 * constraint forces), and mu unless it is NULL: the point of the constrained phase space that p
 * reaches along the constraint forces. p_v must be regular along the constraints only. An iteration
 * starts from v. False if there is none. Writes psi_v of the point to `d`. */
mask multipliers_project(const struct noe_interval *interval, real t, const real *q, const real *p,
                         real *v, real *mu);
/* Stores psi_v of the last evaluation as that at the end of a step. */
void multipliers_remember(struct multipliers *multipliers, const struct noe_system *system);
/* True if the path from the stored configuration to q, with velocity v, crosses a configuration
 * with a rank-deficient constraint Jacobian. Otherwise stores psi_v at q. */
mask multipliers_turn(const struct noe_interval *interval, real t, const real *q, const real *v);

#endif
