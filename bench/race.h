/* Solvers side by side on one problem with one step. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_RACE_H
#define BENCH_RACE_H

#include "solver.h"

/* Prints the head of the tables that race_run fills. */
void race_head(void);
/* Says which peers are not there. */
void race_foot(void);
/* Medians of a solver: time of a step, and its ratio to the first solver's. */
struct race_result {
    double seconds, ratio;
};

/* A row for each of the solvers, the first by hand, the second the library: time per step, its
 * ratio to the first solver's, the time of one force evaluation and its ratio to the library's, and
 * how far the result is from the first solver's after some steps. NULL entries and solvers that do
 * not serve the problem are passed over. `results` gets what each solver showed, NaN where it did
 * not run; it may be NULL. */
void race_run(const struct problem *problem, double step, int count,
              const struct solver *const *solvers, struct race_result *results);
/* The largest difference of two configurations, relative to the largest coordinate of the second;
 * NaN where there is a NaN. */
double race_difference(int n, const double *q, const double *reference);

#endif
