/* Energy-momentum methods for H = K(p) + V(q) (Simo, Tarnow and Wong, 1992).
 *
 * The maps q1 = q + h k1 H_p(a p + (1-a) p1), p1 = p - h k2 H_q(a q1 + (1-a) q) keep every momentum
 * of a linear symmetry of K and V. `projection` takes a = 1/2, k1 = 1 and k2 such that the energy
 * is kept, which is a discrete gradient; `collocation` takes k1 = k2 = 1 and solves for a. The
 * unknowns of the latter are u = (X, F, a) with q1 = q + hX, p1 = p + hF: R = (X - H_p(p + (1-a)
 * hF), F + H_q(q + a hX), H(q1,p1) - H(q,p)) = 0. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "base/sum.h"
#include "methods/gradient.h"

enum { KIND }; /* the option's index */

/* One interval as `collocation` sees it: of y = (q,p), 2n numbers. */
struct collocation_view {
    struct hamiltonian hamiltonian;
    int n;
    real h;
    real *y, *g, *g1; /* a point; gradients inside and at the end */
    real *G;          /* second derivatives inside */
};

static size_t collocation_scratch(const struct noe_problem *problem) {
    const size_t N = 2 * (size_t)problem->system->n;
    return hamiltonian_scratch(problem) + 3 * N + N * N;
}

STEP_INLINE struct collocation_view collocation_view(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    const int n = problem->system->n;
    struct collocation_view at = {
        .n = n, .h = interval->h, .y = interval->scratch + hamiltonian_scratch(problem)};
    at.hamiltonian = hamiltonian_view(interval, interval->scratch);
    at.g = at.y + 2 * n;
    at.g1 = at.g + 2 * n;
    at.G = at.g1 + 2 * n;
    return at;
}

static enum noe_status prepare_collocation(struct noe_problem *problem, struct noe_error *error) {
    (void)error;
    problem->order = 2;
    problem->nu = 2 * problem->system->n + 1;
    problem->nscratch = collocation_scratch(problem);
    problem->begins_anew = true;
    problem->groups = 1;
    return NOE_OK;
}

static int collocation_pattern(const struct noe_problem *problem, int *row, int *col) {
    const int nu = problem->nu;
    for (int e = 0; row && e < nu * nu; e++) {
        row[e] = e / nu;
        col[e] = e % nu;
    }
    return nu * nu;
}

/* y = (q + c hX, p + d hF). */
STEP_INLINE void collocation_place(const struct noe_interval *interval,
                                   const struct collocation_view *at, const real *u, real c,
                                   real d) {
    for (int i = 0; i < at->n; i++) {
        at->y[i] = interval->from->q[i] + c * (at->h * u[i]);
        at->y[at->n + i] = interval->from->p[i] + d * (at->h * u[at->n + i]);
    }
}

/* X and F for a given a, nearly: the maps are iterated, which ends at once for a = 0 and a = 1.
 * Returns H(q1,p1) - H(q,p). */
STEP_INLINE real collocation_try(struct noe_interval *interval, const struct collocation_view *at,
                                 real *u, real a) {
    enum { PASSES = 5 };
    const int n = at->n;
    for (int i = 0; i < 2 * n; i++) u[i] = real_of(0);
    u[2 * n] = a;
    collocation_place(interval, at, u, a, 1 - a);
    const real before = hamiltonian_value(&at->hamiltonian, at->y, NULL);
    for (int pass = 0; pass < PASSES; pass++) {
        collocation_place(interval, at, u, a, 1 - a);
        hamiltonian_value(&at->hamiltonian, at->y, at->g);
        for (int i = 0; i < n; i++) {
            u[i] = at->g[n + i];
            u[n + i] = -at->g[i];
        }
    }
    collocation_place(interval, at, u, real_of(1), real_of(1));
    interval->evaluations += PASSES + 2;
    return hamiltonian_value(&at->hamiltonian, at->y, NULL) - before;
}

/* The energy is nearly a parabola in a, and a has poles along the motion, where the parabola is
 * flat: a = 1/2 + x with the root x nearest to zero, or its vertex. */
static void collocation_guess(struct noe_interval *interval, noe_real *u) {
    const struct collocation_view at = collocation_view(interval);
    const real low = collocation_try(interval, &at, u, real_of(0));
    const real high = collocation_try(interval, &at, u, real_of(1));
    const real middle = collocation_try(interval, &at, u, real_of(0.5));
    const real bend = 2 * (high + low - 2 * middle), slope = high - low;
    const real inside = slope * slope - 4 * bend * middle;
    const real root = noe_sqrt(real_larger(inside, real_of(0)));
    const real below = slope + real_select(slope < 0, -root, root);
    const real x = real_select(inside > 0, -2 * middle / below, -slope / (2 * bend));
    const real a = 0.5 + real_select(noe_abs(x) < 1, x, real_of(0));
    collocation_try(interval, &at, u, a);
}

/* Is the step so short that a makes no difference? */
STEP_INLINE truth collocation_is_short(const struct noe_interval *interval,
                                       const struct collocation_view *at, const real *u) {
    real size = {0}, change = {0};
    for (int i = 0; i < at->n; i++) {
        const real q = interval->from->q[i], p = interval->from->p[i];
        const real dq = at->h * u[i], dp = at->h * u[at->n + i];
        size += q * q + p * p;
        change += dq * dq + dp * dp;
    }
    return change <= gradient_tiny * size;
}

STEP_INLINE void collocation_evaluate(struct noe_interval *interval,
                                      const struct collocation_view *at, const real *u, real *r,
                                      bool derivatives) {
    const real a = u[2 * at->n];
    const int n = at->n;
    collocation_place(interval, at, u, real_of(0), real_of(0));
    const real before = hamiltonian_value(&at->hamiltonian, at->y, NULL);
    collocation_place(interval, at, u, real_of(1), real_of(1));
    const real after = hamiltonian_value(&at->hamiltonian, at->y, at->g1);
    collocation_place(interval, at, u, a, 1 - a);
    if (derivatives)
        hamiltonian_field(&at->hamiltonian, at->y, at->g, at->G);
    else
        hamiltonian_value(&at->hamiltonian, at->y, at->g);
    for (int i = 0; i < n; i++) {
        r[i] = u[i] - at->g[n + i];
        r[n + i] = u[n + i] + at->g[i];
    }
    r[2 * n] = real_select(collocation_is_short(interval, at, u), a - 0.5, after - before);
    interval->evaluations += 3;
}

static void collocation_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct collocation_view at = collocation_view(interval);
    collocation_evaluate(interval, &at, u, r, false);
}

/* H_p depends on p alone, H_q on q alone. */
static void collocation_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                                 noe_real *values) {
    const struct collocation_view at = collocation_view(interval);
    const int n = at.n, N = 2 * n, nu = N + 1;
    const real a = u[N], ahead = a * at.h, behind = (1 - a) * at.h;
    collocation_evaluate(interval, &at, u, r, true);
    for (int i = 0; i < nu * nu; i++) values[i] = real_of(0);
    for (int i = 0; i < n; i++) {
        real *moving = values + i * nu, *pushing = values + (n + i) * nu;
        moving[i] = pushing[n + i] = real_of(1);
        for (int j = 0; j < n; j++) {
            const real Hpp = at.G[(n + i) * N + n + j], Hqq = at.G[i * N + j];
            moving[n + j] = -behind * Hpp;
            moving[N] += at.h * Hpp * u[n + j];
            pushing[j] = ahead * Hqq;
            pushing[N] += at.h * Hqq * u[j];
        }
    }
    const truth is_short = collocation_is_short(interval, &at, u);
    for (int j = 0; j < N; j++)
        values[N * nu + j] = real_select(is_short, real_of(0), at.h * at.g1[j]);
    values[N * nu + N] = real_select(is_short, real_of(1), real_of(0));
}

static void collocation_finish(struct noe_interval *interval, const noe_real *u) {
    const struct collocation_view at = collocation_view(interval);
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    for (int i = 0; i < 2 * at.n; i++) at.y[i] = at.h * u[i];
    sum_add(at.n, to->q, to->q_carry, from->q, from->q_carry, at.y);
    sum_add(at.n, to->p, to->p_carry, from->p, from->p_carry, at.y + at.n);
    memcpy(interval->velocity, u, (size_t)at.n * sizeof *u);
}

static const struct noe_option options[] = {
    {"kind", NOE_WORD, 0, 0, 0, "projection collocation",
     "what keeps the energy: the size of the force, or where it is evaluated"},
    {0},
};

static const unsigned structure = NOE_ENERGY | NOE_MOMENTUM | NOE_SYMMETRIC | NOE_NEEDS_SEPARABLE |
                                  NOE_NEEDS_HAMILTONIAN | NOE_NEEDS_UNFORCED;
static const char simo[] = "Simo, Tarnow and Wong, Exact energy-momentum conserving algorithms, "
                           "Comput. Methods Appl. Mech. Eng. 100 (1992)";

static const char no_root[] =
    "the energy equation has no root where the force is nearly at right angles to the motion; "
    "discrete-gradient kind=equivariant has one";

static const struct noe_method collocation = {
    .name = "energy-momentum",
    .summary = "force and velocity at points of the step where they keep the energy",
    .reference = simo,
    .order_text = "2",
    .advice = no_root,
    .traits = structure,
    .spaces = "vector",
    .constraints = "",
    .options = options,
    .prepare = prepare_collocation,
    .pattern = collocation_pattern,
    .guess = collocation_guess,
    .residual = collocation_residual,
    .jacobian = collocation_jacobian,
    .finish = collocation_finish,
};

static enum noe_status prepare_kind(struct noe_problem *problem, struct noe_error *error) {
    problem->order = 2;
    if (problem->option[KIND] == 0) return gradient_prepare(problem, GRADIENT_FORCE, 0, error);
    problem->method = &collocation;
    return prepare_collocation(problem, error);
}

const struct noe_method noe_methods_energy_momentum[] = {
    {
        .name = "energy-momentum",
        .summary = "midpoint rule with the force scaled so that it keeps the energy",
        .reference = simo,
        .order_text = "2",
        .advice = no_root,
        .traits = structure,
        .spaces = "vector",
        .constraints = "",
        .options = options,
        .prepare = prepare_kind,
        GRADIENT_HOOKS,
    },
    {0},
};
