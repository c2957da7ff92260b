/* Discrete gradients of the Hamiltonian: (y1 - y)/h = J dH with dH.(y1 - y) = H(y1) - H(y), and
 * forces. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_ENERGY_PRESERVING_DISCRETE_GRADIENT_STEP_H
#define METHODS_ENERGY_PRESERVING_DISCRETE_GRADIENT_STEP_H

#include "mechanics/hamiltonian.h"
#include "methods/method.h"

/* The kinds of discrete gradients. `projection` is an energy-momentum method. */
enum gradient_kind { GRADIENT_ALONG, GRADIENT_INVARIANT, GRADIENT_FORCE, GRADIENT_EDGES };

enum { GRADIENT_POINTS_MAX = 24 };

/* eps^(2/3). The energy error of the midpoint rule is of third order in the change of y. If the
 * change is below eps^(1/3) of y, the error is round-off. */
static const double gradient_tiny = sizeof(scalar) > 8 ? 3.3e-23 : 3.7e-11;

struct gradient {
    enum gradient_kind kind;
    int points; /* Gauss quadrature points on an edge */
    scalar c[GRADIENT_POINTS_MAX], b[GRADIENT_POINTS_MAX];
};

/* The data of a scheme: a kind, and the index of the option that has the points of edges, or -1. */
struct gradient_family {
    enum gradient_kind kind;
    int order, points_option;
};

void gradient_initial_guess(struct noe_interval *interval, noe_real *u);
void gradient_residual(struct noe_interval *interval, const noe_real *u, noe_real *r);
void gradient_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                       noe_real *values);
void gradient_update(struct noe_interval *interval, const noe_real *u);
extern const struct scheme gradient_scheme;

/* View of an interval. Arrays have 2n numbers, matrices 2n x 2n. */
struct gradient_view {
    const struct gradient *gradient;
    struct hamiltonian hamiltonian;
    int N; /* 2n */
    real h;
    real *y0, *y1;        /* (q,p) at the start and at the end */
    real *m, *change;     /* (y0 + y1)/2 and y1 - y0, or a point on an edge */
    real *dH;             /* discrete gradient minus (f,0) */
    real *g, *g1;         /* gradients at the midpoint and at the end */
    real *d, *row, *side; /* direction of a correction, and derivatives of scalars */
    real *mass_m, *mass_y1,
        *mass_change; /* for invariants: (A q, A^-1 p) of m, y1 and the change */
    real *bent;       /* H'' times the change, if there are forces */
    real *sizes;      /* q.Aq and p.A^-1 p, summed over both ends */
    real *K, *G;      /* derivative of dH, and Hessian of H */
};

static inline const struct gradient *gradient_of(const struct noe_problem *problem) {
    return problem->internals->coefficients;
}

/* Layout of the scratch: the view without the data of an interval. */
SCRATCH_INLINE struct gradient_view gradient_layout(struct scratch *scratch,
                                                    const struct noe_problem *problem) {
    struct gradient_view at = {.hamiltonian = hamiltonian_layout(scratch, problem),
                               .gradient = gradient_of(problem),
                               .N = 2 * problem->system->n};
    const size_t N = (size_t)at.N;
    at.y0 = scratch_reals(scratch, N);
    at.y1 = scratch_reals(scratch, N);
    at.m = scratch_reals(scratch, N);
    at.change = scratch_reals(scratch, N);
    at.dH = scratch_reals(scratch, N);
    at.g = scratch_reals(scratch, N);
    at.g1 = scratch_reals(scratch, N);
    at.d = scratch_reals(scratch, N);
    at.row = scratch_reals(scratch, N);
    at.side = scratch_reals(scratch, N);
    at.mass_m = scratch_reals(scratch, N);
    at.mass_y1 = scratch_reals(scratch, N);
    at.mass_change = scratch_reals(scratch, N);
    at.bent = scratch_reals(scratch, N);
    at.sizes = scratch_reals(scratch, 2);
    at.K = scratch_reals(scratch, N * N);
    at.G = scratch_reals(scratch, N * N);
    return at;
}

REAL_INLINE struct gradient_view gradient_view(const struct noe_interval *interval) {
    struct scratch scratch = scratch_carve(interval->scratch);
    struct gradient_view at = gradient_layout(&scratch, interval_problem(interval));
    hamiltonian_place(&at.hamiltonian, interval);
    at.h = interval->h;
    return at;
}

/* Computes dH - (f,0) from y0, y1 and their difference, and its derivative K by y1 if `derivatives`
 * is true. The kinds with a correction are symmetric, so exchanged ends give the derivative by y0.
 */
void gradient_corrected(const struct gradient_view *at, bool derivatives);
/* The discrete gradient of Itoh and Abe on the edges of the box between y0 and y1, and its
 * derivative by y1 or by y0. */
void gradient_edges(const struct gradient_view *at, bool derivatives, bool at_start);

#endif
