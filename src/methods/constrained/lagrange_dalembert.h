/* The discrete Lagrange-d'Alembert principle: functions, and view of an interval. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_CONSTRAINED_LAGRANGE_DALEMBERT_H
#define METHODS_CONSTRAINED_LAGRANGE_DALEMBERT_H

#include "mechanics/constraint_jacobian.h"
#include "methods/method.h"

void dalembert_initial_guess(struct noe_interval *interval, noe_real *u);
void dalembert_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void dalembert_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                        noe_real *values);
void dalembert_update(struct noe_interval *interval, const noe_real *u);

enum { DALEMBERT_A, DALEMBERT_B, DALEMBERT_C, DALEMBERT_D, DALEMBERT_POINTS };

struct dalembert_view {
    const struct noe_system *system, *self;
    const struct constraint_jacobian *constraint_jacobian;
    int n, m;
    size_t nz;
    real h;
    real *q1, *q2, *middle; /* nodes, and a midpoint */
    real *v;                /* a velocity, followed by multipliers */
    real *P, *W, *D;        /* values at the four points, one after the other */
    real *c, *d[5];         /* psi, and derivatives at A, B, C and the two midpoints */
    real *change;
};

static inline size_t dalembert_scratch(const struct noe_system *system) {
    const size_t n = (size_t)system->n, m = (size_t)constraint_count(system);
    return 5 * n + m + DALEMBERT_POINTS * (2 * n + 4 * (size_t)system->nz) + 3 * m +
           10 * (size_t)system->nzc;
}

REAL_INLINE struct dalembert_view dalembert_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    const struct noe_system *system = problem->system;
    struct dalembert_view at = {.system = system,
                                .self = interval->problem->system,
                                .constraint_jacobian = problem->constraint_jacobian,
                                .n = system->n,
                                .m = constraint_count(system),
                                .nz = (size_t)system->nz,
                                .h = interval->h};
    at.q1 = interval->scratch;
    at.q2 = at.q1 + at.n;
    at.middle = at.q2 + at.n;
    at.change = at.middle + at.n;
    at.v = at.change + at.n;
    at.P = at.v + at.n + at.m;
    at.W = at.P + DALEMBERT_POINTS * at.n;
    at.D = at.W + DALEMBERT_POINTS * at.n;
    at.c = at.D + DALEMBERT_POINTS * 4 * at.nz;
    for (int i = 0; i < 5; i++) at.d[i] = at.c + 3 * at.m + 2 * i * system->nzc;
    return at;
}

#endif
