/* Linear systems with a fixed sparsity pattern: dense, LAPACK, banded LU, sparse LU or least
 * squares. */
/* SPDX-License-Identifier: MIT */
#include "linalg/linear_system.h"

#include <string.h>

#include "linalg/dense.h"
#include "linalg/lapack.h"
#include "linalg/least_squares.h"

static inline mask factor_sparse(struct linear *linear) {
    bool keeps_pivots = true; /* the value if the matrix is not finite */
    const mask is_regular = sparse_factor(linear->sparse, linear->a, &keeps_pivots);
    if (keeps_pivots) {
        linear->keeps_pivots = linear->keeps_pivots || mask_all(is_regular);
        return is_regular;
    }
    linear->keeps_pivots = false;
    linear->has_pivots = mask_all(is_regular);
    memcpy(linear->pivoted, linear->a, (size_t)linear->nz * sizeof *linear->a);
    return is_regular;
}

mask linear_factor(struct linear *linear, int n, const real *values) {
    real *a = linear->a;
    if (linear->is_in_place) {
        for (int e = 0; e < linear->nz && values != a; e++) a[e] = values[e];
    } else {
        if (linear->room > (size_t)linear->nz) memset(a, 0, linear->room * sizeof *a);
        for (int e = 0; e < linear->nz; e++) a[linear->at[e]] = values[e];
    }
    switch (LINEAR_KIND(linear)) {
    case LINEAR_NONE: return mask_broadcast(true);
    case LINEAR_DENSE: return dense_factor(n, a, linear->pivot);
    case LINEAR_LAPACK: return lapack_factor(n, a, linear->pivot);
    case LINEAR_LEAST:
        linear->rank = least_factor(n, a, linear->pivot);
        return mask_broadcast(linear->rank >= 0);
    case LINEAR_BANDED: return banded_factor(&linear->band, a, linear->pivot);
    case LINEAR_SPARSE: return factor_sparse(linear);
    }
    return mask_broadcast(false);
}

static inline void solve_banded(const struct linear *linear, real *x) {
    const int n = linear->n, *order = linear->order;
    if (!order) {
        banded_solve(&linear->band, x, linear->a, linear->pivot);
        return;
    }
    for (int i = 0; i < n; i++) linear->x[i] = x[order[i]];
    banded_solve(&linear->band, linear->x, linear->a, linear->pivot);
    for (int i = 0; i < n; i++) x[order[i]] = linear->x[i];
}

void linear_solve(const struct linear *linear, int n, real *x) {
    switch (LINEAR_KIND(linear)) {
    case LINEAR_NONE: return;
    case LINEAR_DENSE: dense_solve(n, x, linear->a, linear->pivot); return;
    case LINEAR_LAPACK: lapack_solve(n, x, linear->a, linear->pivot); return;
    case LINEAR_LEAST: least_solve(n, linear->rank, x, linear->a, linear->pivot); return;
    case LINEAR_BANDED: solve_banded(linear, x); return;
    case LINEAR_SPARSE: sparse_solve(linear->sparse, x); return;
    }
}

real linear_sign(const struct linear *linear, int n) {
    switch (LINEAR_KIND(linear)) {
    case LINEAR_DENSE: return dense_sign(n, linear->a, linear->pivot);
    case LINEAR_LAPACK: return lapack_sign(n, linear->a, linear->pivot);
    case LINEAR_BANDED: return banded_sign(&linear->band, linear->a, linear->pivot);
    default: return real_broadcast(0);
    }
}
