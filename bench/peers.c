/* The list of peers, of which this build contains those found. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "solver.h"

/* A package that was not found has no list. */
static const struct {
    const char *package;
    const struct solver *solvers;
} packages[] = {
#ifdef BENCH_SUNDIALS
    {"sundials", solver_sundials},
#else
    {"sundials", NULL},
#endif
#ifdef BENCH_GSL
    {"gsl", solver_gsl},
#else
    {"gsl", NULL},
#endif
#ifdef BENCH_ODEINT
    {"odeint", solver_odeint},
#else
    {"odeint", NULL},
#endif
#ifdef BENCH_PETSC
    {"petsc", solver_petsc},
#else
    {"petsc", NULL},
#endif
#ifdef BENCH_SCIPY
    {"scipy", solver_scipy},
#else
    {"scipy", NULL},
#endif
};
enum { PACKAGES = sizeof packages / sizeof *packages };

const struct solver *solver_at(int index) {
    for (int i = 0; i < PACKAGES; i++)
        for (const struct solver *at = packages[i].solvers; at && at->package; at++)
            if (index-- == 0) return at;
    return NULL;
}

const struct solver *solver_peer(const char *package, const char *method) {
    for (int i = 0; solver_at(i); i++) {
        const struct solver *at = solver_at(i);
        if (strcmp(at->package, package) == 0 && strcmp(at->method, method) == 0) return at;
    }
    return NULL;
}

const char *solver_missing(void) {
    static char text[80];
    text[0] = '\0';
    for (int i = 0; i < PACKAGES; i++) {
        if (packages[i].solvers) continue;
        strcat(text, *text ? " " : "");
        strcat(text, packages[i].package);
    }
    return text;
}
