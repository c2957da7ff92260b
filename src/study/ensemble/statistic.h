/* Streaming statistics of one quantity over members, in constant memory. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_ENSEMBLE_STATISTIC_H
#define STUDY_ENSEMBLE_STATISTIC_H

#include "base/real.h"

/* Mean and second moment by Welford's recurrence (1962), combined by the formula of Chan, Golub and
 * LeVeque (1983). The round-off depends on the order, so members are always added in their own
 * order. */
struct statistic {
    long count;
    real mean, square; /* sum of squared deviations from the mean */
    real min, max;
};

void statistic_clear(struct statistic *statistic);
void statistic_add(struct statistic *statistic, real value);
void statistic_join(struct statistic *statistic, const struct statistic *other);
/* Unbiased estimate of the variance; NaN for fewer than two members. */
real statistic_variance(const struct statistic *statistic);

/* Histogram with logarithmic bins, 64 per factor of two between 2^-40 and 2^40, for either sign.
 * Smaller values count as zero, larger ones as the largest. */
enum { STATISTIC_OCTAVES = 80, STATISTIC_PARTS = 64 };
enum { STATISTIC_BINS = 2 * STATISTIC_OCTAVES * STATISTIC_PARTS + 1 };
int statistic_bin(real value);
/* Quantile from the histogram, accurate to the width of a bin. */
real statistic_bin_quantile(const unsigned *bin, real share);
/* Quantile of `count` sorted values, interpolated linearly. */
real statistic_quantile(long count, const real *sorted, real share);

/* Counts of `count` sorted values in `cells` equal bins of [min, max]. */
void statistic_histogram(long count, const real *sorted, real min, real max, int cells,
                         real *share);
/* Counts from the logarithmic histogram, each spread evenly over the width of its bin. */
void statistic_bin_histogram(const unsigned *bin, real min, real max, int cells, real *share);

#endif
