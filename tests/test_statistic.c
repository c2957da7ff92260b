/* Statistics over members: a histogram agrees with exact values to within the width of a bin. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "study/ensemble/statistic.h"

enum { COUNT = 20000, CELLS = 16 };

static real value[COUNT];
static unsigned bin[STATISTIC_BINS];

/* A smooth distribution on both sides of zero. */
static void make_values(void) {
    for (int i = 0; i < STATISTIC_BINS; i++) bin[i] = 0;
    for (int i = 0; i < COUNT; i++) {
        const real x = (real)i / COUNT;
        value[i] = 5 * x * x * x - 1; /* sorted */
        bin[statistic_bin(value[i])]++;
    }
}

static void counts_in_bins_give_the_histogram(void **state) {
    (void)state;
    real exact[CELLS], binned[CELLS], all = 0;
    make_values();
    statistic_histogram(COUNT, value, value[0], value[COUNT - 1], CELLS, exact);
    statistic_bin_histogram(bin, value[0], value[COUNT - 1], CELLS, binned);
    for (int i = 0; i < CELLS; i++) {
        all += binned[i];
        /* measured: 5e-5 of all */
        if (noe_abs(binned[i] - exact[i]) > (real)1e-4 * COUNT)
            fail_msg("cell %d has %g, exactly %g", i, (double)binned[i], (double)exact[i]);
    }
    assert_true(noe_abs(all - COUNT) < (real)1e-6);
}

static void equal_values_fill_one_bin(void **state) {
    (void)state;
    const real same[3] = {2, 2, 2};
    real share[CELLS];
    statistic_histogram(3, same, 2, 2, CELLS, share);
    assert_true(share[0] == 3);
    for (int i = 0; i < STATISTIC_BINS; i++) bin[i] = 0;
    bin[statistic_bin(2)] = 3;
    statistic_bin_histogram(bin, 2, 2, CELLS, share);
    assert_true(share[0] == 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_in_bins_give_the_histogram),
        cmocka_unit_test(equal_values_fill_one_bin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
