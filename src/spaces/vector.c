/* R^n: points and tangents are n numbers, the retraction is addition. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/compensated_sum.h"
#include "noether.h"

static void vector_identity(int size, noe_real *g) { memset(g, 0, (size_t)size * sizeof *g); }

static void vector_retract(int size, int tau, noe_real *g1, const noe_real *g0, const noe_real *x) {
    (void)tau;
    for (int i = 0; i < size; i++) g1[i] = g0[i] + x[i];
}

static void vector_advance(int size, int tau, noe_real *g1, noe_real *carry1, const noe_real *g0,
                           const noe_real *carry0, const noe_real *x) {
    (void)tau;
    compensated_add(size, g1, carry1, g0, carry0, x);
}

static void vector_difference(int size, int tau, noe_real *x, const noe_real *g0,
                              const noe_real *g1) {
    (void)tau;
    for (int i = 0; i < size; i++) x[i] = g1[i] - g0[i];
}

const struct noe_space noe_space_vector = {
    .name = "vector",
    .summary = "R^n, retraction by addition",
    .plural = "coordinates",
    .point = 1,
    .tangent = 1,
    .identity = vector_identity,
    .retract = vector_retract,
    .advance = vector_advance,
    .difference = vector_difference,
};
