/* Statistics of one number over members, in memory that does not grow with them. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_ENSEMBLE_STATISTIC_H
#define STUDY_ENSEMBLE_STATISTIC_H

#include "base/real.h"

/* Mean and second moment by Welford's recurrence (1962), joined by the formula of Chan, Golub and
 * LeVeque (1983): the result depends on the order, which is therefore that of the members. */
struct statistic {
    long count;
    real mean, square; /* sum of squared deviations from the mean */
    real min, max;
};

void statistic_clear(struct statistic *statistic);
void statistic_add(struct statistic *statistic, real value);
void statistic_join(struct statistic *statistic, const struct statistic *other);
/* Of the population that the members are a sample of; NaN for fewer than two. */
real statistic_variance(const struct statistic *statistic);

/* Counts of values in bins whose width is a fixed part of the value: 1/64 of a factor of two
 * between 2^-40 and 2^40, either sign; smaller values count as zero, larger ones as the largest. */
enum { STATISTIC_OCTAVES = 80, STATISTIC_PARTS = 64 };
enum { STATISTIC_BINS = 2 * STATISTIC_OCTAVES * STATISTIC_PARTS + 1 };
int statistic_bin(real value);
/* The value that a share of all counts lies below, within the width of a bin. */
real statistic_bin_quantile(const unsigned *bin, real share);
/* The same of `count` values in order, interpolated between neighbours. */
real statistic_quantile(long count, const real *sorted, real share);

/* How many of `count` values in order lie in each of `cells` equal parts of [least, most]. */
void statistic_histogram(long count, const real *sorted, real min, real max, int cells,
                         real *share);
/* The same from counts in bins, each spread evenly over the width of its bin. */
void statistic_bin_histogram(const unsigned *bin, real min, real max, int cells, real *share);

#endif
