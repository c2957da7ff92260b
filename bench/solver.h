/* A solver to compare: a loop by hand, the library, a peer. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_SOLVER_H
#define BENCH_SOLVER_H

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One integration from the problem's start at t = 0. */
struct run {
    double step, tolerance; /* step size or tolerance, whichever the solver uses */
    long steps;             /* number of steps of size `step` */
    double until;           /* final time of a run by tolerance */
    double *q, *v;          /* out: final state; n components each */
    long evaluations;       /* out: number of force evaluations */
    double seconds;         /* out: time measured by the solver, or 0 */
    const char *note;       /* out: remark, or NULL */
};

struct solver {
    const char *package, *method;
    bool is_adaptive;     /* uses `tolerance`, not `step` */
    bool is_generic;      /* the library without a specialised stepper */
    bool needs_separable; /* supports only forces that do not depend on velocities */
    /* A loop by hand has this function and none of those below. */
    void (*loop)(const struct problem *, struct run *);
    /* Set-up that is not timed. `run` has the step size or tolerance to come. NULL: not
     * supported. */
    void *(*open)(const struct solver *, const struct problem *, const struct run *run);
    bool (*run)(void *self, struct run *run); /* false if it failed */
    void (*close)(void *self);
    const void *data; /* data of the package */
};

/* The library with a method given as "name key=value ..." and a specialised stepper. */
struct solver solver_library(const char *method);
/* The library with generic steps. */
struct solver solver_generic(const char *method);
/* The library with generic steps for a system of hand-written callbacks in place of the model
 * text. */
struct noe_system;
struct solver solver_callbacks(const char *method, const struct noe_system *system);

/* The peers that this build found; each list ends with a package that is NULL. */
extern const struct solver solver_sundials[], solver_gsl[], solver_odeint[], solver_petsc[],
    solver_scipy[];
/* The peer with this package and method, or NULL if it was not found. */
const struct solver *solver_peer(const char *package, const char *method);
/* The peer with an index 0, 1, ...; NULL after the last. */
const struct solver *solver_at(int index);
/* Names of the packages that were not found, separated by spaces. */
const char *solver_missing(void);

#ifdef __cplusplus
}
#endif

#endif
