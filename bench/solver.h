/* What is compared: a loop by hand, the library, a peer. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_SOLVER_H
#define BENCH_SOLVER_H

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One integration from the problem's start at t = 0. */
struct run {
    double step, tolerance; /* the one that the solver goes by */
    long steps;             /* of length `step` */
    double until;           /* end of a run by tolerance */
    double *q, *v;          /* out: the end; n numbers each */
    long evaluations;       /* out: of the forces */
    double seconds;         /* out: of a solver that measures itself, or 0 */
    const char *note;       /* out: what else there is to say, or NULL */
};

struct solver {
    const char *package, *method;
    bool is_adaptive;     /* goes by `tolerance`, not by `step` */
    bool is_generic;      /* of the library: no stepper compiled for the problem */
    bool needs_separable; /* serves only forces without velocities */
    /* A loop by hand has no more than this. */
    void (*loop)(const struct problem *, struct run *);
    /* Everything that is made once. `run` says the step or tolerance to come. NULL: not served. */
    void *(*open)(const struct solver *, const struct problem *, const struct run *run);
    bool (*run)(void *self, struct run *run); /* false: it failed */
    void (*close)(void *self);
    const void *data; /* the package's own */
};

/* The library with a method given as "name key=value ..." and a stepper compiled for it. */
struct solver solver_library(const char *method);
/* The same with the library's own steppers. */
struct solver solver_generic(const char *method);
/* The same for a system of hand-written callbacks in place of the model text. */
struct noe_system;
struct solver solver_callbacks(const char *method, const struct noe_system *system);

/* The peers that this build found; the lists end with a package that is NULL. */
extern const struct solver solver_sundials[], solver_gsl[], solver_odeint[], solver_petsc[],
    solver_scipy[];
/* The peer called package and method, or NULL where it is not there. */
const struct solver *solver_peer(const char *package, const char *method);
/* Every peer, one after the other: index 0, 1, ...; NULL at the end. */
const struct solver *solver_at(int index);
/* Names of the packages that were not found, separated by spaces. */
const char *solver_missing(void);

#ifdef __cplusplus
}
#endif

#endif
