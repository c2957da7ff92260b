/* The discrete energy of methods with one velocity a step and nodes at both ends. */
/* SPDX-License-Identifier: MIT */
#include "methods/energy_adaptive/discrete_energy_nodes.h"
#include "methods/hamilton_pontryagin/endpoint.h"

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
