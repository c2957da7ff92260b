/* A mechanical system as the library sees it; all that a compiled model includes. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_MODEL_H
#define NOETHER_MODEL_H

#include "noether_real.h"

/* How a stepper's file keeps the functions of its model. */
#ifndef NOE_INLINE
#define NOE_INLINE static inline
#endif

/* What is known of a system beforehand; a method may use a fast path because of it. All of it is of
 * L and of stated forces: constraints, and the reactions that they add to w, are not meant. */
enum noe_trait {
    NOE_QUADRATIC = 1,       /* L_vv does not depend on v: the Legendre transform is affine */
    NOE_CONSTANT_MASS = 2,   /* L_vv is constant */
    NOE_SEPARABLE = 4,       /* L = v.Mv/2 - U(t,q) with M constant, and no force depends on v, nor
                                a reaction */
    NOE_AUTONOMOUS = 8,      /* neither L nor a force depends on time */
    NOE_UNFORCED = 16,       /* there are no forces besides L */
    NOE_DIAGONAL_MASS = 32,  /* L_vv is constant and diagonal */
    NOE_LEFT_INVARIANT = 64, /* neither L nor a force depends on the points of groups */
    NOE_BLOCK_MASS = 128,    /* with groups: L_vv is constant and couples nothing but
                                the directions of one group */
    NOE_REDUCED_SECTIONS = 256, /* neither crossings nor what they record depend on the point */
    NOE_DAMPED = 512,           /* as NOE_SEPARABLE, but forces depend on v, */
    NOE_LINEAR_FRICTION = 1024, /* and they do so linearly: w_v does not depend on v */
    NOE_STEADY_BATH = 2048,     /* with friction or noise: w_v and b depend on parameters alone */
    NOE_LINEAR = 4096           /* L_vv is zero: L = theta(t,q).v - H(t,q) */
};

/* What a recorded quantity is for: both kinds are recorded, an invariant's drift is reported. */
enum noe_quantity_kind { NOE_OBSERVE, NOE_INVARIANT };

struct noe_quantity {
    const char *name;
    enum noe_quantity_kind kind;
    int first, rows, cols; /* where its values stand in the output of `quantities`; row by row */
    /* Not 0: it follows from the derivatives of the steps, and `quantities` writes zeros. */
    enum noe_tangent { NOE_NO_TANGENT, NOE_LYAPUNOV, NOE_MEGNO } tangent;
    int exponent; /* of Lyapunov's the first one, from 1 on; one for each value */
};

/* Which changes of sign count: to both sides, or to one. */
enum noe_event_direction { NOE_EITHER_WAY, NOE_RISING, NOE_FALLING };

/* An equation in time, configuration and velocity; `crossings` gives left side minus right side,
 * which changes its sign where a run is to end, or where it crosses a section. */
struct noe_event {
    const char *text; /* as it was stated: "q - 1 = 0" */
    const char *name; /* of the section; NULL: the run ends there */
    enum noe_event_direction direction;
    int nrecords; /* expressions to record there, under their texts as names */
    const struct noe_quantity *record;
};

struct noe_space; /* a configuration space: noether_space.h */

/* A system is a product of factors; `size` is the dimension of a vector factor, else 1. */
struct noe_factor {
    const struct noe_space *space;
    int size;
};

/* How many points the callbacks for several points take. */
enum { NOE_WIDE = 8 };

/* A Lagrangian system with forces. With p = L_v and w = L_q + f the equations of motion are q' = v,
 * p' = w; on a group, where v, p, w and derivatives in q are left trivialised (along g exp(e s)),
 * they are g' = g v, p' = ad*_v p + w. Callbacks read `parameters` and `data`, nothing global. */
struct noe_system {
    const char *name;
    int n; /* degrees of freedom: length of v, p, w */
    int nfactors;
    const struct noe_factor *factors; /* NULL: R^n */
    unsigned traits;                  /* of enum noe_trait */
    int nz;               /* entries of the sparsity pattern shared by the four blocks */
    const int *row, *col; /* the pattern, row by row; NULL: dense, row-major, nz = n*n */
    const noe_real *parameters;
    const void *data;

    /* L(t,q,v). */
    noe_real (*lagrangian)(const struct noe_system *, noe_real t, const noe_real *q,
                           const noe_real *v);
    /* w. May be NULL: `first` serves. */
    void (*force)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                  noe_real *w);
    /* p and w. */
    void (*first)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                  noe_real *p, noe_real *w);
    /* p and the values of p_v on the pattern. May be NULL: `second` serves. */
    void (*momentum)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                     noe_real *p, noe_real *pv);
    /* p, w and d = p_v, p_q, w_v, w_q one after the other, each nz values on the pattern. The
     * caller hands over a d that is zero at first and that nobody else writes to: values that are
     * always zero need not be written. */
    void (*second)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                   noe_real *p, noe_real *w, noe_real *d);

    /* L_q, and behind it L_t: n + 1 numbers. May be NULL where nothing depends on time and there
     * are neither forces nor constraints: then w is L_q. */
    void (*gradient)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                     noe_real *gradient);

    /* Constraints: first `nholonomic` equations g(t,q) = 0, then `nnonholonomic` equations
     * phi(t,q,v) = 0; psi = 0 says the same of velocities, psi = g' = g_q v + g_t and psi = phi.
     * Where there are any, as many multipliers lambda stand behind the n velocities in v, and
     * every callback has w = L_q + f - g_q^T lambda + phi_v^T lambda, with its derivatives. */
    int nholonomic, nnonholonomic;
    int nzc;                /* entries of the sparsity pattern shared by psi_v and psi_q */
    const int *crow, *ccol; /* the pattern, row by row; NULL: dense, row-major */
    /* g and, behind it, psi. */
    void (*constraints)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                        noe_real *c);
    /* The same and, behind it, psi_t; and d = psi_v, psi_q, one after the other on the pattern,
     * handed over as in `second`. The derivatives of g are rows of psi_v. */
    void (*constraints_second)(const struct noe_system *, noe_real t, const noe_real *q,
                               const noe_real *v, noe_real *c, noe_real *d);

    /* Brownian motions B_j, j < nnoises, and how they kick the momenta: dp = .. + b dB, where
     * b(t,q) is n x nnoises, row by row; v is not read. As b does not depend on p, Stratonovich's
     * and Ito's integrals are the same. May be 0 and NULL. */
    int nnoises;
    void (*noise)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                  noe_real *b);

    /* What to record beside the state: `nvalues` numbers in all. May be 0 and NULL. */
    int nquantities, nvalues;
    const struct noe_quantity *quantity;
    void (*quantities)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                       noe_real *values);

    /* Where the run is to end and which sections it crosses: the equations that say so, and their
     * functions. May be 0 and NULL. */
    int nevents, nrecorded;
    const struct noe_event *crossing;
    void (*events)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                   noe_real *values);
    /* The rates of those that do not depend on velocities, and 0 for the others. May be NULL. */
    void (*event_rates)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                        noe_real *rates);
    /* What sections record: `nrecorded` numbers in all. May be 0 and NULL. */
    void (*records)(const struct noe_system *, noe_real t, const noe_real *q, const noe_real *v,
                    noe_real *values);

    /* w at NOE_WIDE points side by side: number k of point i stands at [k * NOE_WIDE + i] of arrays
     * that are aligned to 64 bytes; t holds NOE_WIDE times. May be NULL. */
    void (*force_simd)(const struct noe_system *, const noe_scalar *t, const noe_real *q,
                       const noe_real *v, noe_real *w);
    /* The same for p, w and the values of p_v, p_q, w_v on the pattern. May be NULL. */
    void (*stage_simd)(const struct noe_system *, const noe_scalar *t, const noe_real *q,
                       const noe_real *v, noe_real *p, noe_real *w, noe_real *d);
};

/* What the shared object of a compiled model exports, under the name `noe_model_code`. */
#define NOE_MODEL_ABI 8
struct noe_model_code {
    int abi, real_bytes; /* NOE_MODEL_ABI and sizeof(noe_real) of the compilation */
    int n, nz, nparameters, nprepared, nvalues, nevents, nrecorded;
    int nholonomic, nnonholonomic, nzc, nnoises;
    noe_real (*lagrangian)(const struct noe_system *, noe_real, const noe_real *, const noe_real *);
    void (*force)(const struct noe_system *, noe_real, const noe_real *, const noe_real *,
                  noe_real *);
    void (*first)(const struct noe_system *, noe_real, const noe_real *, const noe_real *,
                  noe_real *, noe_real *);
    void (*momentum)(const struct noe_system *, noe_real, const noe_real *, const noe_real *,
                     noe_real *, noe_real *);
    void (*second)(const struct noe_system *, noe_real, const noe_real *, const noe_real *,
                   noe_real *, noe_real *, noe_real *);
    void (*gradient)(const struct noe_system *, noe_real, const noe_real *, const noe_real *,
                     noe_real *);
    void (*quantities)(const struct noe_system *, noe_real, const noe_real *, const noe_real *,
                       noe_real *);
    void (*events)(const struct noe_system *, noe_real, const noe_real *, const noe_real *,
                   noe_real *);
    void (*event_rates)(const struct noe_system *, noe_real, const noe_real *, const noe_real *,
                        noe_real *);
    void (*records)(const struct noe_system *, noe_real, const noe_real *, const noe_real *,
                    noe_real *);
    void (*constraints)(const struct noe_system *, noe_real, const noe_real *, const noe_real *,
                        noe_real *);
    void (*constraints_second)(const struct noe_system *, noe_real, const noe_real *,
                               const noe_real *, noe_real *, noe_real *);
    void (*noise)(const struct noe_system *, noe_real, const noe_real *, const noe_real *,
                  noe_real *);
    /* The `nprepared` numbers that follow the parameters, which alone it reads. */
    void (*prepare)(const struct noe_system *, noe_real, const noe_real *, const noe_real *,
                    noe_real *);
};

#endif
