/* The inverse Legendre transform. */
/* SPDX-License-Identifier: MIT */
#include "methods/legendre.h"

#include <string.h>

/* L_v and L_vv at (t,q,v), into p and the first block. */
void legendre_evaluate(struct legendre *l, real t, const real *q, const real *v) {
    const struct noe_system *s = legendre_system(l);
    if (s->momentum)
        s->momentum(l->system, t, q, v, l->p, l->blocks);
    else
        s->second(l->system, t, q, v, l->p, l->w, l->blocks);
}

/* d <- L_vv^-1 d with the constant mass matrix. */
static void solve_constant(const struct legendre *l, real *d) {
    if (!legendre_is_diagonal(l)) {
        linear_solve(&l->mass, d);
        return;
    }
    for (int i = 0; i < legendre_system(l)->n; i++) d[i] *= l->inverse[i];
}

/* One Newton correction d of L_v(t,q,v) = p, for the v that was evaluated last. */
static enum noe_status correction(struct legendre *l, const real *p) {
    const int n = legendre_system(l)->n;
    for (int i = 0; i < n; i++) l->d[i] = p[i] - l->p[i];
    if (legendre_system(l)->traits & NOE_CONSTANT_MASS) {
        solve_constant(l, l->d);
        return NOE_OK;
    }
    if (!linear_factor(&l->mass, l->blocks)) return NOE_SINGULAR;
    linear_solve(&l->mass, l->d);
    return NOE_OK;
}

/* L is not quadratic in v: Newton's method until the corrections stop shrinking. */
static enum noe_status iterate(struct legendre *l, real t, const real *q, const real *p, real *v) {
    enum { ITERATIONS_MAX = 60 };
    const int n = legendre_system(l)->n;
    real *x = l->inverse; /* free: the mass matrix is not constant */
    real last = HUGE_VAL;
    memcpy(x, v, (size_t)n * sizeof *x);
    for (int k = 0; k < ITERATIONS_MAX; k++) {
        legendre_evaluate(l, t, q, x);
        const enum noe_status status = correction(l, p);
        if (status != NOE_OK) return status;
        for (int i = 0; i < n; i++) x[i] += l->d[i];
        const real size = real_norm((size_t)n, l->d), scale = real_norm((size_t)n, x);
        if (!real_is_finite(size)) return NOE_NOT_FINITE;
        if (size <= 4 * NOE_EPSILON * scale || (size >= last && size <= 1e-8 * scale)) {
            memcpy(v, x, (size_t)n * sizeof *x);
            return NOE_OK;
        }
        last = size;
    }
    return NOE_NOT_CONVERGED;
}

enum noe_status legendre_velocity(struct legendre *l, real t, const real *q, const real *p,
                                  real *v) {
    const int n = legendre_system(l)->n;
    const unsigned traits = legendre_system(l)->traits;
    if (l->is_singular) return NOE_SINGULAR;
    if (traits & NOE_SEPARABLE) { /* L_v = M v */
        memcpy(v, p, (size_t)n * sizeof *v);
        solve_constant(l, v);
        return NOE_OK;
    }
    if (!(traits & NOE_QUADRATIC)) return iterate(l, t, q, p, v);
    memset(l->w, 0, (size_t)n * sizeof *l->w); /* L_v is affine: one correction of v = 0 is exact */
    legendre_evaluate(l, t, q, l->w);
    const enum noe_status status = correction(l, p);
    if (status == NOE_OK) memcpy(v, l->d, (size_t)n * sizeof *v);
    return status;
}
