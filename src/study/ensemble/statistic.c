/* Streaming statistics of one quantity over members, in constant memory. */
/* SPDX-License-Identifier: MIT */
#include "study/ensemble/statistic.h"

#include <math.h>

void statistic_clear(struct statistic *statistic) {
    *statistic = (struct statistic){.min = (real)INFINITY, .max = (real)-INFINITY};
}

void statistic_add(struct statistic *statistic, real value) {
    const real before = value - statistic->mean;
    statistic->count++;
    statistic->mean += before / (real)statistic->count;
    statistic->square += before * (value - statistic->mean);
    if (value < statistic->min) statistic->min = value;
    if (value > statistic->max) statistic->max = value;
}

void statistic_join(struct statistic *statistic, const struct statistic *other) {
    if (other->count == 0) return;
    const real count = (real)(statistic->count + other->count);
    const real apart = other->mean - statistic->mean, share = (real)other->count / count;
    statistic->square += other->square + apart * apart * (real)statistic->count * share;
    statistic->mean += apart * share;
    statistic->count += other->count;
    if (other->min < statistic->min) statistic->min = other->min;
    if (other->max > statistic->max) statistic->max = other->max;
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

/* The centre of a bin. */
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

static int cell_of(real value, real min, real max, int cells) {
    const real place = max > min ? (value - min) / (max - min) * (real)cells : 0;
    return place >= (real)cells ? cells - 1 : place > 0 ? (int)place : 0;
}

void statistic_histogram(long count, const real *sorted, real min, real max, int cells,
                         real *share) {
    for (int i = 0; i < cells; i++) share[i] = 0;
    for (long i = 0; i < count; i++) share[cell_of(sorted[i], min, max, cells)] += 1;
}

/* Lower and upper limit of a bin, clipped to [min, max]. */
static void bin_range(int bin, real min, real max, real *from, real *to) {
    const int middle = STATISTIC_BINS / 2,
              place = bin > middle ? bin - middle - 1 : middle - 1 - bin;
    const real size = noe_abs(bin_value(bin));
    const real half =
        bin == middle
            ? 0
            : (real)ldexp(1, place / STATISTIC_PARTS - STATISTIC_OCTAVES / 2 - 2) / STATISTIC_PARTS;
    const real value = bin > middle ? size : -size;
    *from = noe_min(noe_max(value - half, min), max);
    *to = noe_max(noe_min(value + half, max), min);
}

void statistic_bin_histogram(const unsigned *bin, real min, real max, int cells, real *share) {
    const real width = (max - min) / (real)cells;
    for (int i = 0; i < cells; i++) share[i] = 0;
    for (int i = 0; i < STATISTIC_BINS; i++) {
        real from, to;
        if (!bin[i]) continue;
        bin_range(i, min, max, &from, &to);
        const int first = cell_of(from, min, max, cells), last = cell_of(to, min, max, cells);
        for (int c = first; c <= last; c++) {
            const real low = noe_max(from, min + (real)c * width);
            const real high = noe_min(to, min + (real)(c + 1) * width);
            const real part = first == last ? 1 : noe_max((high - low) / (to - from), 0);
            share[c] += (real)bin[i] * part;
        }
    }
}
