/* A nonlinear program with sparse derivatives, and its solution by an interior point method. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_CONTROL_NLP_H
#define STUDY_CONTROL_NLP_H

#include <stdbool.h>

#include "noether.h"

/* Minimises f(x) subject to x_least <= x <= x_most and g_least <= g(x) <= g_most. Infinite bounds
 * are none. Callbacks return false where a value is not finite. */
struct nlp {
    int n, m, nj, nh;
    const double *x_least, *x_most, *g_least, *g_most;
    const int *jrow, *jcol; /* entries of dg/dx */
    const int *hrow,
        *hcol; /* of the second derivative of weight f + lambda.g, below the diagonal */
    bool (*value)(void *data, const double *x, double *f);
    bool (*gradient)(void *data, const double *x, double *gradient);
    bool (*constraints)(void *data, const double *x, double *g);
    bool (*jacobian)(void *data, const double *x, double *values);
    bool (*hessian)(void *data, const double *x, double weight, const double *lambda,
                    double *values);
    /* After each iteration; false ends it. May be NULL. */
    bool (*progress)(void *data, int iteration, double f, double violation);
    void *data;
};

struct nlp_settings {
    double tolerance;
    int iterations_max;
};

/* Arrays belong to the caller: x holds the first guess, and then the last point. */
struct nlp_result {
    double *x, *g;
    double *lambda;           /* of g: the derivative of f + lambda.g vanishes */
    double *z_least, *z_most; /* of the bounds of x, not negative */
    double f;
    int iterations;
    double seconds, seconds_in_callbacks;
    const char *words; /* how it ended */
};

/* NOE_OK, NOE_NOT_CONVERGED with words, or NOE_NO_LIBRARY. */
enum noe_status nlp_solve(const struct nlp *nlp, const struct nlp_settings *settings,
                          struct nlp_result *result, struct noe_error *error);

#endif
