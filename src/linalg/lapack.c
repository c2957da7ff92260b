/* LU factorisation of large dense matrices by LAPACK. */
/* SPDX-License-Identifier: MIT */
#include "linalg/lapack.h"

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info);

bool lapack_available(void) { return true; }

bool lapack_factor(int n, real *a, int *pivot) {
    int info = 0;
    if (!real_is_finite(real_norm((size_t)n * (size_t)n, a))) return false;
    dgetrf_(&n, &n, a, &n, pivot, &info);
    return info == 0;
}

void lapack_solve(int n, real *x, const real *a, const int *pivot) {
    const int one = 1;
    int info = 0;
    dgetrs_("N", &n, &one, a, &n, pivot, x, &n, &info);
}
