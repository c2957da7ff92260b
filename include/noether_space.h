/* Configuration spaces: R^n and Lie groups with retractions. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_SPACE_H
#define NOETHER_SPACE_H

#include <stdbool.h>

#include "noether_real.h"

/* Retractions by index; the first is the default. R^n takes any index and adds. */
#define NOE_RETRACTIONS "cay exp chord skew"

/* The retractions of a space, one bit each, in the order of NOE_RETRACTIONS. `cay` is the Cayley
 * map; a space that has it is a quadratic group. */
enum noe_retractions {
    NOE_HAS_CAY = 1 << 0,
    NOE_HAS_EXP = 1 << 1,
    NOE_HAS_CHORD = 1 << 2,
    NOE_HAS_SKEW = 1 << 3,
};

/* Lie algebras for which methods have formulas of their own. Every other group is served by the
 * functions of its space alone. */
enum noe_algebra { NOE_ALGEBRA_OTHER, NOE_ALGEBRA_SO3, NOE_ALGEBRA_SE3 };

/* The largest group: numbers in a tangent and in a point. */
enum { NOE_TANGENT_MAX = 6, NOE_POINT_MAX = 16 };

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
    const char *plural; /* its points in a message: "rotations" */
    /* The name in the statement `group` of a model file, where a point is a square matrix, row by
     * row; NULL: none. */
    const char *group;
    unsigned retractions; /* of enum noe_retractions; 0: tau is addition */
    enum noe_algebra algebra;
    bool has_adjoint_cay; /* Ad_cay(x) = (1 - ad_x/2)^-1 (1 + ad_x/2) */
    bool is_rotation;     /* a point is a rotation matrix of three-space, row by row */
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

    /* The functions below are NULL where tau is addition, and serve a factor of size 1. Matrices
     * are tangent x tangent, row by row. T is the left trivialised tangent of tau at x, tau(x)^-1 D
     * tau(x).y = T y; primes are derivatives in x. */
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
    /* The distance of g from the space, and the nearest point of the space for a g that is close.
     */
    noe_real (*defect)(const noe_real *g);
    void (*project)(noe_real *g);
    /* Of the retraction that moves the position with the rotation at the start of a step: T_R^T m,
     * with T_R = Ad_tau(x) T, and, unless `slope` is NULL, (T_R^T m)'. NULL where a point has no
     * position. */
    void (*shift_dual)(noe_real *y, noe_real *slope, const noe_real *x, const noe_real *m);
};

#endif
