/* Sequential random numbers by splitmix (Steele, Lea and Flood 2014). */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_SPLITMIX_H
#define BASE_SPLITMIX_H

#include <math.h>
#include <stdint.h>

struct splitmix {
    uint64_t state;
};

static inline uint64_t splitmix_word(struct splitmix *splitmix) {
    uint64_t z = splitmix->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline struct splitmix splitmix_open(unsigned long seed, long number) {
    struct splitmix splitmix = {seed};
    splitmix.state = splitmix_word(&splitmix) ^ (uint64_t)number * 0xd1342543de82ef95u;
    splitmix_word(&splitmix);
    return splitmix;
}

/* Uniform in (-1,1). */
static inline double splitmix_uniform(struct splitmix *splitmix) {
    return (double)(int64_t)splitmix_word(splitmix) * 0x1p-63;
}

/* Normal, of mean 0 and variance 1 (Box and Muller 1958). */
static inline double splitmix_normal(struct splitmix *splitmix) {
    const double u = ((double)(splitmix_word(splitmix) >> 11) + 0.5) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(3.14159265358979323846 * splitmix_uniform(splitmix));
}

#endif
