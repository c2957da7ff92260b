/* The spaces in SIMD lanes. Included by files that define NOE_LANES and SPACES_LANES, the prefix
 * of their symbols. */
/* SPDX-License-Identifier: MIT */
#define NOE_LANES_LIBM /* the functions of the scalar build */
#include "base/lane_functions.h"

#define LANES_JOIN(a, b)    a##b
#define LANES_OF(prefix, b) LANES_JOIN(prefix, b)
#define noe_space_so3       LANES_OF(SPACES_LANES, _so3) /* beside the symbols of the library */
#define noe_space_se3       LANES_OF(SPACES_LANES, _se3)
#define noe_space_s3        LANES_OF(SPACES_LANES, _s3)
#define noe_space_se2       LANES_OF(SPACES_LANES, _se2)
#include "spaces/s3.c"
#include "spaces/se2.c"
#include "spaces/se3.c"
#include "spaces/so3.c"

#include "spaces_evaluate.h"

int SPACES_LANES(int index, int tau, const double *x, double *result) {
    const struct noe_space *spaces[] = {&noe_space_s3, &noe_space_se2, &noe_space_se3,
                                        &noe_space_so3};
    real all[EVALUATE_INPUT], out[EVALUATE_MAX];
    memcpy(all, x, sizeof all);
    const int count = evaluate_space(spaces[index], tau, all, out);
    memcpy(result, out, (size_t)count * sizeof *out);
    return count;
}
