/* Verification of a system's derivatives by finite differences. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_VERIFY_DERIVATIVE_CHECK_H
#define STUDY_VERIFY_DERIVATIVE_CHECK_H

#include "base/real.h"
#include "noether.h"

/* Largest relative errors found so far. Initialise with zeros. */
struct derivative_check {
    real gradient_error;   /* p, and L_q if provided, against finite differences of L */
    real hessian_error;    /* derivatives of p and w against finite differences of p and w */
    real constraint_error; /* constraints against finite differences, and psi against g */
    int coordinates;       /* number of coordinates whose derivatives were compared at a point */
};

/* Compares at one point. Of a large system it takes a sample of the coordinates, because each costs
 * several evaluations of all functions. A value that is not finite makes the error NaN. */
enum noe_status derivative_check(struct derivative_check *differences,
                                 const struct noe_system *system, real t, const real *q,
                                 const real *v, struct noe_error *error);

#endif
