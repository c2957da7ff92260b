/* A nonlinear program with sparse derivatives, and its solution by an interior point method. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_CONTROL_NLP_H
#define STUDY_CONTROL_NLP_H

#include <stdbool.h>

#include "noether.h"

/* Minimises f(x) subject to x_least <= x <= x_most and g_least <= g(x) <= g_most. Infinite bounds
 * are inactive. Callbacks return false if a value is not finite. */
struct nlp {
    int n, m, nj, nh;
    const double *x_least, *x_most, *g_least, *g_most;
    const int *jrow, *jcol; /* sparsity pattern of dg/dx */
    const int *hrow,
        *hcol; /* sparsity pattern of the Hessian of weight f + lambda.g, lower triangle */
    bool (*value)(void *data, const double *x, double *f);
    bool (*gradient)(void *data, const double *x, double *gradient);
    bool (*constraints)(void *data, const double *x, double *g);
    bool (*jacobian)(void *data, const double *x, double *values);
    bool (*hessian)(void *data, const double *x, double weight, const double *lambda,
                    double *values);
    /* Called after each iteration; false stops the solver. May be NULL. */
    bool (*progress)(void *data, int iteration, double f, double violation);
    void *data;
};

struct nlp_settings {
    double tolerance;
    int iterations_max;
};

/* The caller owns the arrays. x holds the initial guess, then the last iterate. */
struct nlp_result {
    double *x, *g;
    double *lambda;           /* multipliers of g: the derivative of f + lambda.g vanishes */
    double *z_least, *z_most; /* multipliers of the bounds of x, nonnegative */
    double f;
    int iterations;
    double seconds, seconds_in_callbacks;
    const char *words; /* exit message */
};

/* Returns NOE_OK, NOE_NOT_CONVERGED with a message, or NOE_NO_LIBRARY. */
enum noe_status nlp_solve(const struct nlp *nlp, const struct nlp_settings *settings,
                          struct nlp_result *result, struct noe_error *error);

#endif
