/* One linear system with a fixed pattern: dense by hand, LAPACK, or sparse. */
/* SPDX-License-Identifier: MIT */
#include "linalg/linear.h"

#include <string.h>

#include "linalg/dense.h"
#include "linalg/lapack.h"

truth linear_factor(struct linear *linear, const real *values) {
    real *a = linear->a;
    if (linear->room > (size_t)linear->nz) memset(a, 0, linear->room * sizeof *a);
    for (int e = 0; e < linear->nz; e++) a[linear->at[e]] = values[e];
    switch (LINEAR_KIND(linear)) {
    case LINEAR_NONE: return truth_of(true);
    case LINEAR_DENSE: return dense_factor(linear->n, a, linear->pivot);
    case LINEAR_LAPACK: return lapack_factor(linear->n, a, linear->pivot);
    case LINEAR_SPARSE: return sparse_factor(linear->sparse, a);
    }
    return truth_of(false);
}

void linear_solve(const struct linear *linear, real *x) {
    switch (LINEAR_KIND(linear)) {
    case LINEAR_NONE: return;
    case LINEAR_DENSE: dense_solve(linear->n, x, linear->a, linear->pivot); return;
    case LINEAR_LAPACK: lapack_solve(linear->n, x, linear->a, linear->pivot); return;
    case LINEAR_SPARSE: sparse_solve(linear->sparse, x); return;
    }
}
