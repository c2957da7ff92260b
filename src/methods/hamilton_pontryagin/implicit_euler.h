/* Implicit Euler method on products of groups and R^n. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_HAMILTON_PONTRYAGIN_IMPLICIT_EULER_H
#define METHODS_HAMILTON_PONTRYAGIN_IMPLICIT_EULER_H

#include "methods/hamilton_pontryagin/midpoint.h"

void implicit_euler_initial_guess(struct noe_interval *interval, noe_real *u);
void implicit_euler_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void implicit_euler_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                             noe_real *values);
void implicit_euler_update(struct noe_interval *interval, const noe_real *u);
extern const struct scheme implicit_euler_scheme;

#endif
