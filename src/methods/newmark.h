/* Lie-Newmark and Lie-Verlet methods: hooks and kernels. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_NEWMARK_H
#define METHODS_NEWMARK_H

#include "methods/reduced.h"

/* tln, or mln? */
STEP_INLINE bool newmark_is_trapezoidal(const struct noe_interval *interval) {
    return *(const int *)interval_problem(interval)->coefficients;
}

void newmark_guess(struct noe_interval *interval, noe_real *u);
void newmark_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void newmark_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                      noe_real *values);
void newmark_finish(struct noe_interval *interval, const noe_real *u);
void newmark_vary(struct noe_interval *interval, const noe_real *dz, noe_real *r);
void newmark_vary_finish(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                         noe_real *dz1);
void newmark_lv_vary(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                     noe_real *dz1);
noe_outcome newmark_kernel(struct noe_interval *interval, long count);
noe_outcome newmark_lv(struct noe_interval *interval, long count);
noe_outcome newmark_flv(struct noe_interval *interval, long count);

#endif
