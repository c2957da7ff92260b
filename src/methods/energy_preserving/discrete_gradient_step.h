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
    return problem->coefficients;
}

REAL_INLINE struct gradient_view gradient_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    const int N = 2 * problem->system->n;
    struct gradient_view at = {.gradient = gradient_of(problem),
                               .N = N,
                               .h = interval->h,
                               .y0 = interval->scratch + hamiltonian_scratch(problem)};
    at.hamiltonian = hamiltonian_view(interval, interval->scratch);
    at.y1 = at.y0 + N;
    at.m = at.y1 + N;
    at.change = at.m + N;
    at.dH = at.change + N;
    at.g = at.dH + N;
    at.g1 = at.g + N;
    at.d = at.g1 + N;
    at.row = at.d + N;
    at.side = at.row + N;
    at.mass_m = at.side + N;
    at.mass_y1 = at.mass_m + N;
    at.mass_change = at.mass_y1 + N;
    at.bent = at.mass_change + N;
    at.sizes = at.bent + N;
    at.K = at.sizes + 2;
    at.G = at.K + (size_t)N * (size_t)N;
    return at;
}

static inline size_t gradient_scratch(const struct noe_problem *problem) {
    const size_t N = 2 * (size_t)problem->system->n;
    return hamiltonian_scratch(problem) + 14 * N + 2 + 2 * N * N;
}

/* Computes dH - (f,0) from y0, y1 and their difference, and its derivative K by y1 if `derivatives`
 * is true. The kinds with a correction are symmetric, so exchanged ends give the derivative by y0.
 */
void gradient_corrected(const struct gradient_view *at, bool derivatives);
/* The discrete gradient of Itoh and Abe on the edges of the box between y0 and y1, and its
 * derivative by y1 or by y0. */
void gradient_edges(const struct gradient_view *at, bool derivatives, bool at_start);

#endif
