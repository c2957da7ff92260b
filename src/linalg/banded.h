/* LU factorisation of banded matrices with partial pivoting inside the band. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_BANDED_H
#define LINALG_BANDED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/real.h"
#include "linalg/tridiagonal.h"

/* Bands with as many diagonals below as above, and no more than these, are the fastest. */
enum { BANDED_NARROW = 5 };

struct banded {
    int n, below, above; /* unknowns, diagonals on either side of the main one */
    bool has_swaps;      /* of rows, in the last factorisation */
    enum tridiagonal_form form;
};

/* Reals that the matrix and its factors need. */
size_t banded_room(const struct banded *band);
/* Where the entry (i,j), inside the band, stands among them; all others are to be zero. */
size_t banded_place(const struct banded *band, int i, int j);
/* Replaces a by its factors, with n numbers in pivot; false if it is singular or not finite. */
mask banded_factor(struct banded *band, real *a, lane_index *pivot);
/* x <- a^-1 x. */
void banded_solve(const struct banded *band, real *x, const real *a, const lane_index *pivot);
/* The sign of the determinant, 1 or -1. */
real banded_sign(const struct banded *band, const real *a, const lane_index *pivot);

#endif
