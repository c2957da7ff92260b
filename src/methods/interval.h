/* What a method sees of one step. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_INTERVAL_H
#define METHODS_INTERVAL_H

#include "methods/legendre.h"
#include "noether.h"

struct noe_interval {
    const struct noe_problem *problem;
    const struct noe_state *from;
    struct noe_state *to;
    real t, h, t1;    /* start, length, end; a method that adapts its step sets h and t1 */
    real origin;      /* the steps' ends lie at origin + k h */
    long taken;       /* steps a kernel took; t1 is then the end of the last */
    bool is_fixed;    /* the length is given: a method may not adapt it */
    bool force_known; /* the kernel's: scratch holds the force at `from`, same h */
    real *scratch;
    real *velocity;            /* n numbers: a velocity near the end of the interval */
    const real *correction;    /* the last one: the residual was evaluated at u + correction; NULL:
                                  it is below the last bit */
    struct legendre *legendre; /* for velocities from momenta */
    real h_next;               /* what a method that adapts its step proposes next */
    truth is_active;           /* lanes that are running */
    long evaluations, rejected;
};

/* Where a stepper is compiled for one problem, what carries its constants must be inlined. */
#ifdef NOE_SPECIALISED
#define STEP_INLINE static inline __attribute__((always_inline))
#else
#define STEP_INLINE static inline
#endif

/* The problem of an interval. A specialised stepper knows it when it is compiled, so that sizes,
 * coefficients and the model's functions are constants there. */
#ifdef NOE_SPECIALISED
static const struct noe_problem specialised_problem;
static inline const struct noe_problem *interval_problem(const struct noe_interval *interval) {
    (void)interval;
    return &specialised_problem;
}
#else
static inline const struct noe_problem *interval_problem(const struct noe_interval *interval) {
    return interval->problem;
}
#endif

#endif
