/* Implicit Euler on products of groups and R^n: hooks. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_HAMILTON_PONTRYAGIN_IMPLICIT_EULER_H
#define METHODS_HAMILTON_PONTRYAGIN_IMPLICIT_EULER_H

#include "methods/hamilton_pontryagin/midpoint.h"

void implicit_euler_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void implicit_euler_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                             noe_real *values);
void implicit_euler_update(struct noe_interval *interval, const noe_real *u);
void implicit_euler_residual_tangent(struct noe_interval *interval, const noe_real *dz,
                                     noe_real *r);
void implicit_euler_update_tangent(struct noe_interval *interval, const noe_real *dz,
                                   const noe_real *du, noe_real *dz1);
char *implicit_euler_source(const struct noe_problem *problem);
enum noe_status implicit_euler_setup(struct noe_problem *problem, struct noe_error *error);

#define IMPLICIT_EULER_HOOKS                                                                       \
    .setup = implicit_euler_setup, .sparsity = midpoint_sparsity,                                  \
    .initial_guess = midpoint_initial_guess, .residual = implicit_euler_residual,                  \
    .jacobian = implicit_euler_jacobian, .update = implicit_euler_update,                          \
    .residual_tangent = implicit_euler_residual_tangent,                                           \
    .update_tangent = implicit_euler_update_tangent, .source = implicit_euler_source

#endif
