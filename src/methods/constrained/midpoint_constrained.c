/* The midpoint rule with holonomic constraints on positions, a method of SHAKE type.
 *
 * L_d = h L at the middle, with reactions at the nodes, is stationary where
 *     p_k = -D_1 L_d - f^- + g_q(q_k)^T u,    g(t_(k+1), q_(k+1)) = 0,
 *     p^- = D_2 L_d + f^+:
 * the rule without constraints from the momentum p_k - g_q^T u (Leyendecker, Marsden and Ortiz,
 * 2008). p^- is the momentum before the reaction at the end. The state of the node is its
 * projection along that reaction,
 *     p_(k+1) = p^- - g_q(q_(k+1))^T mu = L_v(q_(k+1), v),    g_q v + g_t = 0.
 * u of the next step absorbs mu, so the projection changes no configuration, and (q_k, p_k) moves
 * by a symplectic and symmetric map of the constrained phase space. The reaction at a node is mu +
 * u = h lambda to second order. Multipliers are those that the state demands. Unknowns are V and u.
 */
/* SPDX-License-Identifier: MIT */
#include "methods/constrained/midpoint_constrained.h"

/* Least-squares corrections have minimal norm, and so has their sum if it starts from zero. */
void midpoint_constrained_initial_guess(struct noe_interval *interval, noe_real *u) {
    const int n = interval_problem(interval)->system->n,
              m = constraint_count(interval_problem(interval)->system);
    for (int k = 0; k < n; k++) u[k] = interval->velocity[k];
    const scalar half = interval_problem(interval)->internals->is_least_squares ? 0 : 0.5;
    for (int a = 0; a < m; a++) u[n + a] = half * interval->h * interval->from->multipliers[a];
}

/* Computes g_q at the start, and the momentum p - g_q^T u after the constraint force. */
REAL_INLINE void midpoint_constrained_kick(struct noe_interval *interval,
                                           const struct middle_joint *joint, const real *u) {
    const struct noe_system *system = interval_problem(interval)->system;
    const struct noe_state *from = interval->from;
    system->constraints_second(interval->problem->system, interval->t, from->q, joint->v, joint->c,
                               joint->d);
    constraint_jacobian_right(joint->constraint_jacobian, joint->d, NULL, joint->start);
    small_zero(joint->n, joint->kick);
    constraint_jacobian_push(system, joint->constraint_jacobian,
                             constraint_jacobian_all(joint->constraint_jacobian), real_broadcast(1),
                             joint->start, u + joint->n, joint->kick);
    for (int k = 0; k < joint->n; k++) joint->p[k] = from->p[k] + joint->kick[k];
}

/* Evaluates the rule without constraints, and g at the end Q tau(x). */
REAL_INLINE struct midpoint_view midpoint_constrained_evaluate(struct noe_interval *interval,
                                                               const struct middle_joint *joint,
                                                               const real *u, bool derivatives) {
    const struct noe_system *system = interval_problem(interval)->system;
    struct midpoint_view at = midpoint_view(interval);
    for (int k = 0; k < joint->n; k++) joint->v[k] = u[k];
    midpoint_constrained_kick(interval, joint, u);
    at.p = joint->p;
    at.kick = joint->kick;
    midpoint_evaluate(interval, &at, joint->v, derivatives);
    product_retract(at.system, at.tau, joint->Q1, at.Q, at.x);
    system->constraints_second(at.self, interval->t1, joint->Q1, joint->v, joint->c, joint->d);
    return at;
}

REAL_INLINE void midpoint_constrained_assemble(const struct midpoint_view *at,
                                               const struct middle_joint *joint, real *r) {
    midpoint_assemble(at, r);
    for (int a = 0; a < joint->m; a++) r[joint->n + a] = joint->c[a] / at->h;
}

void midpoint_constrained_residual(struct noe_interval *interval, const noe_real *u, noe_real *r) {
    const struct middle_joint joint = middle_joint(interval);
    const struct midpoint_view at = midpoint_constrained_evaluate(interval, &joint, u, false);
    midpoint_constrained_assemble(&at, &joint, r);
}

/* Multiplies g_q at the start by M = Ad_tau(x) (T(x) + T(-x))/2, and g_q at the end by M = (1 +
 * Ad_tau(-x)) T(x)/2. */
REAL_INLINE void midpoint_constrained_turns(const struct midpoint_view *at,
                                            const struct lie_factor *piece, real *start,
                                            real *end) {
    const int n = piece->size, s = piece->square;
    real Ad[SMALL_SQUARE], half[SMALL_SQUARE], back[SMALL_MAX];
    for (int i = 0; i < n; i++) back[i] = -at->x[piece->tangent + i];
    for (int e = 0; e < n * n; e++) half[e] = 0.5 * (at->T[s + e] + at->Tb[s + e]);
    piece->space->maps.adjoint(at->tau, Ad, at->x + piece->tangent);
    small_zero(n * n, start + s);
    small_add_product(n, n, n, start + s, Ad, half);
    piece->space->maps.adjoint(at->tau, Ad, back);
    for (int i = 0; i < n; i++) Ad[i * n + i] += 1;
    for (int e = 0; e < n * n; e++) half[e] = 0.5 * at->T[s + e];
    small_zero(n * n, end + s);
    small_add_product(n, n, n, end + s, Ad, half);
}

/* dR/du = (g_q M)^T at the start, d(g/h)/dV = g_q M at the end. */
void midpoint_constrained_jacobian(struct noe_interval *interval, const noe_real *u, noe_real *r,
                                   noe_real *values) {
    const struct middle_joint joint = middle_joint(interval);
    const struct midpoint_view at = midpoint_constrained_evaluate(interval, &joint, u, true);
    midpoint_constrained_assemble(&at, &joint, r);
    midpoint_blocks(&at, values);
    for (int k = 0; k < at.lie_product->npieces; k++)
        if (at.lie_product->piece[k].space)
            midpoint_constrained_turns(&at, &at.lie_product->piece[k], joint.M, joint.other);
    values += at.lie_product->nz;
    constraint_jacobian_coadjoint_change(joint.constraint_jacobian, joint.start, joint.M, values);
    values += joint.constraint_jacobian->nz;
    constraint_jacobian_right(joint.constraint_jacobian, joint.d, joint.other, values);
    interval->noise = constraint_jacobian_noise(joint.constraint_jacobian, values,
                                                interval_problem(interval)->np, joint.Q1) /
                      at.h;
}

/* Projects the momentum at the end. It is not finite where the constraints are dependent. */
REAL_INLINE void midpoint_constrained_project(struct noe_interval *interval,
                                              const struct middle_joint *joint) {
    const struct noe_system *system = interval_problem(interval)->system;
    struct noe_state *to = interval->to;
    const struct multipliers *at = interval->multipliers;
    for (int k = 0; k < joint->n; k++) joint->end_v[k] = interval->velocity[k];
    const mask is_found =
        multipliers_project(interval, interval->t1, to->q, to->p, joint->end_v, joint->mu);
    small_zero(joint->n, joint->kick);
    for (int e = 0; e < system->nzc; e++)
        joint->kick[constraint_col(system, e)] -= at->d[e] * joint->mu[constraint_row(system, e)];
    for (int k = 0; k < joint->n; k++)
        joint->kick[k] = real_select(is_found, joint->kick[k], real_broadcast(NAN));
    compensated_add(joint->n, to->p, to->p_carry, to->p, to->p_carry, joint->kick);
}

/* lambda = (mu + u)/h at the start. Without a step before, mu is h/2 times the known multiplier. */
REAL_INLINE void midpoint_constrained_multipliers(struct noe_interval *interval,
                                                  const struct middle_joint *joint, const real *u) {
    for (int a = 0; a < joint->m; a++) {
        const real mu = interval->has_previous_step
                            ? joint->mu[a]
                            : 0.5 * interval->h * interval->from->multipliers[a];
        joint->u[a] = u[joint->n + a];
        interval->to->multipliers[a] = (mu + joint->u[a]) / interval->h;
        interval->velocity[joint->n + a] = interval->to->multipliers[a];
    }
}

void midpoint_constrained_update(struct noe_interval *interval, const noe_real *u) {
    const struct middle_joint joint = middle_joint(interval);
    struct midpoint_view at = midpoint_view(interval);
    midpoint_constrained_kick(interval, &joint, u);
    at.p = joint.p;
    at.kick = joint.kick;
    midpoint_end(interval, &at, u);
    midpoint_constrained_multipliers(interval, &joint, u);
    midpoint_constrained_project(interval, &joint);
    interval->has_previous_step = true;
}
