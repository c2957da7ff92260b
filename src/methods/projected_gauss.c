/* Projected Gauss method for degenerate Lagrangians that are linear in the velocities.
 *
 * With L = theta(t,q).v - H(t,q) the momentum is a function of the configuration, p = theta(t,q).
 * The Gauss method drifts off this primary constraint if theta is not linear in q. So the start is
 * moved off the constraint, and the end back on to it, by the same multiplier lambda (Kraus, 2017):
 *     q~ = q + h lambda,    p~ = p + h theta_q(q)^T lambda,
 *     R_i = P_i - p~ - h sum_j ahat_ij W_j = 0,    Q_i = q~ + h sum_j a_ij V_j,    i = 1 .. s,
 *     q1 = q~ + h sum_j b_j V_j + rho h lambda,    rho = (-1)^s,
 *     p1 = p~ + h sum_j bhat_j W_j + rho h theta_q(q1)^T lambda,    C = theta(q1) - p1 = 0.
 * The Gauss method multiplies a deviation from the constraint at the start by rho = R(inf), so C
 * determines lambda. The method is symmetric. The stages are those of methods/runge_kutta/prk.c
 * from (q~, p~). w is linear in v, so theta_q^T lambda = w(q, lambda) - w(q, 0). */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "base/compensated_sum.h"
#include "methods/runge_kutta/prk.h"

struct projected_view {
    struct prk_view prk;
    struct noe_state moved; /* (q~, p~) */
    scalar rho;
    real *q1;                  /* the end */
    real *change;              /* change of q or p over the step */
    real *rest;                /* zero velocities */
    real *push, *push1;        /* theta_q^T lambda at start and end */
    real *P1, *P, *W, *W_rest; /* theta(q1), and the other values of its evaluation */
    real *D, *D1, *D1_rest;    /* blocks at (q, lambda), (q1, lambda), (q1, 0) */
};

/* Layout behind the arrays of the stages, `prk`. */
SCRATCH_INLINE struct projected_view projected_layout(struct scratch *scratch,
                                                      struct prk_view prk) {
    struct projected_view at = {.prk = prk, .rho = prk.s % 2 ? -1 : 1};
    real **const vectors[] = {&at.moved.q, &at.moved.p, &at.q1, &at.change, &at.rest,  &at.push,
                              &at.push1,   &at.P1,      &at.P,  &at.W,      &at.W_rest};
    real **const blocks[] = {&at.D, &at.D1, &at.D1_rest};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = scratch_reals(scratch, (size_t)prk.n);
    for (int i = 0; i < 3; i++) *blocks[i] = scratch_reals(scratch, 4 * prk.nz);
    return at;
}

static struct projected_view projected_view(const struct noe_interval *interval) {
    struct scratch scratch = scratch_carve(interval->scratch);
    const struct prk_view prk = prk_view_in(interval, &scratch);
    struct projected_view at = projected_layout(&scratch, prk);
    real *q = at.moved.q, *p = at.moved.p;
    at.moved = *interval->from;
    at.moved.q = q;
    at.moved.p = p;
    return at;
}

/* The interval of the Gauss method, which starts from (q~, p~). */
static struct noe_interval projected_dense_output(const struct noe_interval *interval,
                                                  const struct projected_view *at) {
    struct noe_interval inside = *interval;
    inside.from = &at->moved;
    return inside;
}

/* Computes (q~, p~) from lambda. */
static void projected_begin(struct noe_interval *interval, const struct projected_view *at,
                            const real *lambda) {
    const struct noe_state *from = interval->from;
    const struct noe_system *system = at->prk.system, *self = at->prk.self;
    system->second(self, interval->t, from->q, lambda, at->P, at->W, at->D);
    system->first(self, interval->t, from->q, at->rest, at->P, at->W_rest);
    for (int k = 0; k < at->prk.n; k++) {
        at->push[k] = at->W[k] - at->W_rest[k];
        at->moved.q[k] = from->q[k] + at->prk.h * lambda[k];
        at->moved.p[k] = from->p[k] + at->prk.h * at->push[k];
    }
    interval->evaluations += 2;
}

/* Computes q1 - q and q1. */
static void projected_point(const struct noe_interval *interval, const struct projected_view *at,
                            const real *V, const real *lambda) {
    prk_sum(&at->prk, at->prk.tableau->b, at->prk.s, V, at->change);
    for (int k = 0; k < at->prk.n; k++) {
        at->change[k] += (1 + at->rho) * at->prk.h * lambda[k];
        at->q1[k] = interval->from->q[k] + at->change[k];
    }
}

/* Evaluates theta, theta_q^T lambda and their derivative blocks at q1. */
static void projected_end(struct noe_interval *interval, const struct projected_view *at,
                          const real *lambda) {
    const struct noe_system *system = at->prk.system, *self = at->prk.self;
    system->second(self, interval->t1, at->q1, at->rest, at->P1, at->W_rest, at->D1_rest);
    system->second(self, interval->t1, at->q1, lambda, at->P, at->W, at->D1);
    for (int k = 0; k < at->prk.n; k++) at->push1[k] = at->W[k] - at->W_rest[k];
    interval->evaluations += 2;
}

/* Computes p1 - p from the stages. */
static void projected_momentum(const struct projected_view *at) {
    prk_sum(&at->prk, at->prk.tableau->bhat, at->prk.s, at->prk.W, at->change);
    for (int k = 0; k < at->prk.n; k++)
        at->change[k] += at->prk.h * (at->push[k] + at->rho * at->push1[k]);
}

/* Evaluates R and C, and dR/dV if `values` is not NULL. */
static void projected_evaluate(struct noe_interval *interval, const struct projected_view *at,
                               const real *u, real *r, real *values) {
    const int n = at->prk.n, s = at->prk.s;
    const real *lambda = u + s * n;
    projected_begin(interval, at, lambda);
    struct noe_interval inside = projected_dense_output(interval, at);
    if (values)
        prk_jacobian(&inside, u, r, values);
    else
        prk_residual(&inside, u, r);
    interval->evaluations = inside.evaluations;
    projected_point(interval, at, u, lambda);
    projected_end(interval, at, lambda);
    projected_momentum(at);
    for (int k = 0; k < n; k++) r[s * n + k] = at->P1[k] - interval->from->p[k] - at->change[k];
}

static void projected_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct projected_view at = projected_view(interval);
    projected_evaluate(interval, &at, u, r, NULL);
}

/* block -= h^2 sum_l weight_l factor_l w_q(l). */
static void projected_add_forces(const struct projected_view *at, const struct coefficient *weight,
                                 const scalar *factor, real *block) {
    const size_t nz = at->prk.nz;
    for (int l = 0; l < at->prk.s; l++) {
        const real *wq = at->prk.D + (size_t)l * 4 * nz + 3 * nz;
        const real scale = at->prk.h * at->prk.h * weight[l].value * factor[l];
        for (size_t e = 0; e < nz; e++) block[e] -= scale * wq[e];
    }
}

/* dR_i/dlambda = h p_q(i) - h theta_q(q)^T - h^2 sum_l ahat_il w_q(l). */
static void projected_write_stages(const struct projected_view *at, real *values) {
    const size_t nz = at->prk.nz;
    scalar ones[TABLEAU_STAGES_MAX];
    for (int l = 0; l < at->prk.s; l++) ones[l] = 1;
    for (int i = 0; i < at->prk.s; i++, values += nz) {
        const real *pq = at->prk.D + (size_t)i * 4 * nz + nz;
        for (size_t e = 0; e < nz; e++) values[e] = at->prk.h * (pq[e] - at->D[2 * nz + e]);
        projected_add_forces(at, at->prk.tableau->ahat[i], ones, values);
    }
}

/* With A = dC/dq1 = theta_q(q1) - rho h d(theta_q(q1)^T lambda)/dq1:
 * dC/dV_j = h b_j A - h bhat_j w_v(j) - h^2 sum_l bhat_l a_lj w_q(l),
 * dC/dlambda = (1 + rho) h A - h theta_q(q)^T - rho h theta_q(q1)^T - h^2 sum_l bhat_l w_q(l). */
static void projected_write_end(const struct projected_view *at, real *values) {
    const struct tableau *t = at->prk.tableau;
    const size_t nz = at->prk.nz;
    const real h = at->prk.h, back = at->rho * h;
    real *const A = at->D1_rest + nz;
    for (size_t e = 0; e < nz; e++) A[e] -= back * (at->D1[3 * nz + e] - at->D1_rest[3 * nz + e]);
    scalar factor[TABLEAU_STAGES_MAX];
    for (int j = 0; j < at->prk.s; j++, values += nz) {
        const real *wv = at->prk.D + (size_t)j * 4 * nz + 2 * nz;
        for (size_t e = 0; e < nz; e++)
            values[e] = h * t->b[j].value * A[e] - h * t->bhat[j].value * wv[e];
        for (int l = 0; l < at->prk.s; l++) factor[l] = t->a[l][j].value;
        projected_add_forces(at, t->bhat, factor, values);
    }
    for (size_t e = 0; e < nz; e++)
        values[e] = (h + back) * A[e] - h * at->D[2 * nz + e] - back * at->D1[2 * nz + e];
    for (int l = 0; l < at->prk.s; l++) factor[l] = 1;
    projected_add_forces(at, t->bhat, factor, values);
}

static void projected_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                               noe_real *values) {
    const struct projected_view at = projected_view(interval);
    const size_t s = (size_t)at.prk.s, nz = at.prk.nz;
    projected_evaluate(interval, &at, u, r, values);
    projected_write_stages(&at, values + s * s * nz);
    projected_write_end(&at, values + s * (s + 1) * nz);
}

static void projected_initial_guess(struct noe_interval *interval, noe_real *u) {
    const struct projected_view at = projected_view(interval);
    prk_initial_guess(interval, u);
    for (int k = 0; k < at.prk.n; k++) u[at.prk.s * at.prk.n + k] = real_broadcast(0);
}

static void projected_update(struct noe_interval *interval, const noe_real *u) {
    const struct projected_view at = projected_view(interval);
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    const int n = at.prk.n, s = at.prk.s;
    const real *lambda = u + s * n;
    projected_begin(interval, &at, lambda);
    struct noe_interval inside = projected_dense_output(interval, &at);
    prk_residual(&inside, u, at.prk.V); /* evaluates the forces; V is workspace here */
    interval->evaluations = inside.evaluations;
    projected_point(interval, &at, u, lambda);
    compensated_add(n, to->q, to->q_carry, from->q, from->q_carry, at.change);
    projected_end(interval, &at, lambda);
    projected_momentum(&at);
    compensated_add(n, to->p, to->p_carry, from->p, from->p_carry, at.change);
    for (int k = 0; k < n; k++) interval->velocity[k] = u[(s - 1) * n + k];
}

static void projected_make(struct tableau *tableau, struct noe_problem *problem) {
    const int stages = (int)problem->option[0];
    exact c[TABLEAU_STAGES_MAX];
    tableau_gauss_nodes(stages, c);
    tableau_collocation(tableau, stages, c);
    problem->order = 2 * stages;
}

static enum noe_status projected_setup(struct noe_problem *problem, struct noe_error *error) {
    const enum noe_status status = prk_setup(problem, error);
    if (status != NOE_OK) return status;
    problem->internals->nu += problem->system->n;
    struct scratch scratch = {0};
    const struct prk_view prk = prk_layout(&scratch, problem);
    projected_layout(&scratch, prk);
    problem->internals->nscratch = scratch.count;
    return NOE_OK;
}

/* All blocks have the system's sparsity pattern: stages by stages, stages by lambda, and the end.
 */
static int projected_sparsity(const struct noe_problem *problem, int *row, int *col) {
    const struct noe_system *system = problem->system;
    const int n = system->n, nz = system->nz, s = prk_tableau(problem)->s;
    int count = prk_sparsity(problem, row, col);
    for (int b = 0; b < 2 * s + 1; b++)
        for (int e = 0; e < nz; e++, count++) {
            if (!row) continue;
            row[count] = (b < s ? b : s) * n + (system->row ? system->row[e] : e / n);
            col[count] = (b < s ? s : b - s) * n + (system->row ? system->col[e] : e % n);
        }
    return count;
}

static const struct scheme scheme = {
    .setup = projected_setup,
    .sparsity = projected_sparsity,
    SCHEME_FUNCTIONS(projected),
};

static const struct noe_option projected_options[] = {
    {"stages", NOE_INTEGER, 2, 1, 12, NULL, "number of stages s; the order is 2s"},
    {0},
};

const struct method noe_methods_projected_gauss[] = {
    {
        .info =
            {
                .name = "projected-gauss",
                .summary = "Gauss's method for L linear in velocities, with p = L_v at every step",
                .reference =
                    "Kraus, Projected variational integrators for degenerate Lagrangian systems, "
                    "arXiv:1708.07356 (2017)",
                .order_text = "2s",
                .traits = NOE_SYMMETRIC | NOE_NEEDS_LINEAR,
                .spaces = NOE_ON_VECTORS,
                .constraints = "",
                .options = projected_options,
            },
        .scheme = &scheme,
        .data = &(const struct prk){projected_make},
    },
    {.info.name = NULL},
};
