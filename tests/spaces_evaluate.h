/* Evaluates every function of a space, to compare SIMD lanes with scalars. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SPACES_EVALUATE_H
#define TESTS_SPACES_EVALUATE_H

#include <string.h>

#include "base/real.h"
#include "noether.h"

enum { EVALUATE_INPUT = 24, EVALUATE_MAX = 512 };

/* From x, y, m and carries, six components each; returns the number of results. */
static inline int evaluate_space(const struct noe_space *space, int tau, const real *input,
                                 real *result) {
    const real *x = input, *y = input + 6, *m = input + 12, *carry = input + 18;
    const int square = space->tangent * space->tangent;
    real g[16], *next = result;
    space->identity(1, g);
    space->retract(1, tau, g, g, y);
    space->retract(1, tau, next, g, x);
    space->difference(1, tau, next + space->point, g, next);
    next += space->point + space->tangent;
    space->advance(1, tau, next, next + space->point, g, carry, x);
    next += space->point + space->tangent;
    space->maps.coadjoint_change(tau, next, x, m);
    next += space->tangent;
    *next++ = space->maps.retraction_load(tau, x);
    *next++ = space->maps.defect(g);
    space->maps.dtau(tau, next, x);
    space->maps.dtau_inverse(tau, next += square, x);
    space->maps.dtau_derivative(tau, next += square, x, y);
    space->maps.dtau_dual_derivative(tau, next += square, x, m);
    space->maps.dtau_inverse_derivative(tau, next += square, x, y);
    space->maps.dtau_inverse_dual_derivative(tau, next += square, x, m);
    space->maps.dtau_hessian(tau, next += square, x, y, m);
    space->maps.adjoint(tau, next += square, x);
    space->maps.poisson(next += square, m);
    next += square;
    space->maps.project(g);
    for (int i = 0; i < space->point; i++) *next++ = g[i];
    return (int)(next - result);
}

#endif
