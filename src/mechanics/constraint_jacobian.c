/* Constraint Jacobian: the derivatives of the constraints in the coordinates of a step. */
/* SPDX-License-Identifier: MIT */
#include "mechanics/constraint_jacobian.h"

STEP_FOLDED void constraint_jacobian_right(const struct constraint_jacobian *constraint_jacobian,
                                           const real *values, const real *M, real *y) {
    for (int e = 0; e < constraint_jacobian->nz; e++) y[e] = real_broadcast(0);
    constraint_jacobian_add(constraint_jacobian, values, M, y);
}

STEP_FOLDED void constraint_jacobian_add(const struct constraint_jacobian *constraint_jacobian,
                                         const real *values, const real *M, real *y) {
    for (int b = 0; b < constraint_jacobian->nblocks; b++) {
        const struct constraint_jacobian_block *block = &constraint_jacobian->block[b];
        const int n = block->size, *from = constraint_jacobian->from + block->first;
        real A[SMALL_MAX];
        for (int i = 0; i < n; i++) A[i] = from[i] < 0 ? real_broadcast(0) : values[from[i]];
        if (M && block->square >= 0)
            small_add_product(1, n, n, y + block->first, A, M + block->square);
        else
            for (int i = 0; i < n; i++) y[block->first + i] += A[i];
    }
}

STEP_FOLDED void
constraint_jacobian_coadjoint_change(const struct constraint_jacobian *constraint_jacobian,
                                     const real *A, const real *M, real *y) {
    for (int b = 0; b < constraint_jacobian->nblocks; b++) {
        const struct constraint_jacobian_block *block = &constraint_jacobian->block[b];
        const int n = block->size, first = block->first;
        for (int i = first; i < first + n; i++) y[i] = block->square < 0 ? A[i] : real_broadcast(0);
        if (block->square >= 0) small_add_product(1, n, n, y + first, A + first, M + block->square);
    }
}

STEP_FOLDED void constraint_jacobian_push(const struct noe_system *system,
                                          const struct constraint_jacobian *constraint_jacobian,
                                          struct constraint_jacobian_range range, real factor,
                                          const real *A, const real *x, real *to) {
    for (int b = range.first; b < range.last; b++) {
        const struct constraint_jacobian_block *block = &constraint_jacobian->block[b];
        const real weight =
            factor * constraint_sign(system, block->row) * x[block->row - range.row];
        for (int i = 0; i < block->size; i++)
            to[block->tangent + i] += weight * A[block->first + i];
    }
}

STEP_FOLDED void constraint_jacobian_scale(const struct constraint_jacobian *constraint_jacobian,
                                           struct constraint_jacobian_range range, real factor,
                                           const real *A, real *values) {
    (void)constraint_jacobian;
    for (int e = range.begin; e < range.end; e++) values[e - range.begin] = factor * A[e];
}

STEP_FOLDED void constraint_jacobian_scale_signed(
    const struct noe_system *system, const struct constraint_jacobian *constraint_jacobian,
    struct constraint_jacobian_range range, real factor, const real *A, real *values) {
    for (int b = range.first; b < range.last; b++) {
        const struct constraint_jacobian_block *block = &constraint_jacobian->block[b];
        const real signed_factor = factor * constraint_sign(system, block->row);
        for (int e = block->first; e < block->first + block->size; e++)
            values[e - range.begin] = signed_factor * A[e];
    }
}

STEP_FOLDED real constraint_jacobian_noise(const struct constraint_jacobian *constraint_jacobian,
                                           const real *A, int np, const real *q) {
    real largest = {0};
    for (int e = 0; e < constraint_jacobian->nz_holonomic; e++)
        largest = real_max(noe_abs(A[e]), largest);
    return NOE_EPSILON * largest * real_norm((size_t)np, q);
}
