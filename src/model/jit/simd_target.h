/* What the machine offers for several numbers side by side, and what compilers are told of it. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_SIMD_TARGET_H
#define MODEL_JIT_SIMD_TARGET_H

#include <stddef.h>

enum { LANES_WORDS = 80 };

struct simd_target {
    int width;               /* as many numbers as pay: 8 or 4 */
    const char *options;     /* compiler options that give it, with a blank before each */
    const char *libraries;   /* the library of functions, as the linker's word; "" if none */
    void *library;           /* the same, loaded; NULL if none */
    const char *single;      /* its functions of one number: the format of their names */
    char words[LANES_WORDS]; /* "AVX-512, 8 lanes, SLEEF" */
};

/* Asks the processor and looks for SLEEF. NOETHER_LANES_SIMD (avx512, avx2, none) and
 * NOETHER_LANES_SLEEF=no leave out what is there. */
struct simd_target simd_target_find(void);
/* The preferred number of SIMD lanes on this machine. Writes a description such as "AVX-512, 8
 * lanes, SLEEF" to `words`, at most `size` bytes. */
int simd_target_describe(size_t size, char *words);

#endif
