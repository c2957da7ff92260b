/* The root of a step's residual by a contraction, where the method has one. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_CONTRACTION_H
#define ENGINE_CONTRACTION_H

#include "base/simd_pack.h"
#include "base/real.h"
#include "noether.h"

struct contraction {
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
void contraction_reset(struct contraction *contraction);
/* Solves the residual of the interval. u is a guess, where the interval does not know the step
 * before; on failure it is as it was, or what was reached. */
enum noe_status contraction_solve(struct contraction *contraction, struct noe_interval *interval,
                                  real *u);
#else
static inline void contraction_reset(struct contraction *contraction) { (void)contraction; }
static inline enum noe_status contraction_solve(struct contraction *contraction,
                                                struct noe_interval *interval, real *u) {
    (void)contraction, (void)interval, (void)u;
    return NOE_NOT_CONVERGED;
}
#endif

#endif
