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
    space->difference(1, tau, next + 12, g, next);
    space->advance(1, tau, next + 18, next + 30, g, carry, x);
    space->coadjoint_change(tau, next + 36, x, m);
    next[42] = space->retraction_load(tau, x);
    next[43] = space->defect(g);
    for (int i = space->point; i < 12; i++) next[i] = next[18 + i] = real_broadcast(0);
    for (int i = space->tangent; i < 6; i++)
        next[12 + i] = next[30 + i] = next[36 + i] = real_broadcast(0);
    next += 44;
    space->dtau(tau, next, x);
    space->dtau_inverse(tau, next += square, x);
    space->dtau_derivative(tau, next += square, x, y);
    space->dtau_dual_derivative(tau, next += square, x, m);
    space->dtau_inverse_derivative(tau, next += square, x, y);
    space->dtau_inverse_dual_derivative(tau, next += square, x, m);
    space->dtau_hessian(tau, next += square, x, y, m);
    space->adjoint(tau, next += square, x);
    space->poisson(next += square, m);
    next += square;
    space->project(g);
    for (int i = 0; i < space->point; i++) *next++ = g[i];
    return (int)(next - result);
}

#endif
