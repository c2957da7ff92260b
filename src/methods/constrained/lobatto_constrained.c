/* Lobatto IIIA-IIIB methods with constraints, on products of Lie groups and R^n (two stages:
 * RATTLE, the velocity form of SHAKE).
 *
 * The discrete action h sum_i b_i L(Q_i, V_i) is stationary up to the work of the forces and of the
 * constraint forces w_lambda Lambda_i at the stages. This gives the residual of
 * methods/runge_kutta/prk.c, R_i = P_i - p - h sum_j ahat_ij W_j = 0,    W = L_q + f - g_q^T Lambda
 * + phi_v^T Lambda. The first Lobatto node is at the start and the last at the end. Constraints
 * hold at all nodes but the first: g(Q_i) = 0,    phi(Q_i, v_i) = 0,    i = 2 .. s,    g_q v_s +
 * g_t = 0 at the end, where v_i is the velocity of the momentum given by the forces of the partner
 * tableau, S_i = L_v(Q_i, v_i) - p - h sum_j a_ij W_j = 0. phi on the momenta of R_i would leave
 * Lambda_s undetermined, since ahat_is = 0. The holonomic multipliers of all stages are unknowns (s
 * = 2 is RATTLE: Andersen, 1983; Jay, 1996). At the first stage phi holds by the previous step and
 * gives no equation. There Lambda_1 of phi is carried from the previous step, or computed from the
 * state by mechanics/multipliers.c. On groups S_i is Ad*_tau(-x_i) L_v(Q_i, v_i) - p - h sum_j a_ij
 * N_j = 0 in the frame of the start, and the unknown is T(x_i)^-1 v_i. */
/* SPDX-License-Identifier: MIT */
#include "methods/constrained/lobatto_constrained.h"

REAL_INLINE bool constrained_on_groups(const struct noe_interval *interval) {
    return interval_problem(interval)->internals->lie_product;
}

/* True if the multiplier of phi at the start of a step is computed from the state. */
REAL_INLINE bool constrained_recomputes(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval_problem(interval);
    const struct constrained *method = problem->internals->coefficients;
    return method->recomputes && problem->system->nnonholonomic;
}

/* Computes the multipliers of a state into `start`. NaN if they do not exist. */
static void constrained_recompute(struct noe_interval *interval, const struct constrained_view *at,
                                  real t, const struct noe_state *state) {
    real *v = at->v; /* workspace outside of an evaluation */
    for (int k = 0; k < at->plan.n; k++) v[k] = interval->velocity[k];
    const noe_lane_status outcome = legendre_velocity(interval->legendre, t, state->q, state->p, v);
    mask is_found = multipliers_demanded(interval, t, state->q, v, at->start);
    is_found &= outcome == NOE_OK;
    for (int a = 0; a < at->plan.m; a++)
        at->start[a] = real_select(is_found, at->start[a], real_broadcast(NAN));
}

/* Sets the multipliers at the start of the step. Only those of phi are used. */
REAL_INLINE void constrained_start(struct noe_interval *interval,
                                   const struct constrained_view *at) {
    if (!constrained_recomputes(interval))
        for (int a = 0; a < at->plan.m; a++) at->start[a] = interval->from->multipliers[a];
    else if (!interval->has_previous_step) /* else they are those of the previous step */
        constrained_recompute(interval, at, interval->t, interval->from);
}

void constrained_initial_guess(struct noe_interval *interval, noe_real *u) {
    const struct constrained_plan plan = constrained_plan(interval_problem(interval));
    const real *lambda = interval->from->multipliers;
    /* Least-squares corrections have minimal norm, and so has their sum if it starts from zero. */
    const scalar known = interval_problem(interval)->internals->is_least_squares ? 0 : 1;
    for (int i = 0; i < plan.s + plan.nnodes; i++)
        for (int k = 0; k < plan.n; k++) u[i * plan.n + k] = interval->velocity[k];
    for (int j = 0; j < plan.s; j++)
        for (int a = 0; a < (j ? plan.m : plan.nholonomic); a++)
            u[constrained_lambda(&plan, j) + a] = known * interval->h * lambda[a];
}

/* Writes Lambda of a stage behind its velocity. */
REAL_INLINE void constrained_multipliers(const struct constrained_view *at, int j, const real *u,
                                         real *lambda) {
    const real *own = u + constrained_lambda(&at->plan, j);
    const int known = j ? at->plan.m : at->plan.nholonomic;
    for (int a = 0; a < known; a++) lambda[a] = own[a] / at->prk.h;
    for (int a = known; a < at->plan.m; a++) lambda[a] = at->start[a];
}

/* The velocity of stage i followed by its multipliers. */
REAL_INLINE real *constrained_velocity(const struct noe_interval *interval,
                                       const struct constrained_view *at, int i) {
    if (constrained_on_groups(interval)) return prk_stage(&at->prk, i).v;
    return at->v + i * (at->plan.n + at->plan.m);
}

/* Computes configurations, p and w of the stages on R^n. */
REAL_INLINE void constrained_evaluate_vectors(struct noe_interval *interval,
                                              const struct constrained_view *at, const real *V,
                                              bool derivatives) {
    const struct prk_view *prk = &at->prk;
    const struct noe_system *system = prk->system;
    for (int i = 0; i < prk->s; i++) {
        real *Q = prk->Q + i * prk->np, *P = prk->P + i * prk->n, *W = prk->W + i * prk->n;
        real *v = constrained_velocity(interval, at, i);
        const real time = interval_time(interval, prk->tableau->c[i]);
        prk_point(prk, prk->tableau->a[i], prk->s, V, interval->from->q, Q);
        for (int k = 0; k < prk->n; k++) v[k] = V[i * prk->n + k];
        if (derivatives)
            system->second(prk->self, time, Q, v, P, W, prk->D + (size_t)i * 4 * prk->nz);
        else
            system->first(prk->self, time, Q, v, P, W);
    }
    interval->evaluations += prk->s;
}

/* Evaluates g at the stages, and psi_v in the coordinates and in the frame of the start. */
REAL_INLINE void constrained_evaluate_stages(struct noe_interval *interval,
                                             const struct constrained_view *at, bool derivatives) {
    const struct prk_view *prk = &at->prk;
    const struct noe_system *system = prk->system;
    const struct constraint_jacobian *constraint_jacobian = at->constraint_jacobian;
    for (int i = 0; i < prk->s; i++) {
        const real time = interval_time(interval, prk->tableau->c[i]);
        const real *Q = prk->Q + i * prk->np, *v = constrained_velocity(interval, at, i);
        real *c = at->c + i * at->plan.nholonomic, *d = at->d + i * 2 * system->nzc;
        if (!derivatives) {
            if (at->plan.nholonomic) system->constraints(prk->self, time, Q, v, c);
            continue;
        }
        system->constraints_second(prk->self, time, Q, v, c, d);
        if (!constrained_on_groups(interval)) {
            constraint_jacobian_right(constraint_jacobian, d, NULL,
                                      at->psi_V + i * constraint_jacobian->nz);
            continue;
        }
        const struct lie_stage stage = prk_stage(prk, i);
        real *Ad = prk->groups.S; /* workspace now: its values are no longer needed */
        lie_product_adjoint_back(prk->groups.lie_product, prk->tau, Ad, stage.x);
        constraint_jacobian_right(constraint_jacobian, d, stage.T,
                                  at->psi_V + i * constraint_jacobian->nz);
        constraint_jacobian_right(constraint_jacobian, d, Ad,
                                  at->psi_N + i * constraint_jacobian->nz);
        constraint_jacobian_coadjoint_change(constraint_jacobian,
                                             at->psi_N + i * constraint_jacobian->nz, prk->groups.T,
                                             at->Y + i * constraint_jacobian->nz);
    }
}

/* Computes p at a node, with derivatives if requested. w is not used. */
REAL_INLINE void constrained_node_momentum(const struct prk_view *prk,
                                           const struct constrained_node *node, real time,
                                           const real *Q, bool derivatives) {
    const struct noe_system *system = prk->system;
    const struct lie_stage *stage = &node->stage;
    if ((system->traits & NOE_SEPARABLE) && system->momentum)
        system->momentum(prk->self, time, Q, stage->v, stage->P, stage->D);
    else if (derivatives)
        system->second(prk->self, time, Q, stage->v, stage->P, stage->W, stage->D);
    else
        system->first(prk->self, time, Q, stage->v, stage->P, stage->W);
}

/* psi_V = psi_v T and psi_x = psi_q T + psi_v E at a node. */
REAL_INLINE void constrained_node_slopes(const struct constrained_view *at,
                                         const struct constrained_node *node) {
    const real *psi_v = node->d, *psi_q = node->d + at->prk.system->nzc;
    const bool is_on_groups = at->prk.groups.lie_product;
    constraint_jacobian_right(at->constraint_jacobian, psi_v, is_on_groups ? node->stage.T : NULL,
                              node->psi_V);
    constraint_jacobian_right(at->constraint_jacobian, psi_q, is_on_groups ? node->stage.T : NULL,
                              node->psi_x);
    if (!is_on_groups) return;
    for (int b = 0; b < at->constraint_jacobian->nblocks; b++) {
        const struct constraint_jacobian_block *block = &at->constraint_jacobian->block[b];
        const int *from = at->constraint_jacobian->from + block->first;
        real A[SMALL_MAX];
        for (int i = 0; i < block->size; i++)
            A[i] = from[i] < 0 ? real_broadcast(0) : psi_v[from[i]];
        if (block->square >= 0)
            small_add_product(1, block->size, block->size, node->psi_x + block->first, A,
                              node->stage.E + block->square);
    }
}

REAL_INLINE void constrained_evaluate_node(struct noe_interval *interval,
                                           const struct constrained_view *at, int i, const real *u,
                                           bool derivatives) {
    const struct prk_view *prk = &at->prk;
    const struct noe_system *system = prk->system;
    const struct lie_product *lie_product = prk->groups.lie_product;
    const struct constrained_node node = constrained_node(at, i);
    const real time = interval_time(interval, prk->tableau->c[i]);
    const real *V = u + at->plan.nodes + (i - at->plan.first) * prk->n, *Q = prk->Q + i * prk->np;
    if (constrained_on_groups(interval)) {
        const real *x = prk_stage(prk, i).x;
        for (int k = 0; k < prk->n; k++) node.stage.x[k] = x[k];
        lie_stage_enter(lie_product, prk->tau, &node.stage, V);
    } else {
        for (int k = 0; k < prk->n; k++) node.stage.v[k] = V[k];
    }
    constrained_node_momentum(prk, &node, time, Q, derivatives);
    if (derivatives)
        system->constraints_second(prk->self, time, Q, node.stage.v, node.c, node.d);
    else
        system->constraints(prk->self, time, Q, node.stage.v, node.c);
    if (constrained_on_groups(interval))
        lie_product_frame_forces(lie_product, prk->tau, &node.stage);
    if (!derivatives) return;
    constrained_node_slopes(at, &node);
    if (constrained_on_groups(interval))
        lie_product_frame_derivatives(lie_product, prk->tau, &node.stage, (size_t)system->nz);
}

REAL_INLINE void constrained_evaluate(struct noe_interval *interval,
                                      const struct constrained_view *at, const real *u,
                                      bool derivatives) {
    constrained_start(interval, at);
    for (int i = 0; i < at->plan.s; i++)
        constrained_multipliers(at, i, u, constrained_velocity(interval, at, i) + at->plan.n);
    if (constrained_on_groups(interval))
        prk_groups_evaluate(interval, &at->prk, u, derivatives);
    else
        constrained_evaluate_vectors(interval, at, u, derivatives);
    constrained_evaluate_stages(interval, at, derivatives);
    for (int i = at->plan.first; i < at->plan.s; i++)
        constrained_evaluate_node(interval, at, i, u, derivatives);
}

/* Assembles R_i as without constraints, then S_i, g/h, phi and g'. */
REAL_INLINE void constrained_assemble(struct noe_interval *interval,
                                      const struct constrained_view *at, real *r) {
    const struct constrained_plan *plan = &at->plan;
    const struct prk_view *prk = &at->prk;
    const int n = plan->n, nholonomic = plan->nholonomic;
    const bool is_on_groups = constrained_on_groups(interval);
    const real *p = interval->from->p, *N = is_on_groups ? prk->groups.N : prk->W;
    prk_assemble(prk, prk_momentum(interval, prk), r);
    for (int i = plan->first; i < plan->s; i++) {
        const struct constrained_node node = constrained_node(at, i);
        const real *P = is_on_groups ? node.stage.Pi : node.stage.P;
        real *S = r + plan->nodes + (i - plan->first) * n, *C = r + constrained_equation(plan, i);
        for (int k = 0; k < n; k++)
            S[k] = P[k] - p[k] - prk_component(prk, prk->tableau->a[i], plan->s, N, k);
        for (int a = nholonomic; a < plan->m; a++) C[a] = node.c[nholonomic + a];
        for (int a = 0; i == plan->s - 1 && a < nholonomic; a++)
            C[plan->m + a] = node.c[nholonomic + a];
    }
    for (int i = 1; i < plan->s; i++)
        for (int a = 0; a < nholonomic; a++)
            r[constrained_equation(plan, i) + a] = at->c[i * nholonomic + a] / prk->h;
}

void constrained_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct constrained_view at = constrained_view(interval);
    constrained_evaluate(interval, &at, u, false);
    constrained_assemble(interval, &at, r);
}

/* dR_i/dV_j as without constraints. With l_j = h Lambda_j, dR_i/dl_j is -ahat_ij w_lambda on R^n.
 * On groups it is -(b_j Y + (ahat_ij - b_j) psi_V)^T with signs, where Y = psi_v Ad_tau(-x_j)
 * T(-X). Multipliers of the last stage do not enter. */
REAL_INLINE real *constrained_stage_rows(struct noe_interval *interval,
                                         const struct constrained_view *at, int i, real *values) {
    const struct prk_view *prk = &at->prk;
    const struct constraint_jacobian *constraint_jacobian = at->constraint_jacobian;
    const struct tableau *t = prk->tableau;
    const bool is_on_groups = constrained_on_groups(interval);
    for (int j = 0; j < prk->s; j++) {
        if (!t->couples[i][j] && !is_on_groups) continue;
        prk_block(prk, i, j, values);
        if (is_on_groups) prk_groups_add(prk, j, values);
        values += prk->nz;
    }
    for (int j = 0; j + 1 < prk->s; j++) {
        const struct constraint_jacobian_range range = constrained_range(constraint_jacobian, j);
        const real *psi_V = at->psi_V + j * constraint_jacobian->nz,
                   *Y = at->Y + j * constraint_jacobian->nz;
        const scalar ahat = t->ahat[i][j].value, b = t->b[j].value;
        constraint_jacobian_scale_signed(prk->system, constraint_jacobian, range,
                                         real_broadcast(is_on_groups ? b - ahat : -ahat), psi_V,
                                         values);
        for (int e = range.first; is_on_groups && e < range.last; e++) {
            const struct constraint_jacobian_block *block = &constraint_jacobian->block[e];
            const real factor = b * constraint_sign(prk->system, block->row) * real_broadcast(1);
            for (int k = block->first; k < block->first + block->size; k++)
                values[k - range.begin] -= factor * Y[k];
        }
        values += range.end - range.begin;
    }
    return values;
}

/* dS_i/dV_j = h a_ij (p_q - w_v(j)) - h^2 sum_l a_il a_lj w_q(l), with p_q at the node. */
REAL_INLINE void constrained_node_block(struct noe_interval *interval,
                                        const struct constrained_view *at, int i, int j,
                                        real *restrict block) {
    const struct prk_view *prk = &at->prk;
    const struct constrained_node node = constrained_node(at, i);
    const struct tableau *t = prk->tableau;
    const size_t nz = prk->nz;
    const bool is_on_groups = constrained_on_groups(interval);
    const real ha = prk->h * t->a[i][j].value;
    const real *pq = is_on_groups ? node.stage.C + nz : node.stage.D + nz;
    const real *wv = is_on_groups ? prk_stage(prk, j).M : prk->D + (size_t)j * 4 * nz + 2 * nz;
    for (size_t e = 0; e < nz; e++)
        block[e] = prk_is_separable(prk) ? -ha * wv[e] : ha * (pq[e] - wv[e]);
    for (int l = 0; l < prk->s; l++) {
        if (t->a[i][l].value == 0 || t->a[l][j].value == 0) continue;
        const real factor = prk->h * prk->h * t->a[i][l].value * t->a[l][j].value;
        const real *wq =
            is_on_groups ? prk_stage(prk, l).M + nz : prk->D + (size_t)l * 4 * nz + 3 * nz;
        for (size_t e = 0; e < nz; e++) block[e] -= factor * wq[e];
    }
}

/* Derivatives of S_i by V_j, v_i and l_j, where dS_i/dl_j = -a_ij w_lambda, on groups in the frame
 * of the start. */
REAL_INLINE real *constrained_node_rows(struct noe_interval *interval,
                                        const struct constrained_view *at, int i, real *values) {
    const struct prk_view *prk = &at->prk;
    const struct constraint_jacobian *constraint_jacobian = at->constraint_jacobian;
    const struct constrained_node node = constrained_node(at, i);
    const bool is_on_groups = constrained_on_groups(interval);
    const real *pv = is_on_groups ? node.stage.C : node.stage.D;
    for (int j = 0; j < prk->s; j++, values += prk->nz)
        constrained_node_block(interval, at, i, j, values);
    for (size_t e = 0; e < prk->nz; e++) values[e] = pv[e];
    values += prk->nz;
    for (int j = 0; j < prk->s; j++) {
        const struct constraint_jacobian_range range = constrained_range(constraint_jacobian, j);
        const real *psi = (is_on_groups ? at->psi_N : at->psi_V) + j * constraint_jacobian->nz;
        constraint_jacobian_scale_signed(prk->system, constraint_jacobian, range,
                                         real_broadcast(-prk->tableau->a[i][j].value), psi, values);
        values += range.end - range.begin;
    }
    return values;
}

/* d(g(Q_i)/h)/dV_j = a_ij g_q T. */
REAL_INLINE real *constrained_position_rows(const struct constrained_view *at, int i,
                                            real *values) {
    const struct constraint_jacobian_range range =
        constraint_jacobian_holonomic(at->constraint_jacobian);
    for (int j = 0; j < at->plan.s; j++, values += range.end - range.begin)
        constraint_jacobian_scale(at->constraint_jacobian, range,
                                  real_broadcast(at->prk.tableau->a[i][j].value),
                                  at->psi_V + i * at->constraint_jacobian->nz, values);
    return values;
}

/* dpsi/dv_i = psi_V, dpsi/dV_j = h a_ij psi_x at a node. */
REAL_INLINE real *constrained_velocity_rows(const struct constrained_view *at, int i,
                                            struct constraint_jacobian_range range, real *values) {
    const struct constrained_node node = constrained_node(at, i);
    const int count = range.end - range.begin;
    for (int j = 0; j < at->plan.s; j++, values += count)
        constraint_jacobian_scale(at->constraint_jacobian, range,
                                  at->prk.h * at->prk.tableau->a[i][j].value, node.psi_x, values);
    constraint_jacobian_scale(at->constraint_jacobian, range, real_broadcast(1), node.psi_V,
                              values);
    return values + count;
}

void constrained_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                          noe_real *values) {
    const struct constrained_view at = constrained_view(interval);
    const struct constrained_plan *plan = &at.plan;
    constrained_evaluate(interval, &at, u, true);
    constrained_assemble(interval, &at, r);
    interval->noise =
        constraint_jacobian_noise(at.constraint_jacobian,
                                  at.psi_V + (plan->s - 1) * at.constraint_jacobian->nz, at.prk.np,
                                  at.prk.Q) /
        at.prk.h;
    for (int i = 0; i < plan->s; i++) values = constrained_stage_rows(interval, &at, i, values);
    for (int i = plan->first; i < plan->s; i++)
        values = constrained_node_rows(interval, &at, i, values);
    for (int i = 1; i < plan->s; i++) values = constrained_position_rows(&at, i, values);
    for (int i = plan->first; i < plan->s; i++)
        values = constrained_velocity_rows(
            &at, i, constraint_jacobian_nonholonomic(at.constraint_jacobian), values);
    constrained_velocity_rows(&at, plan->s - 1,
                              constraint_jacobian_holonomic(at.constraint_jacobian), values);
}

/* The stages hold the forces of the last iterate u + d. The forces at u follow to first order, here
 * in the multipliers and in prk_update in the velocities. */
void constrained_update(struct noe_interval *interval, const noe_real *u) {
    const struct constrained_view at = constrained_view(interval);
    const struct prk_view *prk = &at.prk;
    const bool is_on_groups = constrained_on_groups(interval);
    const real *d = interval->correction, *last = u + constrained_lambda(&at.plan, prk->s - 1);
    for (int j = 0; d && j < prk->s; j++)
        constraint_jacobian_push(
            prk->system, at.constraint_jacobian, constrained_range(at.constraint_jacobian, j),
            -1 / prk->h, (is_on_groups ? at.psi_N : at.psi_V) + j * at.constraint_jacobian->nz,
            d + constrained_lambda(&at.plan, j),
            (is_on_groups ? prk->groups.N : prk->W) + j * prk->n);
    prk_update(interval, u);
    const struct constrained_node node = constrained_node(&at, prk->s - 1);
    for (int k = 0; k < prk->n; k++) interval->velocity[k] = node.stage.v[k];
    for (int a = 0; a < at.plan.m; a++) {
        interval->to->multipliers[a] = last[a] / prk->h;
        interval->velocity[prk->n + a] = interval->to->multipliers[a];
    }
    if (constrained_recomputes(interval)) {
        constrained_recompute(interval, &at, interval->t1, interval->to);
        interval->has_previous_step = true;
    } else if (prk->system->nnonholonomic &&
               (interval->from->k + 1) % CONSTRAINED_LOOK_EVERY == 0) {
        multipliers_demanded(interval, interval->t1, interval->to->q, interval->velocity, at.start);
        constrained_drift(interval, interval->to->multipliers, at.start);
    }
}
