/* A system's derivatives held against differences of what they are derivatives of. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_DIFFERENCES_H
#define STUDY_DIFFERENCES_H

#include "base/real.h"
#include "noether.h"

/* Largest relative errors found so far: start from zeros. */
struct differences {
    real gradient_error;   /* p, and L_q where the system states it, against differences of L */
    real hessian_error;    /* derivatives of p and w against differences of them */
    real constraint_error; /* the same for constraints, and psi against g */
};

/* Compares at one point; a value that is not finite makes the error NaN. */
enum noe_status differences_check(struct differences *differences, const struct noe_system *system,
                                  real t, const real *q, const real *v, struct noe_error *error);

#endif
