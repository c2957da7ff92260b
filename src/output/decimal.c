/* Shortest decimal representation of doubles, by one multiplication with a tabulated power of
 * ten. */
/* SPDX-License-Identifier: MIT */
#include "output/decimal.h"

#ifdef NOE_QUAD

#include <string.h>

int decimal_print(char *text, real x) {
    if (x == x) return real_print_shortest(text, DECIMAL_BYTES, x);
    strcpy(text, "nan");
    return 3;
}

#else

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The method is that of R. Giulietti, "The Schubfach way to render doubles" (2020). Let
 * x = c 2^q. The decimals that read back as x fill an interval around it that is 2^q wide (3/4 of
 * that at a power of two, below which doubles are denser), with its ends if c is even. Let 10^k be
 * the largest power of ten that is not wider. Then the interval holds at least one multiple of
 * 10^k and at most one of 10^(k+1). If it holds one of 10^(k+1), this is the shortest decimal,
 * for every shorter one would be another such multiple. If not, the multiples of 10^k in it all
 * have the same number of digits, and the one nearest to x is wanted; it is one of the two
 * that enclose x.
 *
 * So four times the interval's ends and x itself, in units of 10^k, must be compared with even
 * integers. That is decided by the integer part of n 2^q 10^-k, n < 2^55, and by whether there
 * is a fraction: see `scaled`. */

typedef unsigned __int128 wide;

#define HIDDEN_BIT ((uint64_t)1 << 52)
#define TEN_TO_8   100000000u
#define TEN_TO_16  ((uint64_t)TEN_TO_8 * TEN_TO_8)

enum { POWER_LEAST = -292, POWER_MOST = 324, EXPONENT_LEAST = -1074 };

/* floor(10^e 2^s) + 1, with s such that it has 128 bits. */
static wide power_of_ten[POWER_MOST - POWER_LEAST + 1];

enum { LIMBS = 26 }; /* 5^324 has 753 bits; 2^831 / 5^292 has 154 */

/* The leading 128 bits of a number stored in 32-bit limbs, the lowest first. */
static wide leading_bits(const uint32_t *limb) {
    int top = LIMBS - 1;
    while (limb[top] == 0) top--;
    wide bits = 0;
    for (int i = top; i > top - 4; i--) bits = bits << 32 | (i >= 0 ? limb[i] : 0);
    const int missing = __builtin_clz(limb[top]);
    if (missing == 0) return bits;
    return bits << missing | (top >= 4 ? limb[top - 4] >> (32 - missing) : 0);
}

/* 5^e and 10^e have the same leading bits. For negative e, repeated division of 2^831 by 5 rounds
 * down each time, and so the result is 2^831 / 5^-e rounded down. */
static void fill_powers(void) {
    uint32_t up[LIMBS] = {1}, down[LIMBS] = {0};
    down[LIMBS - 1] = (uint32_t)1 << 31;
    for (int e = 0; e <= POWER_MOST; e++) {
        power_of_ten[e - POWER_LEAST] = leading_bits(up) + 1;
        uint64_t carry = 0;
        for (int i = 0; i < LIMBS; i++, carry >>= 32) {
            carry += (uint64_t)up[i] * 5;
            up[i] = (uint32_t)carry;
        }
    }
    for (int e = -1; e >= POWER_LEAST; e--) {
        uint64_t rest = 0;
        for (int i = LIMBS; i-- > 0; rest %= 5) {
            rest = rest << 32 | down[i];
            down[i] = (uint32_t)(rest / 5);
        }
        power_of_ten[e - POWER_LEAST] = leading_bits(down) + 1;
    }
}

/* n 2^q 10^-k = m 10^-k 2^s / 2^128, rounded to odd: the integer part, made odd if a fraction
 * remains. Then comparisons with even integers come out as for the exact number. `power` is above
 * 10^-k 2^s by at most 1, so the product by at most m < 2^59 in units of 2^-128. Over all q
 * and n the fraction is 0 or between 2^-65.45 and 1 - 2^-63.45, as the convergents of 2^q 10^-k
 * tell: hence the error reaches no integer, and a fraction of less than 2^-68 is none. */
static inline uint64_t scaled(wide power, uint64_t m) {
    const wide low = (wide)(uint64_t)power * m, high = (power >> 64) * m + (low >> 64);
    const uint64_t fraction = (uint64_t)high | (uint64_t)low >> 60;
    return (uint64_t)(high >> 64) | (fraction != 0);
}

/* number 10^exponent */
struct decimal {
    uint64_t number;
    int exponent;
};

/* The shortest decimal of x = c 2^q, possibly with trailing zeros. The rounded-down logarithms of
 * 2^q, 3/4 2^q and 10^-k are exact for all q of the format. */
static inline struct decimal shortest(uint64_t c, int q) {
    const bool is_power = c == HIDDEN_BIT && q > EXPONENT_LEAST, is_open = c % 2 == 1;
    const int k = (q * 1262611 - (is_power ? 524031 : 0)) >> 22;
    const int shift = q + (-k * 1741647 >> 19) + 1;
    const wide power = power_of_ten[-k - POWER_LEAST];
    const uint64_t low = scaled(power, (4 * c - (is_power ? 1 : 2)) << shift) + is_open;
    const uint64_t high = scaled(power, (4 * c + 2) << shift) - is_open;
    const uint64_t middle = scaled(power, 4 * c << shift);

    const uint64_t fine = middle / 4, coarse = fine / 10;
    const bool has_coarse = low <= 40 * coarse, has_next_coarse = 40 * coarse + 40 <= high;
    if (has_coarse || has_next_coarse) return (struct decimal){10 * (coarse + has_next_coarse), k};

    /* Take the upper neighbour if it is nearer, or if the lower one does not read back as x. In the
     * latter case the upper one does, because the interval extends at least as far up as down. A
     * tie goes to the even one. */
    const bool has_fine = low <= 4 * fine, is_upper_nearer = middle + fine % 2 > 4 * fine + 2;
    return (struct decimal){fine + (is_upper_nearer || !has_fine), k};
}

/* The digits of a number below 10^8, one per byte, the first in the lowest byte. Halves, quarters
 * and single digits are split off in parallel. */
static inline uint64_t eight_digits(uint32_t number) {
    const uint64_t fours = number / 10000 | (uint64_t)(number % 10000) << 32;
    const uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007f0000007f;
    const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    const uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000f;
    return tens | (twos - 10 * tens) << 8;
}

static inline void write_eight(char *text, uint64_t digits) {
    digits |= 0x3030303030303030;
    for (int i = 0; i < 8; i++) text[i] = (char)(digits >> 8 * i);
}

/* 17 digits as 1 + 8 + 8; `count` is their number without trailing zeros. */
struct figures {
    uint64_t first, upper, lower;
    int count;
};

static inline struct figures spread(uint64_t number) {
    const uint32_t front = (uint32_t)(number / TEN_TO_8);
    struct figures figures = {.first = front / TEN_TO_8,
                              .upper = eight_digits(front % TEN_TO_8),
                              .lower = eight_digits((uint32_t)(number % TEN_TO_8))};
    if (figures.lower)
        figures.count = 17 - __builtin_clzll(figures.lower) / 8;
    else
        figures.count = figures.upper ? 9 - __builtin_clzll(figures.upper) / 8 : 1;
    return figures;
}

/* 0.000123 or 1.23: the point follows digit number exponent + 1. Writes more bytes than it counts
 * to avoid branches. */
static inline int write_short(char *text, const struct figures *figures, int exponent) {
    const int zeros = exponent < 0 ? -exponent : 0, whole = exponent < 0 ? 0 : exponent;
    const int has_inner_point = exponent >= 0;
    char *start = text + zeros + !has_inner_point;
    write_eight(text, 0);
    start[0] = (char)('0' + figures->first);
    write_eight(start + 1, figures->upper);
    text[whole + 1] = '.';
    write_eight(start + 1 + whole + has_inner_point, figures->upper >> 8 * whole);
    write_eight(start + 9 + has_inner_point, figures->lower);
    const int total = zeros + figures->count;
    return total > whole + 1 ? total + 1 : whole + 1;
}

/* 1234567890.5 */
static int write_long(char *text, const struct figures *figures, int exponent) {
    text[0] = (char)('0' + figures->first);
    write_eight(text + 1, figures->upper);
    write_eight(text + 9, figures->lower);
    if (figures->count <= exponent + 1) return exponent + 1;
    text[exponent + 1] = '.';
    write_eight(text + exponent + 2, figures->lower >> 8 * (exponent - 8));
    return figures->count + 1;
}

/* 1e-05, 1.23e+100 */
static int write_scientific(char *text, const struct figures *figures, int exponent) {
    text[0] = (char)('0' + figures->first);
    text[1] = '.';
    write_eight(text + 2, figures->upper);
    write_eight(text + 10, figures->lower);
    int length = figures->count > 1 ? figures->count + 1 : 1;
    const int size = exponent < 0 ? -exponent : exponent;
    text[length++] = 'e';
    text[length++] = exponent < 0 ? '-' : '+';
    if (size >= 100) text[length++] = (char)('0' + size / 100);
    text[length++] = (char)('0' + size / 10 % 10);
    text[length++] = (char)('0' + size % 10);
    return length;
}

/* The notation is that of %g with 15 digits, or with more if there are more. */
static inline int write_decimal(char *text, struct decimal decimal) {
    while (decimal.number < TEN_TO_16) {
        decimal.number *= 10;
        decimal.exponent--;
    }
    const struct figures figures = spread(decimal.number);
    const int exponent = decimal.exponent + 16, precision = figures.count > 15 ? figures.count : 15;
    if (exponent >= -4 && exponent < 8) return write_short(text, &figures, exponent);
    if (exponent >= 8 && exponent < precision) return write_long(text, &figures, exponent);
    return write_scientific(text, &figures, exponent);
}

int decimal_print(char *text, real x) {
    static pthread_once_t is_filled = PTHREAD_ONCE_INIT;
    pthread_once(&is_filled, fill_powers);
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int power = (int)(bits >> 52) & 2047, is_negative = (int)(bits >> 63) & (x == x);
    const uint64_t mantissa = bits & (HIDDEN_BIT - 1);
    const bool is_normal = power > 0;
    int length = is_negative;
    *text = '-';
    if (x == 0 || power == 2047) {
        strcpy(text + length, x == 0 ? "0" : x == x ? "inf" : "nan");
        return length + (x == 0 ? 1 : 3);
    }
    length += write_decimal(text + length, shortest(is_normal ? mantissa | HIDDEN_BIT : mantissa,
                                                    power - is_normal + EXPONENT_LEAST));
    text[length] = 0;
    return length;
}

#endif
