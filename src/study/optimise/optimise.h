/* State and functions that the descent methods share. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_OPTIMISE_OPTIMISE_H
#define STUDY_OPTIMISE_OPTIMISE_H

#include "base/real.h"
#include "noether_optimise.h"

struct optimise_state;

/* Gradient descent, or an accelerated form of it. */
struct optimise_method {
    const char *name, *summary, *reference;
    unsigned spaces;                  /* bits of enum noe_spaces: the spaces it serves */
    const struct noe_option *options; /* all needed; ends with a row whose name is NULL */
    struct noe_descent_rate (*rate)(const noe_scalar *option);
    /* Writes the displacement that leads to the next point. */
    void (*advance)(struct optimise_state *);
};

/* The methods of this build: index 0 .. optimise_method_count()-1. */
int optimise_method_count(void);
const struct optimise_method *optimise_method_at(int index);

/* State of a minimisation. Tangent vectors are left trivialised. */
struct optimise_state {
    const struct noe_objective *objective;
    struct noe_system space; /* only its space is used: n and factors */
    const struct optimise_method *method;
    noe_scalar option[NOE_OPTIONS_MAX];
    real *q, *carry;     /* current point, and the carry of compensated sums */
    real value;          /* objective at q */
    real *gradient;      /* gradient at q */
    real *velocity;      /* owned by the method; initially zero */
    real *displacement;  /* written by `advance`: the next point is q exp(displacement) */
    real *ahead, *slope; /* scratch for another point and the gradient there */
    real *start;         /* initial point */
    long clipped;
};

extern const struct optimise_method optimise_methods[];

/* g1 = g0 exp(x), without compensated summation. */
void optimise_move(const struct optimise_state *state, real *g1, const real *g0, const real *x);
/* The Euclidean norm of n numbers. */
real optimise_norm(int n, const real *x);
/* Largest curvature of the objective at q, by the power method on finite differences of gradients;
 * NaN if they are not finite. */
real optimise_curvature(struct optimise_state *state);
/* Largest step size for which an iteration of this rate is stable at the given curvature. */
real optimise_step_limit(const struct noe_descent_rate *rate, real curvature);

#endif
