/* The root of a step's residual by a contraction, where the method has one. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_FIXED_POINT_H
#define ENGINE_FIXED_POINT_H

#include "base/real.h"
#include "base/simd_pack.h"
#include "noether.h"

struct fixed_point {
    int wait;         /* steps before it is tried again */
    int pause;        /* after the last failure: so many steps */
    int iterations;   /* of the last call: passes */
    bool has_solved;  /* the last call succeeded */
    bool has_iterate; /* it did not, and u is what it reached */
    scalar rate;      /* that a pass was last seen to shrink the error by */
    scalar residual;  /* left by the last call, relative to the momentum: estimated */
};

#ifdef PACK_AVAILABLE
/* Forgets failures. */
void fixed_point_reset(struct fixed_point *fixed_point);
/* Solves the residual of the interval. u is a guess, where the interval does not know the step
 * before; on failure it is as it was, or what was reached. */
enum noe_status fixed_point_solve(struct fixed_point *fixed_point, struct noe_interval *interval,
                                  real *u);
#else
static inline void fixed_point_reset(struct fixed_point *fixed_point) { (void)fixed_point; }
static inline enum noe_status fixed_point_solve(struct fixed_point *fixed_point,
                                                struct noe_interval *interval, real *u) {
    (void)fixed_point, (void)interval, (void)u;
    return NOE_NOT_CONVERGED;
}
#endif

#endif
