/* SIMD target: instruction set of the machine, number of lanes, compiler options and vector math
 * library. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "model/jit/simd_target.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noether.h"

#define SLEEF "libsleef.so.3"
#define LIBM  " -DNOE_LANES_LIBM"
/* When gcc vectorises straight-line code it fuses products with sums, even with contraction off. */
#define NO_SLP " -fno-tree-slp-vectorize"

/* Best first. The last one works on every machine, without fused multiply-add. */
static const struct {
    const char *setting, *name;
    int width;
    const char *options, *options_libm, *single;
} levels[] = {
#define FUSED "Sleef_finz_%sd1_u10purecfma"
#define PLAIN "Sleef_cinz_%sd1_u10purec"
#define LEVEL(setting, name, width, options, single)                                               \
    { setting, name, width, options, options LIBM, single }
    LEVEL("avx512", "AVX-512", 8,
          " -mavx512f -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512" NO_SLP, FUSED),
    LEVEL("avx2", "AVX2", 4, " -mavx2 -mfma" NO_SLP, FUSED),
    LEVEL("none", "no AVX2", 4, "", PLAIN),
};
enum { AVX512, AVX2, NONE };

static int processor_level(void) {
#ifdef __x86_64__
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return NONE;
    const bool has_avx512 = __builtin_cpu_supports("avx512f") &&
                            __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512vl");
    return has_avx512 ? AVX512 : AVX2;
#else
    return NONE;
#endif
}

static int find_level(void) {
    const char *wanted = secure_getenv("NOETHER_LANES_SIMD");
    int level = processor_level();
    for (int i = level; wanted && i <= NONE; i++)
        if (strcmp(wanted, levels[i].setting) == 0) level = i;
    return level;
}

/* The library stays loaded, because compiled models call it. */
static void *load_sleef(void) {
#ifdef __x86_64__
    return dlopen(SLEEF, RTLD_LAZY | RTLD_LOCAL);
#else
    return NULL;
#endif
}

struct simd_target simd_target_find(void) {
    const char *wanted = secure_getenv("NOETHER_LANES_SLEEF");
    const bool is_refused = wanted && strcmp(wanted, "no") == 0;
    void *const library = is_refused ? NULL : load_sleef();
    const bool has_sleef = library != NULL;
    const int level = find_level();
    struct simd_target lanes = {.width = levels[level].width,
                                .options =
                                    has_sleef ? levels[level].options : levels[level].options_libm,
                                .libraries = has_sleef ? "-l:" SLEEF : "",
                                .library = library,
                                .single = levels[level].single};
    const char *functions = has_sleef    ? "SLEEF"
                            : is_refused ? "libm (SLEEF is turned off)"
                                         : "libm (SLEEF is not installed)";
    snprintf(lanes.description, sizeof lanes.description, "%s, %d lanes, %s", levels[level].name,
             lanes.width, functions);
    return lanes;
}

int simd_target_describe(size_t size, char *description) {
    const struct simd_target lanes = simd_target_find();
    snprintf(description, size, "%s", lanes.description);
    return lanes.width;
}
