/* The shortest decimals, fast where numbers have an ordinary size: exact integer arithmetic in
 * place of printing and reading back. */
/* SPDX-License-Identifier: MIT */
#include "output/decimal.h"

#ifdef NOE_QUAD

int decimal_print(char *text, size_t size, real x) { return real_print_shortest(text, size, x); }

#else

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HIDDEN_BIT ((uint64_t)1 << 52)

typedef unsigned __int128 wide;

enum { DIGITS = 17, EXPONENT_LEAST = -4 };

static const uint64_t power_of_ten[] = {1,
                                        10,
                                        100,
                                        1000,
                                        10000,
                                        100000,
                                        1000000,
                                        10000000,
                                        100000000,
                                        1000000000,
                                        10000000000,
                                        100000000000,
                                        1000000000000,
                                        10000000000000,
                                        100000000000000,
                                        1000000000000000,
                                        10000000000000000,
                                        100000000000000000};

/* x = mantissa / 2^shift, and scaled = mantissa 10^p with p = DIGITS - 1 - exponent, so that
 * scaled / 2^shift has DIGITS digits before the point. Numbers that read back as x lie within
 * 10^p / 2 of `scaled`, in the same units. */
struct parts {
    uint64_t mantissa;
    int shift, exponent;
    wide scaled, step; /* step = 10^p */
};

static void scale(struct parts *parts) {
    const int p = DIGITS - 1 - parts->exponent;
    parts->step =
        p < DIGITS ? power_of_ten[p] : (wide)power_of_ten[DIGITS] * power_of_ten[p - DIGITS];
    parts->scaled = parts->mantissa * parts->step;
}

/* False where the number is too large, too small, or not a number. */
static bool split(struct parts *parts, double x) {
    if (!(x >= 1e-4 && x < 1e14)) return false;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    parts->mantissa = (bits & (HIDDEN_BIT - 1)) | HIDDEN_BIT;
    parts->shift = 1075 - (int)(bits >> 52);
    parts->exponent = EXPONENT_LEAST;
    for (double bound = 1e-3; x >= bound; bound *= 10) parts->exponent++;
    scale(parts);
    while ((parts->scaled >> parts->shift) >= power_of_ten[DIGITS]) {
        parts->exponent++; /* the bound was rounded */
        scale(parts);
    }
    while ((parts->scaled >> parts->shift) < power_of_ten[DIGITS - 1]) {
        parts->exponent--;
        scale(parts);
    }
    return true;
}

/* The number of DIGITS - drop digits nearest to x; *reads_back says whether it identifies x. */
static uint64_t nearest(const struct parts *parts, int drop, bool *reads_back) {
    const uint64_t unit = power_of_ten[drop];
    const wide cell = (wide)unit << parts->shift;
    uint64_t digits = (uint64_t)(parts->scaled >> parts->shift) / unit;
    wide rest = parts->scaled - digits * cell;
    const bool goes_up = rest * 2 > cell || (rest * 2 == cell && digits % 2 == 1);
    if (goes_up) {
        digits++;
        rest = cell - rest;
    }
    const bool is_even = parts->mantissa % 2 == 0; /* a tie reads back as the even neighbour */
    const bool is_power = parts->mantissa == HIDDEN_BIT; /* the gap below is half as wide */
    const wide gap = rest * (is_power && !goes_up ? 4 : 2);
    *reads_back = gap < parts->step || (gap == parts->step && is_even);
    return digits;
}

/* Writes `count` digits with the point after digit number exponent + 1, without closing zeros. */
static int write_fixed(char *text, uint64_t digits, int count, int exponent) {
    char figures[DIGITS + 1];
    for (int i = count; i-- > 0; digits /= 10) figures[i] = (char)('0' + digits % 10);
    while (count > exponent + 1 && count > 1 && figures[count - 1] == '0') count--;
    int length = 0;
    if (exponent < 0) {
        memcpy(text, "0.0000", (size_t)(1 - exponent));
        length = 1 - exponent;
    }
    for (int i = 0; i < count; i++) {
        text[length++] = figures[i];
        if (i == exponent && i + 1 < count) text[length++] = '.';
    }
    text[length] = 0;
    return length;
}

int decimal_print(char *text, size_t size, real x) {
    struct parts parts;
    if (!split(&parts, x < 0 ? -x : x)) return real_print_shortest(text, size, x);
    bool reads_back = false;
    uint64_t digits = 0;
    int drop = 3;
    while (!reads_back && drop-- > 0) digits = nearest(&parts, drop, &reads_back);
    if (digits == power_of_ten[DIGITS - drop]) {
        digits /= 10;
        parts.exponent++;
    }
    if (x < 0) *text = '-';
    return (x < 0) + write_fixed(text + (x < 0), digits, DIGITS - drop, parts.exponent);
}

#endif
