/* The internal side of a method: the equations of its steps, and kernels. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_METHOD_H
#define METHODS_METHOD_H

#include <stdio.h>

#include "base/lane_status.h"
#include "mechanics/problem_internals.h"

/* Fixed-point iteration: a map that contracts to the root of the residual. The map stores its
 * iterate in the scratch of the interval. */
struct noe_fixed_point {
    /* Takes the first iterate: from the stages of the previous step if the interval has them, else
     * from u. */
    void (*begin)(struct noe_interval *, const noe_real *u);
    /* Applies the map. Returns the size of the change relative to the unknowns; not finite if the
     * map is not defined. An accurate pass uses all digits of the coefficients. */
    noe_real (*pass)(struct noe_interval *, bool is_accurate);
    /* Sets the weights of the changes by the current unknowns. */
    void (*weigh)(struct noe_interval *);
    /* Writes the unknowns; `update` may follow. */
    void (*end)(struct noe_interval *, noe_real *u);
    /* After `update`: takes the stages of a step that Newton's method solved. */
    void (*keep)(struct noe_interval *, const noe_real *u);
};

/* A fast path to the root of the residual: it takes whole steps, or it is a fixed-point iteration
 * instead of Newton's method. The first kernel of a scheme that supports the problem is used. */
struct kernel {
    const char *name;                           /* name after --kernel */
    const char *source;                         /* the files that define it, separated by spaces */
    bool (*serves)(const struct noe_problem *); /* NULL: always */
    size_t (*scratch)(const struct noe_problem *);  /* reals it needs; NULL: those of the scheme */
    int (*lane_groups)(const struct noe_problem *); /* batches stepped at once; NULL: 1 */
    /* Takes at least one and at most `count` steps and sets `taken`. If one of several steps fails
     * in an active lane, it takes none and leaves the state, the velocity and the history of the
     * run unchanged; it may set `good_steps`. Only the engine halves `count` (engine/advance.h). A
     * single step is always taken, and the status is that of each lane. */
    noe_lane_status (*steps)(struct noe_interval *, long count);
    bool falls_back; /* it solves an equation; Newton's method takes a step at which it fails */
    /* Not NULL: it checks events after every step and can run without updating group elements. The
     * fraction theta of a step ends with momentum p1 = p + theta drive(p1). */
    void (*drive)(const struct noe_interval *, const noe_real *p1, noe_real *drive);
    const struct noe_fixed_point *fixed_point; /* in place of `steps` */
    const char *symbol;                        /* the name of this struct in C */
};

/* The list of the kernels of a scheme. Kernels in a folder fast/ are for speed only. They stand
 * last in a list, because a build without them ends the list at the first one. */
#define KERNELS(...) ((const struct kernel *const[]){__VA_ARGS__, NULL})
#ifdef NOE_WITHOUT_FAST
#define FAST(kernel) NULL
#else
#define FAST(kernel) &(kernel)
#endif

/* The derivative of a step by its start z = (q,p). */
struct scheme_tangent {
    /* After `jacobian` at the root: r = (dr/dz) dz. NULL: nothing is solved for. */
    void (*residual)(struct noe_interval *, const noe_real *dz, noe_real *r);
    /* dz1 = derivative of the end in the direction (dz, du); du is NULL if nothing is solved for.
     */
    void (*update)(struct noe_interval *, const noe_real *dz, const noe_real *du, noe_real *dz1);
};

/* Equations of a step that are written a second time outside the methods: as C text by an export,
 * or as constraints of an optimal control problem. */
enum scheme_rule {
    SCHEME_OTHER,
    SCHEME_STAGES,   /* the stages of a tableau, which is the coefficients (runge_kutta/prk.h) */
    SCHEME_ENDPOINT, /* two nodes with weights, which are the coefficients (endpoint.h) */
    SCHEME_MIDPOINT, /* one node at the midpoint, on groups or with holonomic constraints */
};

/* One discrete principle on one kind of system: a residual r(u) = 0 for the unknowns u of one
 * interval. A scheme without a residual consists of its kernels. */
struct scheme {
    enum scheme_rule rule;
    const char *source; /* the files of its step path, separated by spaces; NULL: no stepper */
    /* Fills the problem's order, unknowns, scratch and coefficients from its options. */
    enum noe_status (*setup)(struct noe_problem *, struct noe_error *);
    /* Writes the entries (row, col) of the Jacobian in the order `jacobian` fills them; returns
     * their number. With NULL arguments it only counts. */
    int (*sparsity)(const struct noe_problem *, int *row, int *col);
    void (*initial_guess)(struct noe_interval *, noe_real *u);
    void (*residual)(struct noe_interval *, const noe_real *u, noe_real *r);
    /* The residual and its exact derivative with respect to u. */
    void (*jacobian)(struct noe_interval *, const noe_real *u, noe_real *r, noe_real *values);
    /* Writes the end of the interval from a root u, found by the last correction. */
    void (*update)(struct noe_interval *, const noe_real *u);
    const char *prefix; /* prefix of the names of the four functions in C */
    /* Writes the value of the coefficients in C; NULL: there are none. `type` is their type. */
    void (*write_coefficients)(FILE *, const struct noe_problem *);
    const char *coefficients_type;

    const struct scheme_tangent *tangent; /* NULL: a step has no derivative */
    const struct kernel *const *kernels;  /* ends with NULL; NULL: none */
    bool needs_lie_product;               /* also on R^n, where every coordinate is a factor */
    /* With holonomic constraints: the sign of the Jacobian's determinant detects steps across a
     * singular configuration, because constraint forces act along the gradients at the start. */
    bool checks_orientation;
    /* On R^n, for a regular L: the unknowns are velocities, so the root of a short step is near the
     * guess, and continuation in the step size leads to that of a longer step. */
    bool supports_continuation;
    /* Not NULL: the method has dense output. Computes at the root the configuration and velocity at
     * the fraction x of the interval. */
    void (*dense_output)(struct noe_interval *, const noe_real *u, noe_real x, noe_real *q,
                         noe_real *v);
    /* Not NULL: the step size is an unknown. */
    const struct energy_equation *energy_equation;
    const char *energy_symbol, *energy_source; /* name in C, and files */
};

/* The four functions of the step path, with their names for specialised steppers. */
#define SCHEME_FUNCTIONS(name)                                                                     \
    .initial_guess = name##_initial_guess, .residual = name##_residual,                            \
    .jacobian = name##_jacobian, .update = name##_update, .prefix = #name
#define SCHEME_ENERGY(variable, files)                                                             \
    .energy_equation = &variable, .energy_symbol = #variable, .energy_source = files

/* A scheme, its data, and its claims for one kind of system. */
struct variant {
    unsigned traits;
    const struct scheme *scheme;
    const void *data;
};

/* A row of a table of methods. */
struct method {
    struct noe_method_info info; /* first: noe_method_find returns it */
    const struct scheme *scheme; /* claims info.traits */
    const void *data;
    struct variant on_groups;   /* with a factor that is a Lie group; no scheme: the one above */
    struct variant constrained; /* with constraints, on groups or not */
    /* Not NULL: returns the variant that options or sizes select, or NULL for those above. */
    const struct variant *(*choose)(const struct noe_problem *);
};

/* True if a kernel takes the steps of the problem. */
static inline bool kernel_takes_steps(const struct noe_problem *problem) {
    return problem->internals->kernel && problem->internals->kernel->steps;
}

/* True if a kernel takes all steps, without Newton's method. */
static inline bool kernel_is_direct(const struct noe_problem *problem) {
    return kernel_takes_steps(problem) && !problem->internals->kernel->falls_back;
}

/* True if Newton's method takes the steps at which the kernel fails. */
static inline bool kernel_is_implicit(const struct noe_problem *problem) {
    return kernel_takes_steps(problem) && problem->internals->kernel->falls_back;
}

/* True if fixed-point iteration solves the residual. */
static inline bool kernel_is_fixed_point(const struct noe_problem *problem) {
    return problem->internals->kernel && problem->internals->kernel->fixed_point;
}

#endif
