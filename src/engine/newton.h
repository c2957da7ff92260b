/* The root of a step's residual, to round-off. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_NEWTON_H
#define ENGINE_NEWTON_H

#include "base/lane_status.h"
#include "linalg/linear_system.h"

struct newton {
    struct linear linear;
    real *u, *d;      /* unknowns, last correction */
    real *weight;     /* of the unknowns, in the size of a correction */
    real *scale;      /* of the unknowns in earlier steps, which fades by half a step */
    real *values;     /* entries of the Jacobian */
    bool has_weights; /* of the step before */
    bool has_factors; /* of a Jacobian near enough to go on with */
    real curvature;   /* the second correction over the square of the first, both relative */
    mask has_strayed; /* corrections of the last call that were not small grew, or hardly shrank */
    real first;       /* correction of the last call, relative */
    int iterations;   /* of the last call */
    long factorisations; /* since the start */
    real sign;           /* of the determinant of the last Jacobian of a system with constraints */
    real normal;         /* the same of a step that crosses nothing; 0: not known */
    real residual;       /* left by the last call: estimated after the last correction, absolute */
};

void newton_layout(struct newton *newton, struct arena *arena, const struct noe_problem *problem);
enum noe_status newton_init(struct newton *newton, const struct noe_problem *problem);
void newton_clear(struct newton *newton);
/* What earlier steps have shown is no use for the next. */
void newton_forget(struct newton *newton);
/* Learns the sign of the determinant from a short interval and the guess in u. Roots of the other
 * sign do not come from steps of length zero without crossing a singular matrix. */
void newton_orient(struct newton *newton, struct noe_interval *interval);
/* Before another attempt at a step in these lanes: weights are those of the steps before, whatever
 * came of the last. */
void newton_restart(struct newton *newton, int n, mask where);
/* Solves the residual of the interval from the guess in u, in the lanes that are wanted. The root
 * is u - d: a lane that is done stands still and finds the same d again while others go on. */
noe_lane_status newton_solve(struct newton *newton, struct noe_interval *interval, mask wanted);
/* u <- u - d, which counts as a root where it is said to be one. */
void newton_finish(struct newton *newton, int n, mask is_root);

#endif
