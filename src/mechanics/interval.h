/* What a method sees of one step. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_INTERVAL_H
#define MECHANICS_INTERVAL_H

#include "mechanics/legendre.h"
#include "mechanics/multipliers.h"
#include "noether.h"

struct noe_interval {
    const struct noe_problem *problem;
    const struct noe_state *from;
    struct noe_state *to;
    real t, h, t1;     /* start, length, end; a method that adapts its step sets h and t1 */
    real origin;       /* the steps' ends lie at origin + k h */
    long taken;        /* steps a kernel took; t1 is then the end of the last */
    bool skips_points; /* nobody asks for the points of groups: a kernel may leave them as they are
                        */
    struct noe_event_scan *scan; /* not NULL: the kernel asks interval_has_event after every step */
    bool is_fixed;               /* the length is given: a method may not adapt it */
    bool has_previous_step; /* scratch holds what the step to `from` left, same h: a kernel's force,
                         a contraction's stages, what a method of several steps remembers */
    real *scratch;
    real *normal;  /* random numbers of a step, of each lane its own; */
    scalar *drawn; /* and those of one lane */
    unsigned long seed[REAL_LANES], member[REAL_LANES]; /* the streams they come from */
    real *velocity; /* n numbers: a velocity near the end of the interval; multipliers follow */
    const real *correction;    /* the last one: the residual was evaluated at u + correction; NULL:
                                  it is below the last bit */
    struct legendre *legendre; /* for velocities from momenta */
    struct step_size_search *length; /* where the length is an unknown */
    struct multipliers *multipliers; /* for those that a state demands */
    real multiplier_drift; /* of this step, where it was looked at, else 0: struct noe_step_stats */
    mask has_turned; /* with constraints: the root lies across a configuration where they depend on
                         one another */
    real noise;      /* round-off of the residual, where it is not that of the momentum; else 0 */
    real retraction_load; /* the largest increment on a group over its retraction's limit */
    real h_next;          /* what a method that adapts its step proposes next */
    mask is_active;       /* lanes that are running */
    struct noe_interval
        *beside; /* whose steps a kernel takes with these, and the outcome of both */
    noe_lane_status outcome;
    long evaluations, rejected;
    /* Of a kernel that solves the residual: corrections, the most in a step, matrices, what the
     * last step leaves of the residual, and its root. */
    long iterations, iterations_max, factorisations;
    real residual, *root;
};

/* The time at which a stage lies, a part c of the step after its start. */
static inline real interval_time(const struct noe_interval *interval, scalar c) {
    return c == 1 ? interval->t1 : interval->t + c * interval->h;
}

/* How many intervals a kernel steps at once, to keep the processor busy while sums wait for each
 * other. */
#ifdef NOE_GROUPS
enum { GROUPS = NOE_GROUPS };
#else
enum { GROUPS = 1 };
#endif

/* Where a stepper is compiled for one problem, what carries its constants must be inlined. */
#ifdef NOE_SPECIALISED
#define STEP_FOLDED inline __attribute__((always_inline)) /* of functions that others call, too */
#define STEP_FLAT   __attribute__((flatten)) /* all that it calls: in many levels, the sooner */
#else
#define STEP_FOLDED
#define STEP_FLAT
#endif

/* Loops over all numbers of a system, in steppers for those that have few. */
#ifdef NOE_FEW_NUMBERS
#define STEP_SPREAD _Pragma("GCC unroll 128")
#else
#define STEP_SPREAD
#endif

/* w at (t, q, v), where p may be lost. A specialised stepper names the model's function, so that it
 * is inlined. */
REAL_INLINE void interval_force(const struct noe_system *system, const struct noe_system *self,
                                real t, const real *q, const real *v, real *p, real *w) {
#ifdef NOE_SPECIALISED
    (void)system, (void)p;
    model_force(self, t, q, v, w);
#else
    if (system->force)
        system->force(self, t, q, v, w);
    else
        system->first(self, t, q, v, p, w);
#endif
}

/* The same of p and w. */
REAL_INLINE void interval_first(const struct noe_system *system, const struct noe_system *self,
                                real t, const real *q, const real *v, real *p, real *w) {
#ifdef NOE_SPECIALISED
    (void)system;
    model_first(self, t, q, v, p, w);
#else
    system->first(self, t, q, v, p, w);
#endif
}

/* The same of p, w and their blocks. */
REAL_INLINE void interval_second(const struct noe_system *system, const struct noe_system *self,
                                 real t, const real *q, const real *v, real *p, real *w, real *D) {
#ifdef NOE_SPECIALISED
    (void)system;
    model_second(self, t, q, v, p, w, D);
#else
    system->second(self, t, q, v, p, w, D);
#endif
}

/* L at (t, q, v). */
REAL_INLINE real interval_lagrangian(const struct noe_system *system, const struct noe_system *self,
                                     real t, const real *q, const real *v) {
#ifdef NOE_SPECIALISED
    (void)system;
    return model_lagrangian(self, t, q, v);
#else
    return system->lagrangian(self, t, q, v);
#endif
}

/* Is the k-th step, with momentum p at its end, the last that a kernel takes? In a run of its own
 * it is to be looked into: then the interval begins where it began. In lanes it has been noted
 * where functions have changed, and the interval stays as it is. Only steppers for sections of
 * reduced systems see. */
#ifdef NOE_KERNEL_EVENTS
REAL_INLINE bool interval_has_event(struct noe_interval *interval, long k, const real *p);
#else
REAL_INLINE bool interval_has_event(struct noe_interval *interval, long k, const real *p) {
    (void)interval, (void)k, (void)p;
    return false;
}
#endif
/* The k-th step begins with momentum p, which is kept for notes: at once, so that it does not have
 * to live on. */
#if defined NOE_KERNEL_EVENTS && defined NOE_LANES
REAL_INLINE void interval_log_momentum(struct noe_interval *interval, long k, const real *p);
#else
REAL_INLINE void interval_log_momentum(struct noe_interval *interval, long k, const real *p) {
    (void)interval, (void)k, (void)p;
}
#endif
#ifdef NOE_LANES
enum { INTERVAL_MOVES = false };
#else
enum { INTERVAL_MOVES = true };
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
