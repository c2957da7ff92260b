/* LU factorisation of large dense matrices by LAPACK. */
/* SPDX-License-Identifier: MIT */
#include "linalg/lapack.h"

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info);

/* Functions of OpenBLAS; NULL with other implementations. */
__attribute__((weak)) int openblas_get_num_threads(void);
__attribute__((weak)) void openblas_set_num_threads(int count);

/* Limits OpenBLAS to one thread: the bits are then the same on every machine, and matrices of this
 * size do not gain from more threads. */
static int single_thread(void) {
    if (!openblas_get_num_threads || !openblas_set_num_threads) return 0;
    const int count = openblas_get_num_threads();
    if (count > 1) openblas_set_num_threads(1);
    return count;
}

static void restore_threads(int count) {
    if (count > 1) openblas_set_num_threads(count);
}

bool lapack_available(void) { return true; }

mask lapack_factor(int n, real *a, lane_index *pivot) {
    int info = 0;
    if (!real_is_finite(real_norm((size_t)n * (size_t)n, a))) return false;
    const int threads = single_thread();
    dgetrf_(&n, &n, a, &n, pivot, &info);
    restore_threads(threads);
    return info == 0;
}

void lapack_solve(int n, real *x, const real *a, const lane_index *pivot) {
    const int one = 1;
    int info = 0;
    const int threads = single_thread();
    dgetrs_("N", &n, &one, a, &n, pivot, x, &n, &info);
    restore_threads(threads);
}

real lapack_sign(int n, const real *a, const lane_index *pivot) {
    bool is_negative = false;
    for (int k = 0; k < n; k++)
        is_negative ^= (a[(size_t)k * (size_t)n + (size_t)k] < 0) ^ (pivot[k] != k + 1);
    return is_negative ? -1 : 1;
}
