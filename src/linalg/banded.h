/* Banded LU factorisation with partial pivoting inside the band. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_BANDED_H
#define LINALG_BANDED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/real.h"
#include "linalg/tridiagonal.h"

/* Symmetric bands with at most this many diagonals on either side have unrolled loops. */
enum { BANDED_NARROW = 5 };

struct banded {
    int n, below, above; /* unknowns, subdiagonals, superdiagonals */
    bool has_swaps;      /* rows were exchanged in the last factorisation */
    enum tridiagonal_form form;
};

/* Number of reals that the matrix and its factors need. */
size_t banded_room(const struct banded *band);
/* Position of the entry (i,j), inside the band, in that array. All other numbers of the array must
 * be zero. */
size_t banded_place(const struct banded *band, int i, int j);
/* Replaces a by its LU factors and fills n pivots. False if a is singular or not finite. */
mask banded_factor(struct banded *band, real *a, lane_index *pivot);
/* x <- a^-1 x. */
void banded_solve(const struct banded *band, real *x, const real *a, const lane_index *pivot);
/* The sign of the determinant, 1 or -1. */
real banded_sign(const struct banded *band, const real *a, const lane_index *pivot);

#endif
