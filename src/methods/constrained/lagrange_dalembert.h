/* The discrete Lagrange-d'Alembert principle: functions, and view of an interval. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_CONSTRAINED_LAGRANGE_DALEMBERT_H
#define METHODS_CONSTRAINED_LAGRANGE_DALEMBERT_H

#include "base/scratch.h"
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

/* Layout of the scratch: the view without the data of an interval. */
SCRATCH_INLINE struct dalembert_view dalembert_layout(struct scratch *scratch,
                                                      const struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    struct dalembert_view at = {.system = system,
                                .constraint_jacobian = problem->internals->constraint_jacobian,
                                .n = system->n,
                                .m = constraint_count(system),
                                .nz = (size_t)system->nz};
    const size_t n = (size_t)at.n, m = (size_t)at.m;
    at.q1 = scratch_reals(scratch, n);
    at.q2 = scratch_reals(scratch, n);
    at.middle = scratch_reals(scratch, n);
    at.change = scratch_reals(scratch, n);
    at.v = scratch_reals(scratch, n + m);
    at.P = scratch_reals(scratch, DALEMBERT_POINTS * n);
    at.W = scratch_reals(scratch, DALEMBERT_POINTS * n);
    at.D = scratch_reals(scratch, DALEMBERT_POINTS * 4 * at.nz);
    at.c = scratch_reals(scratch, 3 * m);
    for (int i = 0; i < 5; i++) at.d[i] = scratch_reals(scratch, 2 * (size_t)system->nzc);
    return at;
}

REAL_INLINE struct dalembert_view dalembert_view(const struct noe_interval *interval) {
    struct scratch scratch = scratch_carve(interval->scratch);
    struct dalembert_view at = dalembert_layout(&scratch, interval_problem(interval));
    at.self = interval->problem->system;
    at.h = interval->h;
    return at;
}

#endif
