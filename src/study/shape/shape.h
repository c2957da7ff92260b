/* Functions that the files on shapes on the sphere share. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_SHAPE_SHAPE_H
#define STUDY_SHAPE_SHAPE_H

#include "base/real.h"
#include "base/status.h"
#include "noether_optimise.h"

/* Index of the coefficient of degree l and order m. */
static inline int shape_at(int l, int m) { return l * l + l + m; }

/* Spherical harmonics of all degrees below `band` in the direction of the unit vector x. */
void shape_harmonics(int band, const real *x, real *y);

/* Wigner d-functions of one angle, one degree at a time, for orders 0 <= m, k <= l:
 * p[m][k] = (-1)^(m+k) d^l_mk and n[m][k] = (-1)^m d^l_m,-k. */
struct shape_wigner {
    int band, l;
    real cosine, half_cosine, half_sine; /* functions of the angle and of half the angle */
    real *p, *n;                         /* for degree l: rows of `band` numbers */
    real *p_last, *n_last, *p_before, *n_before;
    real *edge;    /* |d^l_lk| at [band + k] */
    real *inverse; /* 1/sqrt((l + 1)^2 - m^2) */
    real *root;    /* sqrt(l^2 - m^2) */
    real *block;
};

bool shape_wigner_make(struct shape_wigner *wigner, int band);
void shape_wigner_clear(struct shape_wigner *wigner);
/* Starts with degree 0. shape_wigner_next moves to the next degree. */
void shape_wigner_begin(struct shape_wigner *wigner, real cosine, real sine);
void shape_wigner_next(struct shape_wigner *wigner);

/* Scratch for rotating shapes of a band. */
struct shape_turn {
    struct shape_wigner wigner;
    real *row; /* sums of one row, and orders of one degree */
};

bool shape_turn_make(struct shape_turn *turn, int band);
void shape_turn_clear(struct shape_turn *turn);
/* h = U(R)^T g, where U(R) rotates the degrees below the band by R. h is g rotated by R^-1. */
void shape_turn_back(struct shape_turn *turn, const real *R, const real *g, real *h);

/* b = derivative of the rotation of a about axis e_i, i = 0, 1, 2. b must not alias a. */
void shape_rate(int band, int axis, const real *a, real *b);
/* Sum of squares of the coefficients of degree l. */
real shape_power(const struct noe_shape *shape, int l);

/* A rotation and its correlation. */
struct shape_candidate {
    real R[9];
    real value;
};
/* Largest values of the correlation of degrees 1 .. band - 1 on a grid over SO(3): at most `max` of
 * them, separated by some cells of the grid, in decreasing order. Returns their number, or -1 if
 * memory runs out. */
int shape_search(const struct noe_shape *f, const struct noe_shape *g, int band, int max,
                 struct shape_candidate *found, long *points);

/* The shape as the text of a file of coefficients; free() it. NULL: out of memory. */
char *shape_text(const struct noe_shape *shape);

#endif
