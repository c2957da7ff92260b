/* Lie-Newmark and Lie-Verlet methods: hooks and kernels. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_NEWMARK_H
#define METHODS_NEWMARK_H

#include "methods/reduced.h"

void newmark_guess(struct noe_interval *interval, noe_real *u);
void newmark_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void newmark_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                      noe_real *values);
void newmark_finish(struct noe_interval *interval, const noe_real *u);
noe_outcome newmark_kernel(struct noe_interval *interval, long count);
noe_outcome newmark_lv(struct noe_interval *interval, long count);
noe_outcome newmark_flv(struct noe_interval *interval, long count);

#endif
