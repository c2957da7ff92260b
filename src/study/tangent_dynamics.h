/* Tangent dynamics: Lyapunov exponents and MEGNO of the discrete flow. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_TANGENT_DYNAMICS_H
#define STUDY_TANGENT_DYNAMICS_H

#include "base/arena.h"
#include "noether.h"

/* Tangent vectors propagated by the tangent map of the steps and orthonormalised after every step
 * by A = Q R (Benettin, Galgani, Giorgilli and Strelcyn 1980). Exponent j is the sum of log R_jj
 * divided by the time. */
struct tangent {
    const struct noe_system *system;
    int count;           /* number of vectors, as the observed quantities require; 0: none */
    real *vector;        /* consecutive vectors of 2n numbers */
    real *sum;           /* sum of log R_jj for each vector */
    long steps;          /* number of steps that count */
    int left_out;        /* number of initial steps that do not count (constraints) */
    real weighted, mean; /* sums of k log R_11 and of MEGNO over the steps */
    real t_start, t;
};

/* Number of vectors that the quantities of the system need; 0 if none is a tangent quantity. */
int tangent_count(const struct noe_system *system);
/* NOE_OK, or NOE_NOT_SERVED and the reason why steps of the problem have no tangent map. */
enum noe_status tangent_check(const struct noe_problem *problem, struct noe_error *error);
void tangent_layout(struct tangent *tangent, struct arena *arena, const struct noe_system *system);
/* Starts at time t with generic vectors, which are the same in every run. */
void tangent_start(struct tangent *tangent, real t);
/* Takes one step of `work` and propagates the vectors. */
enum noe_status tangent_step(struct tangent *tangent, struct noe_work *work,
                             struct noe_error *error);
/* Writes the tangent quantities to their positions in `values`. */
void tangent_show(const struct tangent *tangent, real *values);

#endif
