/* Minimisation on R^n, SO(3), SE(3) and their products, and its application to shapes on the
 * sphere. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_OPTIMISE_H
#define NOETHER_OPTIMISE_H

#include "noether_model.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* --- Objective: a function to minimise, stated by hand or by a model file. */

struct noe_objective {
    int n, np; /* numbers of a tangent and of a point */
    int nfactors;
    const struct noe_factor *factors; /* NULL: R^n */
    const void *data;
    /* Returns f(q) and writes its left trivialised gradient, n numbers: f changes at the rate
     * gradient . s if the point moves with velocity s. */
    noe_real (*evaluate)(const struct noe_objective *, const noe_real *q, noe_real *gradient);
    /* The model's observed quantities, system->nvalues numbers; may be NULL. */
    void (*observe)(const struct noe_objective *, const noe_real *q, noe_real *values);
    const char *note;                        /* reason why it is interpreted; else NULL */
    void (*release)(struct noe_objective *); /* called by noe_objective_free; may be NULL */
};

/* The objective of a model without L; the model must outlive it. Free with noe_objective_free.
 * Only one thread may use an objective at a time. */
enum noe_status noe_objective_create(struct noe_objective **objective,
                                     const struct noe_model *model,
                                     const struct noe_model_settings *settings,
                                     struct noe_error *error);
void noe_objective_free(struct noe_objective *objective);

/* --- Descent: gradient descent and its accelerated forms. */

/* Near a minimum every method is x_{k+1} = x_k - step g + momentum (x_k - x_{k-1}), and with
 * `looks_ahead` g is taken at x_k + momentum (x_k - x_{k-1}). */
struct noe_descent_rate {
    noe_real step, momentum;
    bool looks_ahead;
};

/* One iterate. */
struct noe_iterate {
    long k;
    const noe_real *q;
    noe_real value, gradient_norm;
};

struct noe_descent_settings {
    const char *method;            /* "name key=value ..." */
    noe_real tolerance;            /* bound of the Euclidean norm of the gradient */
    long iterations;               /* maximum */
    const volatile int *interrupt; /* if not 0, stop; may be NULL */
    /* Called with every iterate, the start first; a result other than NOE_OK ends the iteration.
     * May be NULL. */
    enum noe_status (*visit)(void *visitor, const struct noe_iterate *iterate);
    void *visitor;
};

struct noe_descent_result {
    const char *method; /* its name */
    struct noe_descent_rate rate;
    long iterations;
    noe_real value, gradient_norm;
    noe_real curvature; /* largest observed rate of change of the gradient */
    long clipped;       /* iterations of sagd whose step was shortened */
};

/* Iterates from q until the norm of the gradient is below the tolerance; q becomes the last point,
 * also on failure. */
enum noe_status noe_minimise(const struct noe_objective *objective,
                             const struct noe_descent_settings *settings, noe_real *q,
                             struct noe_descent_result *result, struct noe_error *error);

/* --- Shape: a function on the sphere by real spherical harmonics. */

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
 * 1/(l(l+1)), the decay of the Earth's relief (Vening Meinesz 1951). The same seed
 * gives the same coefficients for every band. */
enum noe_status noe_shape_relief(struct noe_shape **shape, int band, unsigned long seed,
                                 struct noe_error *error);
/* The shape that fits `values` in `count` directions, given by points of any length but zero, in
 * the least squares sense; `residual` (may be NULL) is the root mean square of the rest. */
enum noe_status noe_shape_fit(struct noe_shape **shape, int band, long count,
                              const noe_real *points, const noe_real *values, noe_real *residual,
                              struct noe_error *error);
/* Reads a file of coefficients, points or samples in the form of docs/optimise.md. For coefficients
 * the band may be 0: then it is the band of the file. Degrees beyond the band are left out.
 * `residual` as in noe_shape_fit. */
enum noe_status noe_shape_read(struct noe_shape **shape, const char *path, int band,
                               noe_real *residual, struct noe_error *error);

/* The value in direction x, a vector of any length but zero. */
noe_real noe_shape_value(const struct noe_shape *shape, const noe_real *x);
/* `turned` becomes the shape turned by the rotation R (3 x 3, row by row): f(R^T x). */
enum noe_status noe_shape_rotate(struct noe_shape **turned, const struct noe_shape *shape,
                                 const noe_real *R, struct noe_error *error);

/* The objective on SO(3) that is the negative correlation -<g(x), f(R^T x)> of two shapes, taken
 * over the degrees from 1 on that both have and that are below `band` (0: all). The shapes must
 * outlive it. Free with noe_objective_free. One objective serves one thread at a time. */
enum noe_status noe_shape_objective(struct noe_objective **objective, const struct noe_shape *f,
                                    const struct noe_shape *g, int band, struct noe_error *error);

struct noe_shape_match {
    noe_real R[9];         /* g(x) is about f(R^T x) */
    noe_real correlation;  /* over degrees from 1 on, between -1 and 1 */
    noe_real residual;     /* |g - f(R^T x)| over |g|, from degree 1 on */
    noe_real runner_up;    /* the correlation at the next best maximum of the low degrees; or NaN */
    noe_real curvature[3]; /* that of the correlation at R, over |f| |g|, from small to large */
    noe_real gradient_norm; /* that of the correlation at R, over |f| |g| */
    long iterations;        /* iterations of the last refinement */
    int search_band;        /* degrees below this were searched on a grid */
    long grid;              /* points of that grid */
    int maxima;             /* maxima that were refined */
};

/* Finds the rotation that turns f onto g: a search on a grid over SO(3) with the low degrees, then
 * accelerated descent. The search takes degrees below `search_band`; 0: 16, or as many as hold half
 * of the correlation. NOE_SINGULAR: a rotation was found, but the correlation
 * does not change about some axis. */
enum noe_status noe_shape_match(const struct noe_shape *f, const struct noe_shape *g,
                                int search_band, struct noe_shape_match *match,
                                struct noe_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
