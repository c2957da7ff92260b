/* Minimisation: of functions on R^n, on SO(3), on SE(3) and on their products. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_OPTIMISE_H
#define NOETHER_OPTIMISE_H

#include "noether.h"

#pragma GCC visibility push(default)

/* --- Objective: a function to minimise, stated by hand or by a model file. */

struct noe_objective {
    int n, np; /* numbers of a tangent and of a point */
    int nfactors;
    const struct noe_factor *factors; /* NULL: R^n */
    const void *data;
    /* Returns f(q) and writes its left trivialised gradient, n numbers: f changes at the rate
     * gradient . s where the point moves with the velocity s. */
    noe_real (*evaluate)(const struct noe_objective *, const noe_real *q, noe_real *gradient);
    /* The model's observed quantities, system->nvalues numbers; may be NULL. */
    void (*observe)(const struct noe_objective *, const noe_real *q, noe_real *values);
    const char *note; /* why it is interpreted; NULL otherwise */
};

/* What a model without L is to minimise; the model must outlive it. Free with noe_objective_free.
 * One objective serves one thread at a time. */
enum noe_status noe_objective_create(struct noe_objective **objective,
                                     const struct noe_model *model,
                                     const struct noe_model_settings *settings,
                                     struct noe_error *error);
void noe_objective_free(struct noe_objective *objective);

/* --- Descent: an iteration that goes down. */

/* Near a minimum every one of them is x_{k+1} = x_k - step g + momentum (x_k - x_{k-1}), and with
 * `looks_ahead` g is taken at x_k + momentum (x_k - x_{k-1}). */
struct noe_descent_rate {
    noe_real step, momentum;
    bool looks_ahead;
};

struct noe_descent_state;

struct noe_descent {
    const char *name, *summary, *reference;
    unsigned spaces;                  /* of enum noe_spaces: those it serves */
    const struct noe_option *options; /* all needed; ends with a row whose name is NULL */
    struct noe_descent_rate (*rate)(const noe_scalar *option);
    /* Writes the displacement that leads to the next point. */
    void (*advance)(struct noe_descent_state *);
};

/* The iterations of this build: index 0 .. noe_descent_count()-1. */
int noe_descent_count(void);
const struct noe_descent *noe_descent_at(int index);

/* What one iteration shows. */
struct noe_iterate {
    long k;
    const noe_real *q;
    noe_real value, gradient_norm;
};

struct noe_descent_settings {
    const char *method;            /* "name key=value ..." */
    noe_real tolerance;            /* of the Euclidean norm of the gradient */
    long iterations;               /* at most */
    const volatile int *interrupt; /* not 0: stop; may be NULL */
    /* Sees every iterate, the start first; what it returns other than NOE_OK ends the iteration.
     * May be NULL. */
    enum noe_status (*visit)(void *visitor, const struct noe_iterate *iterate);
    void *visitor;
};

struct noe_descent_result {
    const struct noe_descent *method;
    struct noe_descent_rate rate;
    long iterations;
    noe_real value, gradient_norm;
    noe_real curvature; /* the largest rate at which the gradient was seen to change */
    long clipped;       /* iterations of sagd that could not go as far as they should */
};

/* Iterates from q until the gradient is small; q is the last point in every case. */
enum noe_status noe_minimise(const struct noe_objective *objective,
                             const struct noe_descent_settings *settings, noe_real *q,
                             struct noe_descent_result *result, struct noe_error *error);

#pragma GCC visibility pop

#endif
