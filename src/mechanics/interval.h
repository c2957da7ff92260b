/* One step of a method: its ends, its time, and the workspace of the method. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_INTERVAL_H
#define MECHANICS_INTERVAL_H

#include "base/lane_status.h"
#include "mechanics/legendre.h"
#include "mechanics/multipliers.h"
#include "mechanics/problem_internals.h"

struct noe_interval {
    const struct noe_problem *problem;
    const struct noe_state *from;
    struct noe_state *to;
    real t, h, t1;   /* start, step size, end; a method with an adaptive step size sets h and t1 */
    real origin;     /* step k ends at origin + k h */
    long taken;      /* number of steps that a kernel took; t1 is then the end of the last one */
    long good_steps; /* if a kernel took none: number of steps before the first failed one, or 0 if
                        it is unknown */
    bool skips_points; /* the caller does not need group elements, so a kernel may skip updating
                          them */
    struct event_scan *scan; /* not NULL: the kernel calls interval_has_event after every step */
    real *event_start;       /* n numbers for interval_keep_event_start */
    bool is_fixed;           /* the step size is given and must not be adapted */
    bool has_previous_step; /* scratch holds results of the previous step, which had the same h: the
                               force of a kernel, the stages of a fixed-point iteration, the history
                               of a multistep method */
    real *scratch;
    real *normal;  /* standard normal numbers of a step, for each lane */
    scalar *drawn; /* standard normal numbers of one lane */
    unsigned long seed[REAL_LANES], member[REAL_LANES]; /* random streams of the lanes */
    real *velocity;         /* n numbers: a velocity near the end of the step; multipliers follow */
    const real *correction; /* the last Newton correction; the residual was evaluated at u +
                               correction; NULL if it is below the last bit */
    struct legendre *legendre;       /* inverse Legendre transform */
    struct step_size_search *length; /* if the step size is an unknown */
    struct multipliers *multipliers; /* multipliers of a state */
    real multiplier_drift; /* drift of the carried multipliers in this step if it was measured, else
                              0 (struct noe_step_stats) */
    mask has_turned; /* with constraints: the step crosses a configuration with a rank-deficient
                        constraint Jacobian */
    real
        noise; /* round-off error of the residual if it differs from that of the momentum, else 0 */
    real
        retraction_load; /* largest increment on a group, relative to the limit of its retraction */
    real h_next;         /* proposal for the next step size */
    mask is_active;      /* active lanes */
    struct noe_interval *beside; /* another interval that the kernel steps at the same time, and the
                                    status of both */
    noe_lane_status outcome;
    long evaluations, rejected;
    /* Statistics of an implicit kernel: Newton iterations, their maximum in a step, factorisations,
     * and the residual and root of the last step. */
    long iterations, iterations_max, factorisations;
    real residual, *root;
};

/* Time of a stage at the fraction c of the step. */
static inline real interval_time(const struct noe_interval *interval, scalar c) {
    return c == 1 ? interval->t1 : interval->t + c * interval->h;
}

/* Number of intervals that a kernel steps at once. Independent sums hide the latency of the
 * additions. */
#ifdef NOE_GROUPS
enum { GROUPS = NOE_GROUPS };
#else
enum { GROUPS = 1 };
#endif

/* Functions that carry constants of the problem must be inlined in a specialised stepper. */
#ifdef NOE_SPECIALISED
#define STEP_FOLDED                                                                                \
    inline __attribute__((always_inline))  /* for functions with external linkage                  \
                                            */
#define STEP_FLAT __attribute__((flatten)) /* inlines every call, at all levels */
#else
#define STEP_FOLDED
#define STEP_FLAT
#endif

/* Unrolls loops over all numbers of a system in steppers for small systems. */
#ifdef NOE_FEW_NUMBERS
#define STEP_SPREAD _Pragma("GCC unroll 128")
#else
#define STEP_SPREAD
#endif

/* The force w at (t, q, v); p is workspace. A specialised stepper names the function of the model
 * so that it is inlined. */
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

/* Momentum p and force w at (t, q, v). */
REAL_INLINE void interval_first(const struct noe_system *system, const struct noe_system *self,
                                real t, const real *q, const real *v, real *p, real *w) {
#ifdef NOE_SPECIALISED
    (void)system;
    model_first(self, t, q, v, p, w);
#else
    system->first(self, t, q, v, p, w);
#endif
}

/* Momentum p, force w and their derivative blocks D at (t, q, v). */
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

/* Events inside the loop of a kernel, in steppers that are compiled for sections of reduced systems
 * only (engine/events.c, engine/lanes/event_log.c). */
#ifdef NOE_KERNEL_EVENTS
/* True if the kernel must stop after step k, which ends with momentum p: in a scalar run because an
 * event may lie in it, in lanes because the log is full. */
REAL_INLINE bool interval_has_event(struct noe_interval *interval, long k, const real *p);
/* Keeps the momentum at the start of the step with the event. */
REAL_INLINE void interval_keep_event_start(struct noe_interval *interval, const real *p);
#else
REAL_INLINE bool interval_has_event(struct noe_interval *interval, long k, const real *p) {
    (void)interval, (void)k, (void)p;
    return false;
}
REAL_INLINE void interval_keep_event_start(struct noe_interval *interval, const real *p) {
    (void)interval, (void)p;
}
#endif
/* Logs the momentum p at the start of step k for a later event search. It is stored immediately to
 * free the register. */
#if defined NOE_KERNEL_EVENTS && defined NOE_LANES
REAL_INLINE void interval_log_momentum(struct noe_interval *interval, long k, const real *p);
#else
REAL_INLINE void interval_log_momentum(struct noe_interval *interval, long k, const real *p) {
    (void)interval, (void)k, (void)p;
}
#endif

/* The problem of an interval. It is a compile-time constant in a specialised stepper, so that
 * sizes, coefficients and the functions of the model are constants there. */
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
