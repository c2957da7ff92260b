/* The discrete energy on groups: nodes at t + c_i h with the velocities v_i that L sees,
 *     E_start = sum_i b_i (P_i.v_i - L_i - h (1 - c_i) w_i),   w_i = f_i.v_i - L_t,i,
 * as on R^n, for the increments of the step, which the ends fix, do not depend on h. The gap is a
 * difference of energies. */
/* SPDX-License-Identifier: MIT */
#include "base/sum.h"
#include "methods/energy.h"

/* Sums over nodes. */
struct energy_sum {
    real start, work, size;
};

/* Adds a node of weight b at the part c of the interval. */
STEP_INLINE void energy_add_node(struct noe_interval *interval, struct energy_sum *sum, scalar b,
                                 scalar c, const real *Q, const real *v, const real *P,
                                 const real *W) {
    const struct noe_system *system = interval_problem(interval)->system;
    const struct noe_system *self = interval->problem->system;
    const struct energy_view at = energy_view(interval);
    const real t = interval_time(interval, c), L = system->lagrangian(self, t, Q, v);
    real e = -L, power = {0}, size = noe_abs(L);
    for (int k = 0; k < system->n; k++) {
        e += P[k] * v[k];
        size += noe_abs(P[k] * v[k]);
    }
    if (system->gradient) {
        system->gradient(self, t, Q, v, at.gradient);
        power = -at.gradient[system->n];
        for (int k = 0; k < system->n; k++) power += (W[k] - at.gradient[k]) * v[k];
    }
    interval->evaluations++;
    sum->start += b * (e - interval->h * (1 - c) * power);
    sum->work += b * interval->h * power;
    sum->size += b * size;
}

/* The gap at the start; that of `from` and the discrete energy there are known. */
STEP_INLINE real energy_gap(const struct noe_interval *interval, const struct energy_sum *sum,
                            real *noise) {
    *noise = 2 * NOE_EPSILON * sum->size;
    return interval->from->gap + (interval->from->anchor - sum->start);
}

STEP_INLINE void energy_settle(struct noe_interval *interval, const struct energy_sum *sum) {
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    sum_add(1, &to->anchor, &to->anchor_carry, &from->anchor, &from->anchor_carry, &sum->work);
    to->energy = sum->start + sum->work;
    real size;
    to->gap = energy_at_end(interval, &size) - to->anchor;
}

/* --- Stages of a tableau. */

STEP_INLINE struct energy_sum energy_group_stages(struct noe_interval *interval) {
    const struct prk_view prk = prk_view(interval);
    struct energy_sum sum = {real_of(0), real_of(0), real_of(0)};
    for (int i = 0; i < prk.s; i++) {
        const struct chart_stage stage = prk_stage(&prk, i);
        energy_add_node(interval, &sum, prk.tableau->b[i].value, prk.tableau->c[i],
                        prk.Q + i * prk.np, stage.v, stage.P, stage.W);
    }
    return sum;
}

static real group_stages_gap(struct noe_interval *interval, const real *u, real *noise) {
    (void)u;
    const struct energy_sum sum = energy_group_stages(interval);
    return energy_gap(interval, &sum, noise);
}

static void group_stages_settle(struct noe_interval *interval, const real *u, real gap) {
    (void)u, (void)gap;
    const struct energy_sum sum = energy_group_stages(interval);
    energy_settle(interval, &sum);
}

const struct noe_balance energy_of_group_stages = {group_stages_gap, group_stages_settle, NULL};

/* --- One point in the middle. */

STEP_INLINE struct energy_sum energy_middle(struct noe_interval *interval, const real *u) {
    const struct middle_view middle = middle_view(interval);
    struct energy_sum sum = {real_of(0), real_of(0), real_of(0)};
    energy_add_node(interval, &sum, 1, 0.5, middle.Q, u, middle.P, middle.W);
    return sum;
}

static real middle_gap(struct noe_interval *interval, const real *u, real *noise) {
    const struct energy_sum sum = energy_middle(interval, u);
    return energy_gap(interval, &sum, noise);
}

static void middle_settle(struct noe_interval *interval, const real *u, real gap) {
    (void)gap;
    const struct energy_sum sum = energy_middle(interval, u);
    energy_settle(interval, &sum);
}

const struct noe_balance energy_of_middle = {middle_gap, middle_settle, NULL};

/* --- One velocity, both ends. */

/* The momenta at both ends are the same where L = V.MV/2 - U. */
STEP_INLINE struct energy_sum energy_ray(struct noe_interval *interval, const real *u) {
    const struct ray_view ray = ray_view(interval);
    struct energy_sum sum = {real_of(0), real_of(0), real_of(0)};
    product_retract(ray.system, ray.tau, ray.Q, interval->from->q, ray.X);
    energy_add_node(interval, &sum, ray.ray->b0, 0, interval->from->q, u, ray.start.P, ray.start.W);
    energy_add_node(interval, &sum, ray.ray->b1, 1, ray.Q, u, ray.start.P, ray.end.W);
    return sum;
}

static real ray_gap(struct noe_interval *interval, const real *u, real *noise) {
    const struct energy_sum sum = energy_ray(interval, u);
    return energy_gap(interval, &sum, noise);
}

static void ray_settle(struct noe_interval *interval, const real *u, real gap) {
    (void)gap;
    const struct energy_sum sum = energy_ray(interval, u);
    energy_settle(interval, &sum);
}

const struct noe_balance energy_of_ray = {ray_gap, ray_settle, NULL};

/* T(hV/h1) = E - U with the increments hV as they are, T = P.V/2: one pass of the sequence of
 * Sharma (2020), 5.35. The energy then is right, the momentum equation is not. */
static real ray_rescale(struct noe_interval *interval, real *u) {
    const struct ray_view ray = ray_view(interval);
    const struct energy_sum sum = energy_ray(interval, u);
    real kinetic = {0};
    for (int k = 0; k < ray.n; k++) kinetic += 0.5 * ray.start.P[k] * u[k];
    const real factor = noe_sqrt(kinetic / (kinetic + (interval->from->anchor - sum.start)));
    for (int k = 0; k < ray.n; k++) u[k] /= factor;
    return interval->h * factor;
}

const struct noe_balance energy_of_ray_onepass = {ray_gap, ray_settle, ray_rescale};
