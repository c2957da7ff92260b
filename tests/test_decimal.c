/* Shortest decimals: the fast path writes the same text as printing and reading back. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/real.h"
#include "output/decimal.h"

static void assert_printed(real x) {
    char fast[64], slow[64];
    const int length = decimal_print(fast, sizeof fast, x);
    real_print_shortest(slow, sizeof slow, x);
    assert_string_equal(fast, slow);
    assert_int_equal(length, strlen(fast));
}

static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void random_numbers_agree(void **state) {
    (void)state;
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < 50000; i++) {
        const uint64_t bits = next_random(&seed);
        const double whole = (double)(bits >> 11);
        assert_printed(ldexp(whole, -(int)(bits % 75)));
        assert_printed(-(double)(bits % 1000000) / 1000);
        double any;
        memcpy(&any, &bits, sizeof any);
        if (isfinite(any)) assert_printed(any);
    }
}

static void borders_agree(void **state) {
    (void)state;
    for (int exponent = -330; exponent <= 308; exponent++) {
        const double power = pow(10, exponent);
        assert_printed(power);
        assert_printed(nextafter(power, 0));
        assert_printed(-nextafter(power, INFINITY));
    }
    for (int exponent = -60; exponent <= 60;
         exponent++) { /* the gap below a power of two is less */
        const double power = ldexp(1, exponent);
        assert_printed(power);
        assert_printed(nextafter(power, 0));
        assert_printed(nextafter(power, INFINITY));
    }
    for (int i = 0; i <= 1000; i++) assert_printed((real)i / 8);
    assert_printed((real)-0.0);
}

static void known_texts(void **state) {
    (void)state;
    static const struct {
        double x;
        const char *text;
    } known[] = {{0, "0"},
                 {1, "1"},
                 {-2.5, "-2.5"},
                 {0.5, "0.5"},
                 {100, "100"},
                 {1e15, "1e+15"},
                 {0.75, "0.75"},
                 {0.0078125, "0.0078125"},
                 {12345678.5, "12345678.5"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[64];
        decimal_print(text, sizeof text, known[i].x);
        assert_string_equal(text, known[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers_agree),
        cmocka_unit_test(borders_agree),
        cmocka_unit_test(known_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
