/* The root of a step's residual, to round-off. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_NEWTON_H
#define ENGINE_NEWTON_H

#include "linalg/linear.h"
#include "noether.h"

struct newton {
    struct linear linear;
    real *u, *d;         /* unknowns, last correction */
    real *weight;        /* of the unknowns, in the size of a correction */
    real *values;        /* entries of the Jacobian */
    bool has_factors;    /* of a Jacobian near enough to go on with */
    real curvature;      /* the second correction over the square of the first, both relative */
    int iterations;      /* of the last call */
    long factorisations; /* since the start */
    real residual;       /* left by the last call: estimated after the last correction, absolute */
};

/* Decides how the linear systems are solved; to be called before the layout. */
enum noe_status newton_plan(struct newton *newton, const struct noe_problem *problem);
void newton_layout(struct newton *newton, struct arena *arena, const struct noe_problem *problem);
enum noe_status newton_init(struct newton *newton, const struct noe_problem *problem);
void newton_clear(struct newton *newton);
/* Solves the residual of the interval from the guess in u. */
enum noe_status newton_solve(struct newton *newton, struct noe_interval *interval);

#endif
