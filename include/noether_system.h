/* A mechanical system: its number type, its configuration space and its callbacks. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_SYSTEM_H
#define NOETHER_SYSTEM_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Number: double, or quadruple precision if NOE_QUAD is defined. */

#ifdef NOE_QUAD
typedef __float128 noe_scalar;
#else
typedef double noe_scalar;
#endif

/* In a program, noe_real is noe_scalar. In steppers that the library compiles for SIMD lanes it is
 * a vector of NOE_LANES numbers, one for each run. */
#if defined NOE_LANES && NOE_LANES > 1
typedef noe_scalar noe_real __attribute__((vector_size(NOE_LANES * sizeof(noe_scalar))));
#else
typedef noe_scalar noe_real;
#endif

/* --- Space: a manifold with retractions. */

/* Retractions by index; the first is the default. On R^n, where tau is addition, the index is
 * ignored. */
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

/* The largest group: components of a tangent vector and of a point. */
enum { NOE_TANGENT_MAX = 6, NOE_POINT_MAX = 16 };

/* One term of g' = g s, where s is the left trivialised velocity: the rate of component `point` of
 * g contains factor g[from] s[tangent]. */
struct noe_frame {
    int point, tangent, from;
    double factor;
};

/* The maps of a Lie group with retractions tau; all are NULL if tau is addition. Matrices are
 * tangent x tangent, row by row. T is the left trivialised tangent of tau at x,
 * tau(x)^-1 D tau(x).y = T y; primes are derivatives in x. */
struct noe_group_maps {
    void (*dtau)(int tau, noe_real *T, const noe_real *x);
    void (*dtau_inverse)(int tau, noe_real *T_inverse, const noe_real *x);
    /* (T y)' and (T^T m)', then both for the inverse of T. */
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
    /* The largest angle in x over its limit; the retraction is defined below 1. */
    noe_real (*retraction_load)(int tau, const noe_real *x);
    /* The distance of g from the space, and the nearest point of the space for a g close to it. */
    noe_real (*defect)(const noe_real *g);
    void (*project)(noe_real *g);
    /* For the retraction that moves the position with the rotation at the start of a step: T_R^T m
     * with T_R = Ad_tau(x) T and, unless `slope` is NULL, (T_R^T m)'. NULL if a point has no
     * position. */
    void (*shift_dual)(noe_real *y, noe_real *slope, const noe_real *x, const noe_real *m);
};

/* Structure that methods may exploit. */
struct noe_space_kind {
    enum noe_algebra algebra;
    bool has_adjoint_cay; /* Ad_cay(x) = (1 - ad_x/2)^-1 (1 + ad_x/2) */
    bool is_rotation;     /* a point is a rotation matrix of three-space, row by row */
};

/* A space with retractions tau: points have `point` numbers, tangents `tangent`, each per unit of
 * the factor's size. Outputs of the four functions below may alias their inputs. The maps serve a
 * factor of size 1. */
struct noe_space {
    const char *name, *summary;
    const char *plural; /* its points in a message: "rotations" */
    /* The name in the statement `group` of a model file, where a point is a square matrix, row by
     * row; NULL: none. */
    const char *group;
    unsigned retractions; /* bits of enum noe_retractions; 0: tau is addition */
    struct noe_space_kind kind;
    int point, tangent;
    int nframe;
    const struct noe_frame *frame; /* NULL if tau is addition */
    /* g = the point that is the identity (on R^n: zero). */
    void (*identity)(int size, noe_real *g);
    /* g1 = g0 tau(x). */
    void (*retract)(int size, int tau, noe_real *g1, const noe_real *g0, const noe_real *x);
    /* g1 = g0 tau(x), with the round-off of additions kept in the carries (tangent sized, in a form
     * of the space's own; zero is none). */
    void (*advance)(int size, int tau, noe_real *g1, noe_real *carry1, const noe_real *g0,
                    const noe_real *carry0, const noe_real *x);
    /* x with g1 = g0 tau(x); NaN if there is none. */
    void (*difference)(int size, int tau, noe_real *x, const noe_real *g0, const noe_real *g1);
    struct noe_group_maps maps;
};

/* A system lives on a product of factors; `size` is the dimension of a vector factor, else 1. */
struct noe_factor {
    const struct noe_space *space;
    int size;
};

/* --- System: a Lagrangian with forces, constraints and noise. */

/* Properties of a system that allow a method to use a fast path. They concern L and the stated
 * forces, not constraints and the reactions that these add to w. */
enum noe_trait {
    NOE_QUADRATIC = 1,          /* L_vv does not depend on v: the Legendre transform is affine */
    NOE_CONSTANT_MASS = 2,      /* L_vv is constant */
    NOE_SEPARABLE = 4,          /* L = v.Mv/2 - U(t,q) with M constant; no force depends on v */
    NOE_AUTONOMOUS = 8,         /* neither L nor a force depends on time */
    NOE_UNFORCED = 16,          /* there are no forces besides L */
    NOE_DIAGONAL_MASS = 32,     /* L_vv is constant and diagonal */
    NOE_LEFT_INVARIANT = 64,    /* neither L nor a force depends on group elements */
    NOE_BLOCK_MASS = 128,       /* with groups: L_vv is constant and couples only the directions of
                                   one group */
    NOE_REDUCED_SECTIONS = 256, /* neither events nor their records depend on the point */
    NOE_DAMPED = 512,           /* as NOE_SEPARABLE, but forces depend on v */
    NOE_LINEAR_FRICTION = 1024, /* forces are linear in v: w_v does not depend on v */
    NOE_STEADY_BATH = 2048,     /* with friction or noise: w_v and b depend on parameters alone */
    NOE_LINEAR = 4096           /* L_vv is zero: L = theta(t,q).v - H(t,q) */
};

/* The purpose of a quantity: both kinds are recorded, and the drift of an invariant is reported. */
enum noe_quantity_kind { NOE_OBSERVE, NOE_INVARIANT };

/* Quantities of the tangent map of the steps; `quantities` writes zeros in their place. */
enum noe_tangent { NOE_NO_TANGENT, NOE_LYAPUNOV, NOE_MEGNO };

struct noe_quantity {
    const char *name;
    enum noe_quantity_kind kind;
    int first, rows, cols; /* its values in the output of `quantities`, row-major */
    enum noe_tangent tangent;
    int exponent; /* index of the first Lyapunov exponent, from 1; one exponent per value */
};

/* The sign changes that count. */
enum noe_event_direction { NOE_EITHER_WAY, NOE_RISING, NOE_FALLING };

/* An equation in time, configuration and velocity. The callback `events` gives left side minus
 * right side; a change of its sign ends the run or is a crossing of a section. */
struct noe_event {
    const char *text; /* as stated: "q - 1 = 0" */
    const char *name; /* name of the section; NULL: the event ends the run */
    enum noe_event_direction direction;
    int nrecords; /* expressions to record at the crossing, named by their texts */
    const struct noe_quantity *record;
};

/* The number of points that the SIMD callbacks evaluate. */
enum { NOE_WIDE = 8 };

/* A Lagrangian system with forces. With p = L_v and w = L_q + f the equations of motion are q' = v,
 * p' = w. On a group v, p, w and derivatives in q are left trivialised (along g exp(e s)), and the
 * equations are g' = g v, p' = ad*_v p + w. Callbacks read `parameters` and `data` of the system
 * they receive, nothing global. Members that are not used may be 0 and NULL. */
struct noe_system {
    const char *name;
    int n; /* degrees of freedom: length of v, p, w */
    int nfactors;
    const struct noe_factor *factors; /* NULL: R^n */
    unsigned traits;                  /* bits of enum noe_trait */
    int nz;               /* entries of the sparsity pattern shared by the four blocks */
    const int *row, *col; /* the pattern, row by row; NULL: dense, row-major, nz = n*n */
    const void *data;

    /* Parameters: `nparameters` numbers and, behind them, the `nprepared` numbers that `prepare`
     * computes from them. `nparameters` may be 0 for a system whose callbacks read parameters that
     * noe_work_set_parameter need not reach. */
    int nparameters, nprepared;
    const noe_real *parameters;
    const char *const *parameter; /* names; an element of a vector is "k[1]" */
    void (*prepare)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                    noe_real *prepared);

    /* L(t,q,v). */
    noe_real (*lagrangian)(const struct noe_system *, noe_real t, const noe_real *q,
                           const noe_real *v);
    /* w. NULL: `first` serves. */
    void (*force)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                  noe_real *w);
    /* p and w. */
    void (*first)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                  noe_real *p, noe_real *w);
    /* p and the values of p_v on the pattern. NULL: `second` serves. */
    void (*momentum)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                     noe_real *p, noe_real *pv);
    /* p, w and d = p_v, p_q, w_v, w_q one after the other, each nz values on the pattern. The
     * caller passes a d that was zero before the first call and that only this callback writes, so
     * entries that are always zero need not be written. */
    void (*second)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                   noe_real *p, noe_real *w, noe_real *d);

    /* L_q and, behind it, L_t: n + 1 numbers. May be NULL if nothing depends on time and there are
     * neither forces nor constraints, because then w is L_q. */
    void (*gradient)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                     noe_real *gradient);

    /* Constraints: `nholonomic` equations g(t,q) = 0, then `nnonholonomic` equations
     * phi(t,q,v) = 0. On velocities they are psi = 0, with psi = g' = g_q v + g_t and psi = phi.
     * The multipliers lambda stand behind the n velocities in v, and every callback has
     * w = L_q + f - g_q^T lambda + phi_v^T lambda, with its derivatives. */
    int nholonomic, nnonholonomic;
    int nzc;                /* entries of the sparsity pattern shared by psi_v and psi_q */
    const int *crow, *ccol; /* the pattern, row by row; NULL: dense, row-major */
    /* g and, behind it, psi. */
    void (*constraints)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                        noe_real *c);
    /* g, psi and psi_t; and d = psi_v, psi_q, one after the other on the pattern, passed as in
     * `second`. The derivatives of g are rows of psi_v. */
    void (*constraints_second)(const struct noe_system *, noe_real t, const noe_real *q,
                               const noe_real *v, noe_real *c, noe_real *d);

    /* Brownian motions B_j, j < nnoises, that act on the momenta: dp = .. + b dB. b(t,q) is
     * n x nnoises, row-major; v is not read. b does not depend on p, so the Stratonovich and Ito
     * integrals are equal. */
    int nnoises;
    void (*noise)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                  noe_real *b);

    /* Quantities to record beside the state: `nvalues` numbers in all. */
    int nquantities, nvalues;
    const struct noe_quantity *quantity;
    void (*quantities)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                       noe_real *values);

    /* Events: their equations and their functions, `nevents` numbers. */
    int nevents, nrecorded;
    const struct noe_event *crossing;
    void (*events)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                   noe_real *values);
    /* The time derivatives of event functions that do not depend on velocities, and 0 for the
     * others. May be NULL. */
    void (*event_rates)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                        noe_real *rates);
    /* The records of all sections: `nrecorded` numbers. */
    void (*records)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                    noe_real *values);

    /* w at NOE_WIDE points: component k of point i stands at [k * NOE_WIDE + i] of arrays that are
     * aligned to 64 bytes; t holds NOE_WIDE times. May be NULL. */
    void (*force_simd)(const struct noe_system *, const noe_scalar *t, const noe_real *q,
                       const noe_real *v, noe_real *w);
    /* p, w and the values of p_v, p_q, w_v on the pattern, at NOE_WIDE points. May be NULL. */
    void (*stage_simd)(const struct noe_system *, const noe_scalar *t, const noe_real *q,
                       const noe_real *v, noe_real *p, noe_real *w, noe_real *d);
};

#ifdef __cplusplus
}
#endif

#endif
