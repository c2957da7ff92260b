/* Galerkin variational integrator with a linear path and Simpson's rule.
 *
 * The discrete Lagrangian is the action of the straight line from q0 to q1 = q0 + h v,
 *     L_d = h sum_k b_k L(Q_k, v),   Q_k = q0 + c_k h v,   c = (0, 1/2, 1),   b = (1, 4, 1)/6,
 * which is exact for potentials up to degree three. With P = L_v and W = L_q + f its discrete
 * Legendre transforms are
 *     r(v) = sum_k b_k (P_k - h (1 - c_k) W_k) - p0 = 0,   p1 = p0 + h sum_k b_k W_k. */
/* SPDX-License-Identifier: MIT */
#include "base/compensated_sum.h"
#include "mechanics/block_product.h"
#include "mechanics/interval.h"
#include "methods/method.h"

enum { NODES = 3 };
static const scalar node[NODES] = {0, 0.5, 1},
                    weight[NODES] = {1 / (scalar)6, 4 / (scalar)6, 1 / (scalar)6};

/* View of the workspace: values at the nodes, one node after the other. */
struct simpson_view {
    const struct noe_system *system, *self;
    int n;
    size_t nz;
    real *Q, *P, *W, *D;
};

static struct simpson_view simpson_view(const struct noe_interval *interval) {
    const struct noe_system *system = interval_problem(interval)->system;
    struct simpson_view at = {.system = system,
                              .self = interval->problem->system,
                              .n = system->n,
                              .nz = (size_t)system->nz};
    at.Q = interval->scratch;
    at.P = at.Q + NODES * at.n;
    at.W = at.P + NODES * at.n;
    at.D = at.W + NODES * at.n;
    return at;
}

/* Block `part` (p_v, p_q, w_v, w_q) at node k. */
static const real *simpson_block(const struct simpson_view *at, int k, int part) {
    return at->D + (size_t)(4 * k + part) * at->nz;
}

static enum noe_status simpson_setup(struct noe_problem *problem, struct noe_error *error) {
    const size_t n = (size_t)problem->system->n, nz = (size_t)problem->system->nz;
    (void)error;
    problem->order = 2;
    problem->internals->nu = problem->system->n;
    problem->internals->nscratch = NODES * (3 * n + 4 * nz);
    return NOE_OK;
}

static int simpson_sparsity(const struct noe_problem *problem, int *row, int *col) {
    const struct noe_system *system = problem->system;
    for (int e = 0; row && e < system->nz; e++) {
        row[e] = system->row ? system->row[e] : e / system->n;
        col[e] = system->row ? system->col[e] : e % system->n;
    }
    return system->nz;
}

static void simpson_initial_guess(struct noe_interval *interval, noe_real *u) {
    const int n = interval_problem(interval)->system->n;
    for (int i = 0; i < n; i++) u[i] = interval->velocity[i];
}

/* Evaluates the system at the nodes, with derivatives if requested, and the residual. */
static void simpson_evaluate(struct noe_interval *interval, const struct simpson_view *at,
                             const real *v, bool derivatives, real *r) {
    const real h = interval->h;
    for (int i = 0; i < at->n; i++) r[i] = -interval->from->p[i];
    for (int k = 0; k < NODES; k++) {
        const real t = interval_time(interval, node[k]);
        real *Q = at->Q + k * at->n, *P = at->P + k * at->n, *W = at->W + k * at->n;
        for (int i = 0; i < at->n; i++) Q[i] = interval->from->q[i] + node[k] * h * v[i];
        if (derivatives)
            at->system->second(at->self, t, Q, v, P, W, at->D + (size_t)(4 * k) * at->nz);
        else
            at->system->first(at->self, t, Q, v, P, W);
        for (int i = 0; i < at->n; i++) r[i] += weight[k] * (P[i] - h * (1 - node[k]) * W[i]);
    }
    interval->evaluations += NODES;
}

static void simpson_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct simpson_view at = simpson_view(interval);
    simpson_evaluate(interval, &at, u, false, r);
}

/* dr/dv = sum_k b_k (p_v + c_k h p_q - h (1 - c_k) (w_v + c_k h w_q)). */
static void simpson_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                             noe_real *values) {
    const struct simpson_view at = simpson_view(interval);
    const real h = interval->h;
    simpson_evaluate(interval, &at, u, true, r);
    for (size_t e = 0; e < at.nz; e++) {
        values[e] = real_broadcast(0);
        for (int k = 0; k < NODES; k++) {
            const real path = node[k] * h, force = (1 - node[k]) * h;
            values[e] +=
                weight[k] *
                (simpson_block(&at, k, 0)[e] + path * simpson_block(&at, k, 1)[e] -
                 force * (simpson_block(&at, k, 2)[e] + path * simpson_block(&at, k, 3)[e]));
        }
    }
}

/* The workspace holds the forces of the last iterate u + d. The forces at u follow to first order,
 * W_k -= (w_v + c_k h w_q) d. */
static void simpson_update(struct noe_interval *interval, const noe_real *u) {
    const struct simpson_view at = simpson_view(interval);
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    for (int k = 0; k < NODES && interval->correction; k++) {
        real *W = at.W + k * at.n;
        pattern_add_product(at.system, real_broadcast(-1), simpson_block(&at, k, 2),
                            interval->correction, W);
        pattern_add_product(at.system, -node[k] * interval->h, simpson_block(&at, k, 3),
                            interval->correction, W);
    }
    for (int i = 0; i < at.n; i++) {
        real dq = interval->h * u[i], dp = real_broadcast(0);
        for (int k = 0; k < NODES; k++) dp += interval->h * weight[k] * at.W[k * at.n + i];
        compensated_add(1, &to->q[i], &to->q_carry[i], &from->q[i], &from->q_carry[i], &dq);
        compensated_add(1, &to->p[i], &to->p_carry[i], &from->p[i], &from->p_carry[i], &dp);
        interval->velocity[i] = u[i];
    }
}

/* dr = sum_k b_k (p_q - h (1 - c_k) w_q) dq - dp. */
static void simpson_residual_tangent(struct noe_interval *interval, const noe_real *dz,
                                     noe_real *r) {
    const struct simpson_view at = simpson_view(interval);
    for (int i = 0; i < at.n; i++) r[i] = -dz[at.n + i];
    for (int k = 0; k < NODES; k++) {
        pattern_add_product(at.system, real_broadcast(weight[k]), simpson_block(&at, k, 1), dz, r);
        pattern_add_product(at.system, -interval->h * weight[k] * (1 - node[k]),
                            simpson_block(&at, k, 3), dz, r);
    }
}

/* dq1 = dq + h dv, dp1 = dp + h sum_k b_k (w_v dv + w_q (dq + c_k h dv)). */
static void simpson_update_tangent(struct noe_interval *interval, const noe_real *dz,
                                   const noe_real *du, noe_real *dz1) {
    const struct simpson_view at = simpson_view(interval);
    const real h = interval->h;
    for (int i = 0; i < at.n; i++) {
        dz1[i] = dz[i] + h * du[i];
        dz1[at.n + i] = dz[at.n + i];
    }
    for (int k = 0; k < NODES; k++) {
        const real *w_v = simpson_block(&at, k, 2), *w_q = simpson_block(&at, k, 3);
        real *dp = dz1 + at.n;
        pattern_add_product(at.system, h * weight[k], w_v, du, dp);
        pattern_add_product(at.system, h * weight[k], w_q, dz, dp);
        pattern_add_product(at.system, h * h * weight[k] * node[k], w_q, du, dp);
    }
}

static const struct scheme_tangent simpson_tangent = {simpson_residual_tangent,
                                                      simpson_update_tangent};

/* `source` is the file that compiled steppers include, here this one. */
static const struct scheme simpson_scheme = {
    .source = "methods/simpson.c",
    .setup = simpson_setup,
    .sparsity = simpson_sparsity,
    SCHEME_FUNCTIONS(simpson),
    .tangent = &simpson_tangent,
    .supports_continuation = true,
};

const struct method noe_methods_simpson[] = {
    {
        .info =
            {
                .name = "simpson",
                .summary = "Galerkin variational integrator: a linear path and Simpson's rule",
                .reference = "Ober-Bloebaum and Saake, Construction and analysis of higher order "
                             "Galerkin variational integrators, Adv. Comput. Math. 41 (2015)",
                .order_text = "2",
                .traits = NOE_SYMPLECTIC | NOE_MOMENTUM | NOE_SYMMETRIC,
                .spaces = NOE_ON_VECTORS,
                .constraints = "",
            },
        .scheme = &simpson_scheme,
    },
    {.info.name = NULL},
};
