/* Where a configuration lives: spaces with retractions, and what methods need of them. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_SPACE_H
#define NOETHER_SPACE_H

#include "noether_real.h"

/* Retractions by index, the first being the default; a space has the first few of them, or only
 * addition, and then it takes any index for that. */
#define NOE_RETRACTIONS "cay exp chord skew"

/* How a point moves with its tangent: the rate of g[point] has the term factor g[from] s[tangent],
 * where s is the left trivialised velocity. */
struct noe_frame {
    int point, tangent, from;
    double factor;
};

/* A space with retractions tau: points have `point` numbers, tangents `tangent`, each per unit of
 * the factor's size. Outputs of the first functions may be their inputs. */
struct noe_space {
    const char *name, *summary;
    int nretractions; /* 0: tau is addition */
    int point, tangent;
    int nframe;
    const struct noe_frame *frame; /* NULL where tau is addition */
    /* g = the point that is the identity (on R^n: zero). */
    void (*identity)(int size, noe_real *g);
    /* g1 = g0 tau(x). */
    void (*retract)(int size, int tau, noe_real *g1, const noe_real *g0, const noe_real *x);
    /* g1 = g0 tau(x), with the round-off of additions kept in the carries (tangent sized, in a form
     * of the space's own; zero is none). */
    void (*advance)(int size, int tau, noe_real *g1, noe_real *carry1, const noe_real *g0,
                    const noe_real *carry0, const noe_real *x);
    /* x with g1 = g0 tau(x); NaN where there is none. */
    void (*difference)(int size, int tau, noe_real *x, const noe_real *g0, const noe_real *g1);

    /* What follows is NULL where tau is addition, and serves a factor of size 1. Matrices are
     * tangent x tangent, row by row. T is the left trivialised tangent of tau at x,
     * tau(x)^-1 D tau(x).y = T y; primes are derivatives in x. */
    void (*dtau)(int tau, noe_real *T, const noe_real *x);
    void (*dtau_inverse)(int tau, noe_real *T_inverse, const noe_real *x);
    /* (T y)', (T^T m)', and the same of the inverse. */
    void (*dtau_derivative)(int tau, noe_real *slope, const noe_real *x, const noe_real *y);
    void (*dtau_dual_derivative)(int tau, noe_real *slope, const noe_real *x, const noe_real *m);
    void (*dtau_inverse_derivative)(int tau, noe_real *slope, const noe_real *x, const noe_real *y);
    void (*dtau_inverse_dual_derivative)(int tau, noe_real *slope, const noe_real *x,
                                         const noe_real *m);
    /* (m.T y)''. */
    void (*dtau_hessian)(int tau, noe_real *hessian, const noe_real *x, const noe_real *y,
                         const noe_real *m);
    /* Ad of tau(x). */
    void (*adjoint)(int tau, noe_real *Ad, const noe_real *x);
    /* dm = Ad^T m - m, without cancellation. */
    void (*coadjoint_change)(int tau, noe_real *dm, const noe_real *x, const noe_real *m);
    /* B with B x = ad_x^T m: the Poisson matrix of the momenta. */
    void (*poisson)(noe_real *B, const noe_real *m);
    /* The largest angle in x over its limit, which the retraction needs below 1. */
    noe_real (*retraction_load)(int tau, const noe_real *x);
    /* How far g is from the space, and the nearest point of it for a g that is close. */
    noe_real (*defect)(const noe_real *g);
    void (*project)(noe_real *g);
};

#endif
