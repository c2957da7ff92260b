/* The discrete energy on R^n from the extended variational principle: L_d depends on the ends of
 * the interval in configuration and time, and E = -dL_d/dt minus the work of the forces.
 *
 * With stages at t + c_i h, e_i = P_i.V_i - L_i and the power w_i = f_i.V_i - L_t,i,
 *     E_start = sum_i b_i (e_i - h (1 - c_i) w_i),   E_end = sum_i b_i (e_i + h c_i w_i),
 * because in the unknowns h V_i the constraint sum_i b_i h V_i = q1 - q does not depend on h. The
 * energy defect H(q,p) - E_start = sum_i b_i (H(q,p) - H(Q_i,P_i) + h (1 - c_i) w_i) is computed
 * without cancellation: H changes along the line from a stage to the end by the integral of v.dp -
 * L_q.dq - L_t dt, by Gauss quadrature, where dq = -h sum_j a_ij V_j and dp = -h sum_j ahat_ij W_j
 * carry the factor h. With one stage the integrand at the stage cancels with the power, so only its
 * change is integrated. */
/* SPDX-License-Identifier: MIT */
#include "methods/energy_adaptive/discrete_energy.h"

#include "base/compensated_sum.h"
#include "methods/energy_adaptive/energy_line_integral.h"
#include "methods/runge_kutta/prk.h"

/* True if the energy changes by forces or by explicit time. */
REAL_INLINE bool energy_has_power(const struct noe_interval *interval) {
    return interval_problem(interval)->system->gradient;
}

/* Computes L_q and L_t. w is L_q if there are no forces and no explicit time. Overwrites P. */
REAL_INLINE void energy_gradient(struct noe_interval *interval, real t, const real *q,
                                 const real *v, real *P, real *gradient) {
    const struct noe_system *system = interval_problem(interval)->system;
    const struct noe_system *self = interval->problem->system;
    interval->evaluations++;
    if (energy_has_power(interval)) {
        system->gradient(self, t, q, v, gradient);
        return;
    }
    gradient[system->n] = real_broadcast(0);
    system->first(self, t, q, v, P, gradient);
}

/* L_q and L_t at stage i, whose w was computed by the residual. */
REAL_INLINE void energy_stage(struct noe_interval *interval, const struct prk_view *prk, int i,
                              const real *V, real *gradient) {
    if (energy_has_power(interval)) {
        const real t = interval_time(interval, prk->tableau->c[i]);
        energy_gradient(interval, t, prk->Q + i * prk->n, V, prk->x, gradient);
        return;
    }
    for (int k = 0; k < prk->n; k++) gradient[k] = prk->W[i * prk->n + k];
    gradient[prk->n] = real_broadcast(0);
}

REAL_INLINE real energy_dot(int n, const real *x, const real *y) {
    real sum = {0};
    for (int k = 0; k < n; k++) sum += x[k] * y[k];
    return sum;
}

REAL_INLINE real energy_size(int n, const real *x, const real *y) {
    real sum = {0};
    for (int k = 0; k < n; k++) sum += noe_abs(x[k] * y[k]);
    return sum;
}

/* The line from stage i to an end: dt, dq and dp. */
REAL_INLINE real energy_line_integral(const struct noe_interval *interval,
                                      const struct prk_view *prk, const struct energy_view *at,
                                      const real *V, int i, bool to_end) {
    const struct tableau *t = prk->tableau;
    prk_sum(prk, t->a[i], prk->s, V, at->dq);
    prk_sum(prk, t->ahat[i], prk->s, prk->W, at->dp);
    for (int k = 0; k < prk->n; k++) {
        at->dq[k] =
            (to_end ? prk_component(prk, t->b, prk->s, V, k) : real_broadcast(0)) - at->dq[k];
        at->dp[k] = (to_end ? prk_component(prk, t->bhat, prk->s, prk->W, k) : real_broadcast(0)) -
                    at->dp[k];
    }
    return interval->h * (to_end ? 1 - t->c[i] : -t->c[i]);
}

/* The velocity at the fraction x of the line. If L = v.Mv/2 - U, at->p holds M^-1 dp. */
REAL_INLINE noe_lane_status energy_velocity(struct noe_interval *interval,
                                            const struct prk_view *prk,
                                            const struct energy_view *at, real t, const real *V,
                                            const real *P, scalar x) {
    for (int k = 0; k < prk->n; k++) at->v[k] = V[k];
    if (prk_is_separable(prk)) {
        for (int k = 0; k < prk->n; k++) at->v[k] += x * at->p[k];
        return lane_status_broadcast(NOE_OK);
    }
    for (int k = 0; k < prk->n; k++) at->p[k] = P[k] + x * at->dp[k];
    return legendre_velocity(interval->legendre, t, at->q, at->p, at->v);
}

/* The integral of (v - V).dp - (L_q - L_q,i).dq - (L_t - L_t,i) dt along the line. NaN if a
 * velocity does not exist. */
REAL_INLINE real energy_bend(struct noe_interval *interval, const struct prk_view *prk,
                             const struct energy_view *at, const real *V, int i, real dt) {
    const int n = prk->n;
    const real *Q = prk->Q + i * n, *P = prk->P + i * n;
    const real t = interval_time(interval, prk->tableau->c[i]);
    const bool is_separable = prk_is_separable(prk);
    real sum = {0};
    noe_lane_status outcome = lane_status_broadcast(NOE_OK);
    if (is_separable) outcome = legendre_velocity(interval->legendre, t, Q, at->dp, at->p);
    const real kinetic = is_separable ? energy_dot(n, at->p, at->dp) * 0.5 : real_broadcast(0);
    for (int j = 0; j < ENERGY_NODES; j++) {
        const scalar x = energy_node[j];
        for (int k = 0; k < n; k++) at->q[k] = Q[k] + x * at->dq[k];
        const noe_lane_status found = energy_velocity(interval, prk, at, t + x * dt, V, P, x);
        outcome = lane_status_select(found == NOE_OK, outcome, found);
        energy_gradient(interval, t + x * dt, at->q, at->v, prk->x, at->gradient);
        real change = -(at->gradient[n] - at->here[n]) * dt;
        for (int k = 0; k < n; k++) {
            change -= (at->gradient[k] - at->here[k]) * at->dq[k];
            if (!is_separable) change += (at->v[k] - V[k]) * at->dp[k];
        }
        sum += energy_weight[j] * change;
    }
    return real_select(outcome == NOE_OK, sum + kinetic, real_broadcast(NAN));
}

/* The energy defect at an end: the energy of the state minus the discrete energy. */
REAL_INLINE real energy_gap_at(struct noe_interval *interval, const real *u, bool to_end,
                               real *noise, real *work) {
    const struct prk_view prk = prk_view(interval);
    const struct energy_view at = energy_view(interval);
    const struct tableau *t = prk.tableau;
    const int n = prk.n;
    real energy_defect = {0}, size = {0}, done = {0};
    for (int i = 0; i < prk.s; i++) {
        const real *V = u + i * n;
        const real dt = energy_line_integral(interval, &prk, &at, u, i, to_end);
        const scalar b = t->b[i].value;
        energy_stage(interval, &prk, i, V, at.here);
        const real power = energy_has_power(interval) ? energy_dot(n, prk.W + i * n, V) -
                                                            energy_dot(n, at.here, V) - at.here[n]
                                                      : real_broadcast(0);
        energy_defect += b * energy_bend(interval, &prk, &at, V, i, dt);
        if (prk.s > 1) {
            const real slope = energy_dot(n, V, at.dp) - energy_dot(n, at.here, at.dq);
            const real left = interval->h * (to_end ? -t->c[i] : 1 - t->c[i]);
            energy_defect += b * (slope - at.here[n] * dt + left * power);
        }
        size += b * (energy_size(n, at.here, at.dq) + energy_size(n, V, at.dp) +
                     noe_abs(at.here[n] * dt));
        done += b * power;
    }
    *noise = 4 * NOE_EPSILON * size;
    *work = interval->h * done;
    return energy_defect;
}

static real stages_energy_defect(struct noe_interval *interval, const real *u, real *noise) {
    real work;
    return energy_gap_at(interval, u, false, noise, &work);
}

/* The discrete energy sum_i b_i (e_i + h c_i w_i), evaluated directly. Its round-off does not enter
 * the steps. */
REAL_INLINE real energy_evaluate(struct noe_interval *interval, const real *u) {
    const struct prk_view prk = prk_view(interval);
    const struct energy_view at = energy_view(interval);
    const struct tableau *t = prk.tableau;
    const int n = prk.n;
    real energy = {0};
    for (int i = 0; i < prk.s; i++) {
        const real *V = u + i * n, *Q = prk.Q + i * n, time = interval_time(interval, t->c[i]);
        real e = energy_dot(n, prk.P + i * n, V) - prk.system->lagrangian(prk.self, time, Q, V);
        if (energy_has_power(interval)) {
            energy_gradient(interval, time, Q, V, prk.x, at.here);
            const real force = energy_dot(n, prk.W + i * n, V) - energy_dot(n, at.here, V);
            e += interval->h * t->c[i] * (force - at.here[n]);
        }
        energy += t->b[i].value * e;
    }
    return energy;
}

/* The energy defect at the end is that of the start plus its change, whose round-off accumulates
 * over the steps. Or it is the energy minus the target, whose round-off is larger but does not
 * accumulate. The result is their weighted mean. */
static void stages_close_energy(struct noe_interval *interval, const real *u, real energy_defect) {
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    real noise, work, size;
    to->energy = energy_evaluate(interval, u);
    const real carried =
        from->energy_defect + (energy_gap_at(interval, u, true, &noise, &work) - energy_defect);
    compensated_add(1, &to->energy_target, &to->energy_target_carry, &from->energy_target,
                    &from->energy_target_carry, &work);
    const real seen = energy_at_end(interval, &size) - to->energy_target;
    /* The terms of L have the size of q.L_q, which is known near the end. */
    size +=
        energy_size(interval_problem(interval)->system->n, energy_view(interval).gradient, to->q);
    const real gain = noise / (noise + 16 * NOE_EPSILON * size);
    to->energy_defect = carried + real_select(gain > 0, gain, real_broadcast(0)) * (seen - carried);
}

const struct energy_equation energy_of_stages = {stages_energy_defect, stages_close_energy, NULL};
