/* A system's derivatives held against differences of what they are derivatives of. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_VERIFY_DERIVATIVE_CHECK_H
#define STUDY_VERIFY_DERIVATIVE_CHECK_H

#include "base/real.h"
#include "noether.h"

/* Largest relative errors found so far: start from zeros. */
struct derivative_check {
    real gradient_error;   /* p, and L_q where the system states it, against differences of L */
    real hessian_error;    /* derivatives of p and w against differences of them */
    real constraint_error; /* the same for constraints, and psi against g */
};

/* Compares at one point; a value that is not finite makes the error NaN. */
enum noe_status derivative_check(struct derivative_check *differences,
                                 const struct noe_system *system, real t, const real *q,
                                 const real *v, struct noe_error *error);

#endif
