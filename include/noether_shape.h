/* Shapes on the sphere: real spherical harmonics, their rotation, and how two shapes match. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_SHAPE_H
#define NOETHER_SHAPE_H

#include "noether_optimise.h"

#pragma GCC visibility push(default)

#define NOE_SHAPE_BAND_MAX 512

/* A function on the unit sphere, f(x) = sum c_lm y_lm(x) over the degrees 0 <= l < band. The
 * coefficient of degree l and order -l <= m <= l stands at c[l*l + l + m]. The harmonics are real
 * and orthonormal: y_lm = P_lm(cos theta) cos(m phi) for m >= 0 and P_l|m|(cos theta) sin(|m| phi)
 * for m < 0, where P_lm is positive near the north pole and phi counts from x to y. */
struct noe_shape {
    int band;
    noe_real *c; /* band * band numbers */
};

/* A shape of which all coefficients are zero. Free with noe_shape_free. */
enum noe_status noe_shape_create(struct noe_shape **shape, int band, struct noe_error *error);
void noe_shape_free(struct noe_shape *shape);
/* A test shape: independent normal coefficients whose variance over degree l >= 1 is in all
 * 1/(l(l+1)), which is how the relief of the Earth falls off (Vening Meinesz 1951). The same seed
 * gives the same coefficients for every band. */
enum noe_status noe_shape_relief(struct noe_shape **shape, int band, unsigned long seed,
                                 struct noe_error *error);
/* The shape that fits `values` in `count` directions, given by points of any length but zero, in
 * the least squares sense; `residual` (may be NULL) is the root of the mean square that is left. */
enum noe_status noe_shape_fit(struct noe_shape **shape, int band, long count,
                              const noe_real *points, const noe_real *values, noe_real *residual,
                              struct noe_error *error);
/* Reads a file of coefficients, points or samples, of which docs/optimise.md states the form. The
 * band may be 0 for coefficients: then it is what the file has. Degrees beyond it are left out.
 * `residual` as in noe_shape_fit. */
enum noe_status noe_shape_read(struct noe_shape **shape, const char *path, int band,
                               noe_real *residual, struct noe_error *error);
/* The shape as the text of a file of coefficients; free() it. NULL: out of memory. */
char *noe_shape_text(const struct noe_shape *shape);

/* The value in direction x, a vector of any length but zero. */
noe_real noe_shape_value(const struct noe_shape *shape, const noe_real *x);
/* `turned` becomes the shape turned by the rotation R (3 x 3, row by row): f(R^T x). */
enum noe_status noe_shape_rotate(struct noe_shape **turned, const struct noe_shape *shape,
                                 const noe_real *R, struct noe_error *error);

/* The objective on SO(3) that is the negative correlation -<g(x), f(R^T x)> of two shapes, taken
 * over the degrees from 1 on that both have and that are below `band` (0: all). The shapes must
 * outlive it. Free with noe_shape_objective_free. One objective serves one thread at a time. */
enum noe_status noe_shape_objective(struct noe_objective **objective, const struct noe_shape *f,
                                    const struct noe_shape *g, int band, struct noe_error *error);
void noe_shape_objective_free(struct noe_objective *objective);

struct noe_shape_match {
    noe_real R[9];         /* g(x) is about f(R^T x) */
    noe_real correlation;  /* over degrees from 1 on, between -1 and 1 */
    noe_real residual;     /* |g - f(R^T x)| over |g|, from degree 1 on */
    noe_real runner_up;    /* the correlation at the next best maximum of the low degrees; or NaN */
    noe_real curvature[3]; /* of the correlation at R, over |f| |g|, from small to large */
    noe_real gradient_norm; /* the same way */
    long iterations;        /* of the last refinement */
    int search_band;        /* degrees below this were searched on a grid */
    long grid;              /* its points */
    int maxima;             /* that were refined */
};

/* Finds the rotation that turns f onto g: a search on a grid over SO(3) with the low degrees, then
 * accelerated descent. The search takes degrees below `search_band`; 0: 16, or as many as hold half
 * of what the shapes have in common. NOE_SINGULAR: something was found, but the correlation does
 * not change about some axis. */
enum noe_status noe_shape_match(const struct noe_shape *f, const struct noe_shape *g,
                                int search_band, struct noe_shape_match *match,
                                struct noe_error *error);

#pragma GCC visibility pop

#endif
