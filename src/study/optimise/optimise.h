/* What the iterations that minimise share. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_OPTIMISE_OPTIMISE_H
#define STUDY_OPTIMISE_OPTIMISE_H

#include "base/real.h"
#include "noether_optimise.h"

/* One minimisation under way. Tangents are left trivialised. */
struct noe_descent_state {
    const struct noe_objective *objective;
    struct noe_system space; /* only the space: n and factors */
    const struct noe_descent *method;
    noe_scalar option[NOE_OPTIONS_MAX];
    real *q, *carry;     /* the point, and the round-off of additions */
    real value;          /* of f there */
    real *gradient;      /* there */
    real *velocity;      /* the iteration's own; zero at first */
    real *displacement;  /* what `advance` writes: the next point is q exp(displacement) */
    real *ahead, *slope; /* room for another point and the gradient there */
    real *start;         /* the first point */
    long clipped;
};

extern const struct noe_descent optimise_methods[];

/* g1 = g0 exp(x), without compensation. */
void optimise_move(const struct noe_descent_state *state, real *g1, const real *g0, const real *x);
/* The Euclidean norm of n numbers. */
real optimise_norm(int n, const real *x);
/* The largest curvature of the objective at q, by the power method on differences of gradients; NaN
 * where they are not finite. */
real optimise_curvature(struct noe_descent_state *state);
/* The longest step with which an iteration of this rate settles where the curvature is given. */
real optimise_step_limit(const struct noe_descent_rate *rate, real curvature);

#endif
