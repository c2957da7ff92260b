/* Explicit Euler with projection to the invariants after each step (Hairer, Lubich and Wanner,
 * 2006, section IV.4). It shows that preserved invariants alone do not make a good method.
 *
 * With y = (q,p), z = y + h J H_y(y) and g = (H, or H and the sum of q_i x p_i), the step is y1 = z
 * + h D u with the columns D = (M^-1 g_q, M g_p)^T at z, where u is the root of r(u) = g(y1) - g(y)
 * = 0. The projection is orthogonal in the metric of the mass matrix M. In the Euclidean metric,
 * where the momentum of a light body counts as much as that of a heavy one, there is often no root.
 */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "base/status.h"
#include "mechanics/hamiltonian.h"
#include "methods/method.h"

enum { ONTO, ROWS_MAX = 4 }; /* index of the option; energy and three momenta */

/* View of an interval. */
struct projected_view {
    struct hamiltonian hamiltonian;
    int n, nu;
    real *y, *g, *z; /* a point, its gradient, and the end of the Euler step */
    real *D, *G;     /* nu rows of 2n: directions at z, derivatives of g at the end */
    real *product;   /* n numbers */
};

/* Layout of the scratch: the view without the data of an interval. */
SCRATCH_INLINE struct projected_view projected_layout(struct scratch *scratch,
                                                      const struct noe_problem *problem) {
    struct projected_view at = {.hamiltonian = hamiltonian_layout(scratch, problem),
                                .n = problem->system->n,
                                .nu = problem->internals->nu};
    const size_t n = (size_t)at.n;
    at.y = scratch_reals(scratch, 2 * n);
    at.g = scratch_reals(scratch, 2 * n);
    at.z = scratch_reals(scratch, 2 * n);
    at.D = scratch_reals(scratch, ROWS_MAX * 2 * n);
    at.G = scratch_reals(scratch, ROWS_MAX * 2 * n);
    at.product = scratch_reals(scratch, n);
    return at;
}

REAL_INLINE struct projected_view projected_view(const struct noe_interval *interval) {
    struct scratch scratch = scratch_carve(interval->scratch);
    struct projected_view at = projected_layout(&scratch, interval_problem(interval));
    hamiltonian_place(&at.hamiltonian, interval);
    return at;
}

/* Component a of the sum of q_i x p_i. */
REAL_INLINE real projected_momentum(int n, const real *y, int a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    real sum = {0};
    for (int i = 0; i < n; i += 3) sum += y[i + b] * y[n + i + c] - y[i + c] * y[n + i + b];
    return sum;
}

/* Gradient of component a. */
REAL_INLINE void projected_turn(int n, const real *y, int a, real *row) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    for (int i = 0; i < 2 * n; i++) row[i] = real_broadcast(0);
    for (int i = 0; i < n; i += 3) {
        row[i + b] = y[n + i + c];
        row[i + c] = -y[n + i + b];
        row[n + i + c] = y[i + b];
        row[n + i + b] = -y[i + c];
    }
}

/* g(y) into `value` and, if G is not NULL, its derivatives. */
REAL_INLINE void projected_values(const struct projected_view *at, const real *y, real *value,
                                  real *G) {
    value[0] = hamiltonian_value(&at->hamiltonian, y, G);
    for (int a = 0; a < at->nu - 1; a++) {
        value[a + 1] = projected_momentum(at->n, y, a);
        if (G) projected_turn(at->n, y, a, G + (a + 1) * 2 * at->n);
    }
}

REAL_INLINE void projected_start(const struct noe_interval *interval,
                                 const struct projected_view *at) {
    for (int i = 0; i < at->n; i++) {
        at->y[i] = interval->from->q[i];
        at->y[at->n + i] = interval->from->p[i];
    }
}

/* (x, y) <- (M^-1 x, M y) with the mass matrix at the last evaluated point. */
REAL_INLINE void projected_weigh(const struct projected_view *at, real *x, real *y) {
    linear_solve(&at->hamiltonian.legendre->mass, at->n, x);
    for (int i = 0; i < at->n; i++) at->product[i] = real_broadcast(0);
    pattern_add_product(at->hamiltonian.system, real_broadcast(1), at->hamiltonian.D, y,
                        at->product);
    for (int i = 0; i < at->n; i++) y[i] = at->product[i];
}

/* Computes z, the directions at z, and g(y) into `before`. */
REAL_INLINE void projected_euler(const struct noe_interval *interval,
                                 const struct projected_view *at, real *before) {
    real unused[ROWS_MAX];
    const int n = at->n;
    projected_start(interval, at);
    before[0] = hamiltonian_value(&at->hamiltonian, at->y, at->g);
    for (int a = 0; a < at->nu - 1; a++) before[a + 1] = projected_momentum(n, at->y, a);
    for (int i = 0; i < n; i++) {
        at->z[i] = at->y[i] + interval->h * at->g[n + i];
        at->z[n + i] = at->y[n + i] - interval->h * at->g[i];
    }
    const struct hamiltonian *hamiltonian = &at->hamiltonian;
    projected_values(at, at->z, unused, at->D);
    hamiltonian->system->second(hamiltonian->self, hamiltonian->t, at->z, hamiltonian->v,
                                hamiltonian->P, hamiltonian->W, hamiltonian->D);
    if (!(hamiltonian->system->traits & NOE_CONSTANT_MASS))
        linear_factor(&hamiltonian->legendre->mass, n, hamiltonian->D);
    for (int k = 0; k < at->nu; k++) projected_weigh(at, at->D + k * 2 * n, at->D + k * 2 * n + n);
}

/* y = z + h D u. */
REAL_INLINE void projected_place(const struct projected_view *at, real h, const real *u) {
    for (int i = 0; i < 2 * at->n; i++) {
        at->y[i] = at->z[i];
        for (int k = 0; k < at->nu; k++) at->y[i] += h * at->D[k * 2 * at->n + i] * u[k];
    }
}

REAL_INLINE void projected_evaluate(struct noe_interval *interval, const struct projected_view *at,
                                    const real *u, real *r, real *G) {
    real before[ROWS_MAX], after[ROWS_MAX];
    projected_euler(interval, at, before);
    projected_place(at, interval->h, u);
    projected_values(at, at->y, after, G);
    for (int k = 0; k < at->nu; k++) r[k] = after[k] - before[k];
    interval->evaluations += 4;
}

static void projected_initial_guess(struct noe_interval *interval, noe_real *u) {
    for (int k = 0; k < interval_problem(interval)->internals->nu; k++) u[k] = real_broadcast(0);
}

static void projected_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct projected_view at = projected_view(interval);
    projected_evaluate(interval, &at, u, r, NULL);
}

/* dr/du = h g_y(y1) D. */
static void projected_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                               noe_real *values) {
    const struct projected_view at = projected_view(interval);
    const int N = 2 * at.n;
    projected_evaluate(interval, &at, u, r, at.G);
    for (int k = 0; k < at.nu; k++)
        for (int l = 0; l < at.nu; l++) {
            real sum = {0};
            for (int i = 0; i < N; i++) sum += at.G[k * N + i] * at.D[l * N + i];
            values[k * at.nu + l] = interval->h * sum;
        }
}

static void projected_update(struct noe_interval *interval, const noe_real *u) {
    const struct projected_view at = projected_view(interval);
    const size_t size = (size_t)at.n * sizeof *u;
    real before[ROWS_MAX];
    projected_euler(interval, &at, before);
    projected_place(&at, interval->h, u);
    memcpy(interval->to->q, at.y, size);
    memcpy(interval->to->p, at.y + at.n, size);
    memset(interval->to->q_carry, 0, size);
    memset(interval->to->p_carry, 0, size);
    memcpy(interval->velocity, at.hamiltonian.v, size);
}

static int projected_sparsity(const struct noe_problem *problem, int *row, int *col) {
    const int nu = problem->internals->nu;
    for (int e = 0; row && e < nu * nu; e++) {
        row[e] = e / nu;
        col[e] = e % nu;
    }
    return nu * nu;
}

static enum noe_status prepare_projected(struct noe_problem *problem, struct noe_error *error) {
    const bool keeps_momentum = problem->option[ONTO] == 1;
    if (keeps_momentum && problem->system->n % 3 != 0)
        return status_set(error, NOE_NOT_SERVED,
                          "projected-euler onto=energy-momentum takes coordinates as vectors of "
                          "space; %d numbers are none",
                          problem->system->n);
    problem->order = 1;
    problem->internals->nu = keeps_momentum ? ROWS_MAX : 1;
    struct scratch scratch = {0};
    projected_layout(&scratch, problem);
    problem->internals->nscratch = scratch.count;
    problem->internals->restarts_every_step = true;
    return NOE_OK;
}

static const struct scheme scheme = {
    .setup = prepare_projected,
    .sparsity = projected_sparsity,
    SCHEME_FUNCTIONS(projected),
};

static const struct noe_option projected_options[] = {
    {"onto", NOE_WORD, 0, 0, 0, "energy energy-momentum",
     "what a step is projected to; the momentum is that of rotations of all vectors of space"},
    {0},
};

const struct method noe_methods_projected_euler[] = {
    {
        .info =
            {
                .name = "projected-euler",
                .summary = "explicit Euler, projected after each step to the energy or energy and "
                           "momentum",
                .reference =
                    "Hairer, Lubich and Wanner, Geometric Numerical Integration, IV.4 (2006)",
                .order_text = "1",
                .advice = "a smaller step lies nearer to what is kept",
                .traits = NOE_ENERGY | NOE_NEEDS_HAMILTONIAN | NOE_NEEDS_UNFORCED,
                .spaces = NOE_ON_VECTORS,
                .constraints = "",
                .options = projected_options,
            },
        .scheme = &scheme,
    },
    {.info.name = NULL},
};
