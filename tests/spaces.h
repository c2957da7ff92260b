/* Identities of every space and retraction, for the tests in every precision. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SPACES_H
#define TESTS_SPACES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/real.h"
#include "noether.h"

enum { SPACE_POINT_MAX = 16, SPACE_TANGENT_MAX = 8, SPACE_MATRIX_MAX = 64 };

/* A retraction of a space. */
struct retraction {
    const struct noe_space *space;
    int tau;
    char name[32]; /* "so3 cay" */
};

/* Sample vectors for the identities: a step x and others. */
struct sample {
    real angle; /* |rotation part of x| */
    real x[SPACE_TANGENT_MAX], y[SPACE_TANGENT_MAX], z[SPACE_TANGENT_MAX], m[SPACE_TANGENT_MAX];
};

/* Calls `visit` for every retraction except addition, with samples from zero to near the limit
 * of its domain. */
void for_each_retraction(void (*visit)(const struct retraction *, const struct sample *));

/* Fails the test if |x - y| exceeds `tolerance` times the largest of 1, |x|, |y|. */
void check_close(const struct retraction *r, const struct sample *s, const char *what, int n,
                 const real *x, const real *y, real tolerance);

/* A function of a tangent, with n results. */
typedef void sample_function(const struct retraction *, const struct sample *, real *result);
/* d = derivative of f in s->x in the direction y, by central finite differences of sixth order. */
void difference_along(const struct retraction *r, const struct sample *s, sample_function *f,
                      const real *y, int n, real *d);

/* Products with n x n matrices, n = tangent. */
void matrix_apply(int n, real *y, const real *A, const real *x);
void matrix_apply_transposed(int n, real *y, const real *A, const real *x);
/* [x, y], from the Poisson matrix. */
void bracket(const struct noe_space *space, real *z, const real *x, const real *y);

/* Checks for for_each_retraction: derivatives against finite differences, and the identities of
 * every group. */
void check_tangent(const struct retraction *r, const struct sample *s);
void check_inverse(const struct retraction *r, const struct sample *s);
void check_slopes(const struct retraction *r, const struct sample *s);
void check_hessian(const struct retraction *r, const struct sample *s);
void check_group(const struct retraction *r, const struct sample *s);
void check_adjoint(const struct retraction *r, const struct sample *s);
void check_maurer_cartan(const struct retraction *r, const struct sample *s);

#endif
