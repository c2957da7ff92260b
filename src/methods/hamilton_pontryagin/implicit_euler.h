/* Implicit Euler on products of groups and R^n: hooks. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_BACKWARD_H
#define METHODS_BACKWARD_H

#include "methods/hamilton_pontryagin/midpoint.h"

void backward_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void backward_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                       noe_real *values);
void backward_finish(struct noe_interval *interval, const noe_real *u);
void backward_vary(struct noe_interval *interval, const noe_real *dz, noe_real *r);
void backward_vary_finish(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                          noe_real *dz1);
char *backward_describe(const struct noe_problem *problem);
enum noe_status backward_prepare(struct noe_problem *problem, struct noe_error *error);

#define BACKWARD_HOOKS                                                                             \
    .prepare = backward_prepare, .pattern = middle_pattern, .guess = middle_guess,                 \
    .residual = backward_residual, .jacobian = backward_jacobian, .finish = backward_finish,       \
    .vary = backward_vary, .vary_finish = backward_vary_finish, .describe = backward_describe

#endif
