/* What the files about shapes on the sphere share. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_SHAPE_SHAPE_H
#define STUDY_SHAPE_SHAPE_H

#include "base/real.h"
#include "base/status.h"
#include "noether_optimise.h"

/* The coefficient of degree l and order m. */
static inline int shape_at(int l, int m) { return l * l + l + m; }

/* The harmonics of all degrees below `band` in the direction of the unit vector x. */
void shape_harmonics(int band, const real *x, real *y);

/* Wigner's functions of one angle, degree after degree, for orders 0 <= m, k <= l:
 * p[m][k] = (-1)^(m+k) d^l_mk and n[m][k] = (-1)^m d^l_m,-k. */
struct shape_wigner {
    int band, l;
    real cosine, half_cosine, half_sine; /* of the angle, and of its half */
    real *p, *n;                         /* of degree l: rows of `band` numbers */
    real *p_last, *n_last, *p_before, *n_before;
    real *edge;    /* |d^l_lk| at [band + k] */
    real *inverse; /* 1/sqrt((l + 1)^2 - m^2) */
    real *root;    /* sqrt(l^2 - m^2) */
    real *block;
};

bool shape_wigner_make(struct shape_wigner *wigner, int band);
void shape_wigner_clear(struct shape_wigner *wigner);
/* Begins with degree 0; the next degree follows. */
void shape_wigner_begin(struct shape_wigner *wigner, real cosine, real sine);
void shape_wigner_next(struct shape_wigner *wigner);

/* Room to turn shapes of a band. */
struct shape_turn {
    struct shape_wigner wigner;
    real *row; /* sums of one row, and orders of one degree */
};

bool shape_turn_make(struct shape_turn *turn, int band);
void shape_turn_clear(struct shape_turn *turn);
/* h = U(R)^T g, where U(R) turns the degrees below the band by R: h is g turned back. */
void shape_turn_back(struct shape_turn *turn, const real *R, const real *g, real *h);

/* b = the rate of a turned about axis e_i, i = 0, 1, 2. b is not a. */
void shape_rate(int band, int axis, const real *a, real *b);
/* The sum of the squares of degree l. */
real shape_power(const struct noe_shape *shape, int l);

/* A rotation and the correlation there. */
struct shape_candidate {
    real R[9];
    real value;
};
/* The largest values of the correlation of degrees 1 .. band - 1 on a grid over SO(3), at most
 * `most` of them, no two closer than some cells of the grid; the largest first. Returns their
 * number, or -1 for want of memory. */
int shape_search(const struct noe_shape *f, const struct noe_shape *g, int band, int max,
                 struct shape_candidate *found, long *points);

#endif
