/* The inverse Legendre transform: the velocity that has a given momentum. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_LEGENDRE_H
#define MECHANICS_LEGENDRE_H

#include "base/lane_status.h"
#include "linalg/linear_system.h"
#include "mechanics/constraint.h"

struct legendre {
    const struct noe_system *system;
    struct linear mass; /* L_vv, factorised once if it is constant */
    bool is_diagonal;   /* L_vv is constant and diagonal; `inverse` holds 1/L_vv */
    bool is_uniform;    /* all diagonal entries are equal */
    mask is_singular;   /* L_vv is constant and singular: there is no inverse transform */
    real *inverse;
    real *p, *w, *blocks; /* workspace of an evaluation; blocks begin with L_vv */
    real *d;              /* right-hand side and correction */
};

/* The system, as a compile-time constant in a specialised stepper. */
#ifdef NOE_SPECIALISED
static const struct noe_system specialised_system;
#define legendre_system(legendre)      (&specialised_system)
#define legendre_is_diagonal(legendre) (specialised_system.traits & NOE_DIAGONAL_MASS)
#else
#define legendre_is_diagonal(legendre) ((legendre)->is_diagonal)
#define legendre_system(legendre)      ((legendre)->system)
#endif

/* d <- L_vv^-1 d with a constant regular mass matrix. */
static inline void legendre_solve(const struct legendre *l, real *d) {
    if (!legendre_is_diagonal(l)) {
        linear_solve(&l->mass, legendre_system(l)->n, d);
        return;
    }
    for (int i = 0; i < legendre_system(l)->n; i++) d[i] *= l->inverse[i];
}

/* Measures or carves the memory, like linear_layout. */
void legendre_layout(struct legendre *legendre, struct arena *arena,
                     const struct noe_system *system, const struct linear_plan *plan);
/* Takes the sparsity pattern. legendre_prepare then factorises a constant mass matrix. `point` is
 * any point of the space. */
enum noe_status legendre_init(struct legendre *legendre);
void legendre_prepare(struct legendre *legendre, const real *point);
void legendre_clear(struct legendre *legendre);
/* L_v and L_vv at (t,q,v), into `p` and the first block. */
void legendre_evaluate(struct legendre *legendre, real t, const real *q, const real *v);
/* Solves L_v(t,q,v) = p for v. An iteration, if one is needed, starts from v. On failure v is
 * unchanged. */
noe_lane_status legendre_velocity(struct legendre *legendre, real t, const real *q, const real *p,
                                  real *v);
/* The velocity that the equations of motion give for an L that is linear in v. An iteration starts
 * from v. On failure v is unchanged. */
noe_lane_status legendre_first_order(struct legendre *legendre, real t, const real *q, real *v);

#endif
