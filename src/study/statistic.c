/* Statistics of one number over members, in memory that does not grow with them. */
/* SPDX-License-Identifier: MIT */
#include "study/statistic.h"

#include <math.h>

void statistic_clear(struct statistic *statistic) {
    *statistic = (struct statistic){.least = (real)INFINITY, .most = (real)-INFINITY};
}

void statistic_add(struct statistic *statistic, real value) {
    const real before = value - statistic->mean;
    statistic->count++;
    statistic->mean += before / (real)statistic->count;
    statistic->square += before * (value - statistic->mean);
    if (value < statistic->least) statistic->least = value;
    if (value > statistic->most) statistic->most = value;
}

void statistic_join(struct statistic *statistic, const struct statistic *other) {
    if (other->count == 0) return;
    const real count = (real)(statistic->count + other->count);
    const real apart = other->mean - statistic->mean, share = (real)other->count / count;
    statistic->square += other->square + apart * apart * (real)statistic->count * share;
    statistic->mean += apart * share;
    statistic->count += other->count;
    if (other->least < statistic->least) statistic->least = other->least;
    if (other->most > statistic->most) statistic->most = other->most;
}

real statistic_variance(const struct statistic *statistic) {
    if (statistic->count < 2) return (real)NAN;
    return statistic->square / (real)(statistic->count - 1);
}

int statistic_bin(real value) {
    const int middle = STATISTIC_BINS / 2;
    int exponent;
    const double mantissa = frexp(fabs((double)value), &exponent); /* in [1/2, 1) */
    const int octave = exponent + STATISTIC_OCTAVES / 2;
    if (mantissa == 0 || octave < 0) return middle;
    int place = octave * STATISTIC_PARTS + (int)((mantissa - 0.5) * 2 * STATISTIC_PARTS);
    if (place >= middle) place = middle - 1;
    return value > 0 ? middle + 1 + place : middle - 1 - place;
}

/* The middle of a bin. */
static real bin_value(int bin) {
    const int middle = STATISTIC_BINS / 2,
              place = bin > middle ? bin - middle - 1 : middle - 1 - bin;
    if (bin == middle) return 0;
    const double mantissa = 0.5 + (place % STATISTIC_PARTS + 0.5) / (2.0 * STATISTIC_PARTS);
    const double size = ldexp(mantissa, place / STATISTIC_PARTS - STATISTIC_OCTAVES / 2);
    return (real)(bin > middle ? size : -size);
}

real statistic_bin_quantile(const unsigned *bin, real share) {
    unsigned long total = 0, below = 0;
    for (int i = 0; i < STATISTIC_BINS; i++) total += bin[i];
    if (total == 0) return (real)NAN;
    for (int i = 0; i < STATISTIC_BINS; i++) {
        below += bin[i];
        if ((real)below >= share * (real)total && bin[i]) return bin_value(i);
    }
    return bin_value(STATISTIC_BINS - 1);
}

real statistic_quantile(long count, const real *sorted, real share) {
    if (count == 0) return (real)NAN;
    const real place = share * (real)(count - 1), floor = noe_floor(place);
    const long at = (long)floor;
    if (at + 1 >= count) return sorted[count - 1];
    return sorted[at] + (place - floor) * (sorted[at + 1] - sorted[at]);
}
