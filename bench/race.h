/* Timings of several solvers on one problem with one step size. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_RACE_H
#define BENCH_RACE_H

#include "solver.h"

/* Prints the head of the tables that race_run fills. */
void race_head(void);
/* Prints the peers that are missing. */
void race_foot(void);
/* Medians of a solver: time of a step, and its ratio to the first solver's. */
struct race_result {
    double seconds, ratio;
};

/* Prints a row for each solver; the first is a loop by hand, the second the library. A row has
 * the time per step, its ratio to the first solver's, the time of one force evaluation and its
 * ratio to the library's, and the distance of the result from the first solver's after some
 * steps. NULL entries and solvers that do not support the problem are skipped. `results` gets
 * the medians of each solver, NaN if it did not run; it may be NULL. */
void race_run(const struct problem *problem, double step, int count,
              const struct solver *const *solvers, struct race_result *results);
/* The max difference of two configurations, relative to the max coordinate of the second; NaN if
 * one is NaN. */
double race_difference(int n, const double *q, const double *reference);

#endif
