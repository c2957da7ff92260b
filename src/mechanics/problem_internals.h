/* The part of a problem that only the library uses. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_PROBLEM_INTERNALS_H
#define MECHANICS_PROBLEM_INTERNALS_H

#include "base/random_stream.h"
#include "mechanics/energy_equation.h"
#include "noether.h"

struct scheme;
struct kernel;
struct lie_product;
struct constraint_jacobian;
struct noe_plan;
struct noe_monitor;
struct event_scan;

/* A stepper that was compiled for one problem. The functions are NULL if there is none. */
struct problem_stepper {
    enum noe_status (*steps)(struct noe_work *work, long count);
    enum noe_status (*monitored)(struct noe_work *work, long count, struct noe_monitor *monitor);
    enum noe_status (*scan_events)(struct noe_work *work, long count, struct event_scan *scan);
    enum noe_status (*substep)(struct noe_work *part, const struct noe_work *work, real h,
                               real *values);
    real (*event_root)(struct noe_work *part, const struct noe_work *work, real before, real after);
    void *object;   /* the loaded shared object */
    bool is_cached; /* it was loaded from the cache */
};

struct problem_internals {
    const struct scheme *scheme; /* the equations of a step */
    const void *scheme_data;     /* data of the scheme: the maker of a tableau, or weights */
    const struct kernel *kernel; /* the kernel in use; NULL: Newton's method. May be cleared before
                                    a stepper is compiled */
    struct step_guard guard;     /* for methods that solve for the step size */
    bool is_least_squares;  /* constraints may be linearly dependent: multipliers of minimal norm */
    bool has_no_derivative; /* steps have no derivative in (q,p) for this system */
    bool restarts_every_step; /* roots are not smooth in time, so guesses are not extrapolated */
    int nu;                   /* number of unknowns of a step */
    size_t nscratch;          /* reals in the workspace of the method */
    int nnormals;            /* number of normal numbers per step; the first ones drive its noise */
    stream_normals *normals; /* source of the normal numbers; may be replaced before a run */
    void *coefficients;      /* coefficients of the method; freed with the problem */
    struct lie_product *lie_product; /* the coupling of the groups; NULL: R^n */
    struct constraint_jacobian
        *constraint_jacobian; /* pattern of the constraints; NULL: no constraints */
    struct noe_plan *plan;    /* solvers of the linear systems */
    struct problem_stepper stepper;
};

#endif
