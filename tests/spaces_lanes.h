/* The spaces in SIMD lanes. Included by files that define NOE_LANES and SPACES_LANES, the prefix
 * of their symbols. The build writes test_spaces.h, the list of all spaces. */
/* SPDX-License-Identifier: MIT */
#define NOE_LANES_LIBM /* the functions of the scalar build */
#include "base/lane_functions.h"

#define LANES_JOIN(a, b)    a##b
#define LANES_OF(prefix, b) LANES_JOIN(prefix, b)
#define SPACE_NAME(name)    LANES_OF(SPACES_LANES, name) /* beside the symbols of the library */
#include "test_spaces.h"

#include "spaces_evaluate.h"

/* The space of that name in lanes; NULL if there is none. */
static const struct noe_space *find_space(const char *name) {
    static const struct noe_space *const spaces[] = {SPACES_ALL};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (strcmp(spaces[i]->name, name) == 0) return spaces[i];
    return NULL;
}

int SPACES_LANES(const char *name, int tau, const double *x, double *result) {
    const struct noe_space *space = find_space(name);
    real all[EVALUATE_INPUT], out[EVALUATE_MAX];
    if (!space) return -1;
    memcpy(all, x, sizeof all);
    const int count = evaluate_space(space, tau, all, out);
    memcpy(result, out, (size_t)count * sizeof *out);
    return count;
}
