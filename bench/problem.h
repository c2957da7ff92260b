/* The problems of the benchmarks: as model text for the library, as accelerations for its peers. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_PROBLEM_H
#define BENCH_PROBLEM_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct problem {
    const char *name;
    const char *model; /* text without start values */
    int n;             /* degrees of freedom */
    const double *q, *v;
    bool is_separable; /* a does not depend on v */
    bool is_chain;     /* only neighbours are coupled */
    void (*acceleration)(int n, const double *q, const double *v, double *a);
    /* a_q, and a_v unless separable, row-major; for a chain row i is a_q at i-1, i, i+1. */
    void (*derivative)(int n, const double *q, const double *v, double *aq, double *av);
};

extern const struct problem problem_oscillator, problem_henon_heiles, problem_planets,
    problem_pendulum, problem_body, problem_free_body, problem_double_well;

/* A chain of n coupled pendulums, all in motion. Free with problem_chain_free. */
struct problem *problem_chain(int n);
void problem_chain_free(struct problem *chain);

#ifdef __cplusplus
}
#endif

#endif
