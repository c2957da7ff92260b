/* Shortest decimals: they read back exactly, none is shorter, and among the shortest they are
 * nearest. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "output/decimal.h"

/* number 10^exponent, `count` digits without trailing zeros */
struct parsed {
    uint64_t number;
    int count, exponent;
};

static struct parsed parse(const char *text) {
    struct parsed parsed = {0};
    bool is_fraction = false;
    for (; *text && *text != 'e'; text++) {
        if (*text == '.') is_fraction = true;
        if (!isdigit((unsigned char)*text)) continue;
        parsed.number = 10 * parsed.number + (uint64_t)(*text - '0');
        parsed.exponent -= is_fraction;
    }
    if (*text == 'e') parsed.exponent += atoi(text + 1);
    for (; parsed.number && parsed.number % 10 == 0; parsed.exponent++) parsed.number /= 10;
    for (uint64_t rest = parsed.number; rest; rest /= 10) parsed.count++;
    return parsed;
}

static bool reads_back(uint64_t number, int exponent, double x) {
    char text[64];
    snprintf(text, sizeof text, "%llue%d", (unsigned long long)number, exponent);
    return strtod(text, NULL) == fabs(x);
}

/* A decimal that reads back as x is next to x among those with as many digits, because all
 * decimals in between read back too. So two candidates with fewer digits are tried. The C
 * library gives the nearest one with the same number of digits. */
static void assert_shortest(double x, const char *text) {
    const struct parsed parsed = parse(text);
    assert_in_range(parsed.count, 1, 17);
    if (parsed.count > 1) {
        assert_false(reads_back(parsed.number / 10, parsed.exponent + 1, x));
        assert_false(reads_back(parsed.number / 10 + 1, parsed.exponent + 1, x));
    }
    char nearest[64];
    snprintf(nearest, sizeof nearest, "%.*e", parsed.count - 1, x);
    const struct parsed other = parse(nearest);
    if (other.number != parsed.number || other.exponent != parsed.exponent)
        assert_false(strtod(nearest, NULL) == x);
}

static void assert_printed(double x) {
    char text[DECIMAL_BYTES], slow[64];
    const int length = decimal_print(text, x);
    assert_int_equal(length, strlen(text));
    const double found = strtod(text, NULL);
    assert_memory_equal(&found, &x, sizeof x);
    if (x == 0) return;
    assert_shortest(x, text);
    real_print_shortest(slow, sizeof slow, x); /* never has fewer than 15 digits */
    if (parse(slow).count == parse(text).count) assert_string_equal(text, slow);
}

static void assert_printed_around(double x) {
    assert_printed(x);
    assert_printed(nextafter(x, 0));
    if (x < DBL_MAX) assert_printed(-nextafter(x, INFINITY));
}

static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void random_numbers_are_shortest(void **state) {
    (void)state;
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < 40000; i++) {
        const uint64_t bits = next_random(&seed);
        const double any = from_bits(bits);
        if (isfinite(any)) assert_printed(any);
        assert_printed(ldexp((double)(bits >> 11), -(int)(bits % 75)));
        assert_printed(-(double)(bits % 1000000) / 1000);
        assert_printed((double)(bits >> bits % 64) / 2);
        assert_printed(from_bits(bits >> 12 >> bits % 52)); /* subnormal */
    }
}

static void borders_are_shortest(void **state) {
    (void)state;
    for (int exponent = -323; exponent <= 307; exponent++) {
        for (int digit = 1; digit <= 9; digit++) {
            char text[16];
            snprintf(text, sizeof text, "%de%d", digit, exponent);
            assert_printed_around(strtod(text, NULL));
        }
    }
    for (int exponent = -1074; exponent <= 1023; exponent++) /* the gap below is half as wide */
        assert_printed_around(ldexp(1, exponent));
    for (int i = 0; i <= 1000; i++) assert_printed((double)i / 8);
    assert_printed(DBL_MAX);
    assert_printed(-0.0);
}

/* Numbers whose product is closest to an integer, found by continued fractions, and halfway
 * cases. */
static void hard_numbers_are_shortest(void **state) {
    (void)state;
    static const struct {
        double c;
        int q;
    } hard[] = {{8887055249355788, 664}, {5592117679628511, 163},  {6685530990800801, -867},
                {8661224184674796, 97},  {6741767181485242, -725}, {5141745997613069, 89}};
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++)
        assert_printed_around(ldexp(hard[i].c, hard[i].q));
    for (int i = 1; i < 100; i++) {
        assert_printed_around(ldexp(2 * i + 1, -1074));
        assert_printed_around(9007199254740992.0 * i + 2);
        assert_printed_around(5e15 + i / 2.0);
    }
}

static void known_texts(void **state) {
    (void)state;
    static const struct {
        double x;
        const char *text;
    } known[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {-2.5, "-2.5"},
                 {0.5, "0.5"},
                 {100, "100"},
                 {12345678, "12345678"},
                 {123456789, "123456789"},
                 {123456789.5, "123456789.5"},
                 {1e14, "100000000000000"},
                 {1e15, "1e+15"},
                 {1234567890123456, "1234567890123456"},
                 {12345678901234560, "1.234567890123456e+16"},
                 {12345678901234568, "12345678901234568"},
                 {123456789012345680, "1.2345678901234568e+17"},
                 {0.75, "0.75"},
                 {0.0078125, "0.0078125"},
                 {0.0001, "0.0001"},
                 {0.00001, "1e-05"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {12345678.5, "12345678.5"},
                 {0x1p-44, "5.684341886080802e-14"}, /* ...801 is nearer but reads otherwise */
                 {1e23, "1e+23"},
                 {5e-324, "5e-324"},
                 {DBL_MIN, "2.2250738585072014e-308"},
                 {-DBL_MAX, "-1.7976931348623157e+308"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, "nan"},
                 {-NAN, "nan"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[DECIMAL_BYTES];
        assert_int_equal(decimal_print(text, known[i].x), strlen(known[i].text));
        assert_string_equal(text, known[i].text);
    }
}

static void *print_powers(void *wrong) {
    for (int exponent = -323; exponent <= 307; exponent++) {
        if (exponent >= -4 && exponent < 15) continue;
        char text[DECIMAL_BYTES], expected[16];
        snprintf(expected, sizeof expected, "3e%s%02d", exponent < 0 ? "-" : "+", abs(exponent));
        decimal_print(text, strtod(expected, NULL));
        *(int *)wrong += strcmp(text, expected) != 0;
    }
    return NULL;
}

/* This test runs first, because the first calls fill a shared table. */
static void threads_may_fill_the_table_together(void **state) {
    (void)state;
    enum { THREADS = 8 };
    pthread_t thread[THREADS];
    int wrong[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, print_powers, &wrong[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(wrong[i], 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_may_fill_the_table_together),
        cmocka_unit_test(known_texts),
        cmocka_unit_test(random_numbers_are_shortest),
        cmocka_unit_test(borders_are_shortest),
        cmocka_unit_test(hard_numbers_are_shortest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
