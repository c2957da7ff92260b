/* A method: its names, its options and its claims. */
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
struct scheme;
struct kernel;
struct lie_product;
struct constraint_jacobian;

#define NOE_OPTIONS_MAX 8

/* The spaces that a method serves: R^n, and the groups that have what it needs. */
enum noe_spaces {
    NOE_ON_VECTORS = 1 << 0,     /* R^n, alone or with groups */
    NOE_ON_GROUPS = 1 << 1,      /* every Lie group; an option chooses the retraction */
    NOE_ON_QUADRATIC = 1 << 2,   /* quadratic groups: those with the Cayley map */
    NOE_ON_EXPONENTIAL = 1 << 3, /* groups with the exponential */
    NOE_ON_CHORD = 1 << 4,       /* groups with the retraction `chord` */
    NOE_ON_SO3_ALGEBRA = 1 << 5, /* rotations and unit quaternions */
    NOE_ON_ROTATIONS = 1 << 6,   /* rotation matrices */
    NOE_ON_ALL = NOE_ON_VECTORS | NOE_ON_GROUPS,
};

/* The public description of a method: its names, its options, and claims that the tests measure. */
struct noe_method_info {
    const char *name, *summary, *reference, *order_text;
    const char *advice; /* why a step may have no root, and what to try; NULL: a smaller step */
    unsigned traits;    /* on R^n; other kinds of systems may have fewer: noe_problem.traits */
    unsigned spaces;    /* of enum noe_spaces: those it serves */
    const char *constraints;          /* of "holonomic nonholonomic" what it serves, or "" */
    const struct noe_option *options; /* ends with a row whose name is NULL; may be NULL */
};

#endif
