/* SIMD target: instruction set of the machine, number of lanes, compiler options and vector math
 * library. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_SIMD_TARGET_H
#define MODEL_JIT_SIMD_TARGET_H

#include <stddef.h>

enum { SIMD_DESCRIPTION = 80 };

struct simd_target {
    int width;                          /* preferred number of lanes: 8 or 4 */
    const char *options;                /* compiler options for it, each preceded by a blank */
    const char *libraries;              /* linker option of the vector math library; "" if none */
    void *library;                      /* handle of the vector math library; NULL if none */
    const char *single;                 /* format of the names of its scalar functions */
    char description[SIMD_DESCRIPTION]; /* "AVX-512, 8 lanes, SLEEF" */
};

/* Queries the processor and loads SLEEF. The environment variables NOETHER_LANES_SIMD (avx512,
 * avx2, none) and NOETHER_LANES_SLEEF=no disable features. */
struct simd_target simd_target_find(void);
/* The preferred number of SIMD lanes on this machine. Writes a description such as "AVX-512, 8
 * lanes, SLEEF" to `description`, at most `size` bytes. */
int simd_target_describe(size_t size, char *description);

#endif
