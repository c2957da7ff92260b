/* Fixed-point iteration for the residual of a step, if the method has a contracting map. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_FIXED_POINT_H
#define ENGINE_FIXED_POINT_H

#include "base/real.h"
#include "base/simd_pack.h"
#include "noether.h"

struct noe_interval;

struct fixed_point {
    int wait;         /* steps until the next attempt */
    int pause;        /* length of the pause after the last failure, in steps */
    int iterations;   /* iterations of the last call */
    bool has_solved;  /* the last call succeeded */
    bool has_iterate; /* the last call failed, and u is its last iterate */
    scalar rate;      /* last observed rate of convergence */
    scalar residual;  /* estimated residual after the last call, relative to the momentum */
};

#ifdef PACK_AVAILABLE
/* Resets the record of failures. */
void fixed_point_reset(struct fixed_point *fixed_point);
/* Solves the residual of the interval. u is the initial guess if there is no previous step. On
 * failure u is unchanged, or the last iterate. */
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
