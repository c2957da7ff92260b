/* Checks that the inertia of rotations and poses is that of a rigid body. */
/* SPDX-License-Identifier: MIT */
#include "model/equations/inertia_check.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/coordinate_names.h"

enum { MOST = 6 }; /* max velocity components of a group */
#define ROUND ((real)1e-12)

/* A = the block of p_v of the directions first .. first + size - 1. */
static void take_block(const struct noe_system *system, const real *pv, int first, int size,
                       real A[MOST][MOST]) {
    for (int k = 0; k < system->nz; k++) {
        const int row = (system->row ? system->row[k] : k / system->n) - first;
        const int col = (system->row ? system->col[k] : k % system->n) - first;
        if (row >= 0 && row < size && col >= 0 && col < size) A[row][col] = pv[k];
    }
}

/* True if Gaussian elimination without pivoting has positive pivots. */
static bool is_positive(int size, real A[MOST][MOST]) {
    real B[MOST][MOST];
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) B[i][j] = A[i][j];
    for (int k = 0; k < size; k++) {
        if (!(B[k][k] > ROUND * noe_abs(A[k][k]))) return false;
        for (int i = k + 1; i < size; i++)
            for (int j = k + 1; j < size; j++) B[i][j] -= B[i][k] / B[k][k] * B[k][j];
    }
    return true;
}

/* Eigenvalues of the leading 3 x 3 block, the largest first, by the trigonometric formula. */
static void find_moments(real A[MOST][MOST], real moment[3]) {
    const real mean = (A[0][0] + A[1][1] + A[2][2]) / 3;
    real B[3][3], square = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            B[i][j] = A[i][j] - (i == j ? mean : 0);
            square += B[i][j] * B[i][j];
        }
    const real size = noe_sqrt(square / 6);
    const real det = B[0][0] * (B[1][1] * B[2][2] - B[1][2] * B[2][1]) -
                     B[0][1] * (B[1][0] * B[2][2] - B[1][2] * B[2][0]) +
                     B[0][2] * (B[1][0] * B[2][1] - B[1][1] * B[2][0]);
    const real cosine = size > 0 ? det / (2 * size * size * size) : 0;
    const real third = 4 * noe_asin(1) / 3;
    const real angle = noe_acos(noe_max(-1, noe_min(1, cosine))) / 3;
    moment[0] = mean + 2 * size * noe_cos(angle);
    moment[2] = mean + 2 * size * noe_cos(angle + third);
    moment[1] = 3 * mean - moment[0] - moment[2];
    for (int i = 0; i < 3; i++)
        if (noe_abs(moment[i]) <= ROUND * (noe_abs(mean) + size)) moment[i] = 0;
}

/* A matrix group that is no rotation or pose: its inertia has no principal moments. */
static bool note_of_group(struct definition *model, const struct noe_coordinate *coordinate,
                          int size, real A[MOST][MOST]) {
    if (is_positive(size, A)) return true;
    return definition_note(model, coordinate->line, coordinate->column,
                           "the inertia of '%s' at the start is not positive definite",
                           coordinate->name);
}

static bool note_of(struct definition *model, const struct noe_coordinate *coordinate, int element,
                    int size, real A[MOST][MOST]) {
    real moment[3];
    char which[32] = "";
    find_moments(A, moment);
    if (coordinate->point.rank == 3) snprintf(which, sizeof which, "[%d]", element + 1);
    if (!is_positive(size, A))
        return definition_note(
            model, coordinate->line, coordinate->column,
            "not a rigid body: the inertia of '%s%s' at the start is not positive "
            "definite (principal moments %.6g, %.6g, %.6g)",
            coordinate->name, which, (double)moment[0], (double)moment[1], (double)moment[2]);
    if (size > 3 || moment[0] <= (moment[1] + moment[2]) * (1 + ROUND)) return true;
    return definition_note(
        model, coordinate->line, coordinate->column,
        "not a rigid body: the inertia of '%s%s' breaks the triangle inequality, the "
        "largest principal moment exceeds the sum of the others (%.6g, %.6g, %.6g)",
        coordinate->name, which, (double)moment[0], (double)moment[1], (double)moment[2]);
}

bool inertia_check(struct definition *model, const struct noe_system *system) {
    if (!model->has_groups || !(system->traits & NOE_QUADRATIC)) return true;
    real *p = calloc((size_t)system->n + (size_t)system->nz, sizeof *p), *pv = p + system->n;
    if (!p) return false;
    system->momentum(system, model->from, model->q, model->v, p, pv);
    bool is_done = true;
    for (int i = 0, first = 0, at = 0; is_done && i < model->nfactors; i++) {
        const struct noe_factor *factor = &model->factor[i];
        const int size = factor->space->tangent * factor->size;
        if (factor->space->frame && real_all_finite((size_t)system->nz, pv)) {
            real A[MOST][MOST] = {{0}};
            int index = 0;
            at = coordinate_find(model->ncoordinates, model->coordinate, true, first, at, &index);
            take_block(system, pv, first, size, A);
            const struct noe_coordinate *coordinate = &model->coordinate[at];
            is_done = factor->space->kind.algebra == NOE_ALGEBRA_OTHER
                          ? note_of_group(model, coordinate, size, A)
                          : note_of(model, coordinate, index / 3, size, A);
        }
        first += size;
    }
    free(p);
    return is_done;
}
