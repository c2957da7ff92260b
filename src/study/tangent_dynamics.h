/* Tangent dynamics: Lyapunov exponents and MEGNO of the discrete flow. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_TANGENT_DYNAMICS_H
#define STUDY_TANGENT_DYNAMICS_H

#include "base/arena.h"
#include "noether.h"

/* Vectors that the derivatives of the steps carry along, made orthonormal after every step by
 * A = Q R (Benettin, Galgani, Giorgilli and Strelcyn 1980): exponent j is the sum of log R_jj over
 * the time. */
struct tangent {
    const struct noe_system *system;
    int count;           /* vectors, as many as the observed quantities need; 0: none */
    real *vector;        /* one after the other, 2n numbers each */
    real *sum;           /* of each, the sum of log R_jj */
    long steps;          /* that count, and */
    int left_out;        /* those that do not, with constraints the first ones */
    real weighted, mean; /* sums of k log R_11 and of MEGNO over the steps */
    real t_start, t;
};

/* How many vectors the system's quantities need; 0: none of them is of the tangent. */
int tangent_count(const struct noe_system *system);
/* NOE_OK, or NOE_NOT_SERVED and why steps of the problem have no derivative. */
enum noe_status tangent_check(const struct noe_problem *problem, struct noe_error *error);
void tangent_layout(struct tangent *tangent, struct arena *arena, const struct noe_system *system);
/* Begins at time t with vectors that are generic, and the same every time. */
void tangent_start(struct tangent *tangent, real t);
/* Takes one step of `work` and the vectors with it. */
enum noe_status tangent_step(struct tangent *tangent, struct noe_work *work,
                             struct noe_error *error);
/* Writes what the tangent says into the places of its quantities in `values`. */
void tangent_show(const struct tangent *tangent, real *values);

#endif
