/* A method: a discretisation, its options, its claims and its hooks. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_METHOD_H
#define NOETHER_METHOD_H

#include <stdbool.h>

#include "noether_balance.h"
#include "noether_real.h"
#include "noether_status.h"

/* Order and traits of a method are claims that the tests measure. */
enum noe_method_trait {
    NOE_SYMPLECTIC = 1,
    NOE_MOMENTUM = 2,  /* momentum maps of symmetries that act linearly, at round-off */
    NOE_SYMMETRIC = 4, /* a step by h followed by a step by -h returns */
    NOE_ENERGY = 8,    /* energy at round-off */
    NOE_GROUP = 16,    /* stays on the group at round-off */
    NOE_ADAPTIVE = 32, /* chooses its own step */
    NOE_NEEDS_SEPARABLE = 64,
    NOE_EXPLICIT = 128, /* never solves an equation beyond the Legendre transform */
    NOE_NEEDS_GROUPS = 256,
    NOE_NEEDS_INVARIANT = 512,    /* L = v.Mv/2 on one group: Euler and Poincare's equations */
    NOE_NEEDS_HAMILTONIAN = 1024, /* L_vv is regular */
    NOE_CONSTRAINTS = 2048,       /* constraints at round-off, of positions and of velocities */
    NOE_NEEDS_CONSTRAINTS = 4096,
    NOE_MULTISTEP = 8192, /* remembers more than (q,p) from step to step */
    NOE_NEEDS_UNFORCED = 16384,
    NOE_NEEDS_REGULAR = 32768, /* L_vv, where there are no constraints */
    NOE_STOCHASTIC = 65536,    /* serves noise */
    NOE_NEEDS_BATH = 131072,   /* L = v.Mv/2 - U(t,q) with M constant; forces linear in v */
    NOE_NEEDS_LINEAR = 262144  /* L_vv is zero */
};

enum noe_option_kind { NOE_INTEGER, NOE_NUMBER, NOE_WORD };

struct noe_option {
    const char *name;
    enum noe_option_kind kind;
    double default_value, min, max; /* numbers; for a word, `usual` is its index in `words` */
    const char *words;              /* allowed words, separated by spaces; NULL for numbers */
    const char *summary;
};

struct noe_problem;
struct noe_interval;
struct noe_work;
struct noe_monitor;
struct lie_product;
struct constraint_jacobian;

#define NOE_OPTIONS_MAX 8

/* A map that contracts to the root of the residual. It keeps what it iterates to itself. */
struct noe_fixed_point {
    /* Takes a first guess: from the stages of the step before, where the interval knows them, else
     * from u. */
    void (*begin)(struct noe_interval *, const noe_real *u);
    /* Applies the map. Returns the size of the change relative to the unknowns; not finite where
     * the map is not defined. An accurate pass has every digit of the coefficients. */
    noe_real (*pass)(struct noe_interval *, bool is_accurate);
    /* Relates changes to the unknowns as they are now. */
    void (*weigh)(struct noe_interval *);
    /* Writes the unknowns; `finish` may follow. */
    void (*end)(struct noe_interval *, noe_real *u);
    /* After `finish`: takes the stages of a step that Newton's method has solved. */
    void (*keep)(struct noe_interval *, const noe_real *u);
};

/* The discrete principle gives a residual r(u) = 0 for the unknowns u of one interval.
 * Hooks that the family shares may be the same function in many rows. */
struct noe_method {
    const char *name, *summary, *reference, *order_text;
    const char *advice; /* why a step may have no root, and what to try; NULL: a smaller step */
    unsigned traits;
    const char *spaces;               /* names of the spaces it serves, separated by spaces */
    bool needs_lie_product;           /* on R^n, too: there a coordinate is a piece of its own */
    const char *constraints;          /* of "holonomic nonholonomic" what it serves, or "" */
    const struct noe_option *options; /* ends with a row whose name is NULL; may be NULL */
    const void *data;                 /* the family's own: a tableau's maker, coefficients */
    /* What serves systems with a factor that is not R^n in this one's place, where its principle,
     * its hooks or its claims are others: a row of the same name and options. NULL: this one. */
    const struct noe_method *on_groups;
    /* The same for systems with constraints, with groups or without. */
    const struct noe_method *constrained;

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
    /* After `jacobian` at the root: r = (dr/dz) dz, where z = (q,p) at the start. */
    void (*residual_tangent)(struct noe_interval *, const noe_real *dz, noe_real *r);
    /* dz1 = derivative of the end in the direction (dz, du). Where there is a kernel and no `vary`,
     * nothing is solved for and du is NULL. */
    void (*update_tangent)(struct noe_interval *, const noe_real *dz, const noe_real *du,
                           noe_real *dz1);
    /* At the root: configuration and velocity a part x of the interval after its start, where the
     * method has a curve between its ends. May be NULL. */
    void (*dense_output)(struct noe_interval *, const noe_real *u, noe_real x, noe_real *q,
                         noe_real *v);
    /* The explicit path to the same root, or NULL; used where `prepare` says so. Takes at least
     * one and at most `count` steps, or fails. Or it solves for a few unknowns itself, which
     * `prepare` says as well; then Newton's method takes a step that it fails at. */
    noe_lane_status (*kernel)(struct noe_interval *, long count);
    /* With holonomic constraints: their reactions act along derivatives at the start and must keep
     * them at the end, so that the determinant of the Jacobian changes its sign in a step across a
     * configuration where they depend on one another. */
    bool checks_orientation;
    /* On R^n, for a regular L: unknowns are velocities, so that the root for a short step is near
     * the guess, and that for a longer one can be followed from there. */
    bool supports_continuation;
    /* Not NULL: the kernel asks interval_has_event after every step, and can do without points. A
     * part theta of the interval, a step taken anew, ends with momentum p1 = p + theta drive(p1).
     */
    void (*drive)(const struct noe_interval *, const noe_real *p1, noe_real *drive);
    /* Another path to the root, or NULL; used where `prepare` says so and where it is short. */
    const struct noe_fixed_point *fixed_point;
    /* NULL: the length of a step is given. */
    const struct noe_energy_equation *energy_equation;
    /* The method's own source and the problem's coefficients as C text that defines
     * specialised_method and specialised_coefficients; free() it. NULL: no specialised stepper. */
    char *(*source)(const struct noe_problem *);
};

#endif
