/* Newton iteration for the residual of a step, to round-off. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_NEWTON_H
#define ENGINE_NEWTON_H

#include "base/lane_status.h"
#include "linalg/linear_system.h"

struct noe_interval;

struct newton {
    struct linear linear;
    real *u, *d;         /* unknowns and last correction */
    real *weight;        /* weights of the unknowns in the norm of a correction */
    real *scale;         /* scale of the unknowns in earlier steps, halved at every step */
    real *values;        /* entries of the Jacobian */
    bool has_weights;    /* weights of the previous step exist */
    bool has_factors;    /* factors of a Jacobian near enough to be used again exist */
    real curvature;      /* second correction over the square of the first, both relative */
    mask has_strayed;    /* large corrections of the last call grew, or hardly shrank */
    real first;          /* relative size of the first correction of the last call */
    int iterations;      /* iterations of the last call */
    long factorisations; /* factorisations since the start */
    real sign;           /* sign of the determinant of the last Jacobian of a constrained system */
    real normal;         /* sign of the determinant for a regular step; 0 if unknown */
    real residual;       /* estimated absolute residual after the last correction */
};

void newton_layout(struct newton *newton, struct arena *arena, const struct noe_problem *problem);
enum noe_status newton_init(struct newton *newton, const struct noe_problem *problem);
void newton_clear(struct newton *newton);
/* Resets the history of earlier steps. */
void newton_forget(struct newton *newton);
/* Finds the sign of the determinant for regular steps from a short interval and the guess in u.
 * Roots of the other sign are not connected to the step of size zero without a singular Jacobian.
 */
void newton_orient(struct newton *newton, struct noe_interval *interval);
/* Prepares another attempt at a step in these lanes: restores the weights of the previous steps. */
void newton_restart(struct newton *newton, int n, mask where);
/* Solves the residual of the interval from the guess in u, in the lanes `wanted`. The root is u -
 * d. A lane that has converged computes the same d again while other lanes iterate. */
noe_lane_status newton_solve(struct newton *newton, struct noe_interval *interval, mask wanted);
/* u <- u - d, which is a root in the lanes `is_root`. */
void newton_finish(struct newton *newton, int n, mask is_root);

#endif
