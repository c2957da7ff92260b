/* The discrete energy of Hamilton-Pontryagin integrators with nodes at the ends. */
/* SPDX-License-Identifier: MIT */
#include "methods/energy_adaptive/discrete_energy_nodes.h"
#include "methods/hamilton_pontryagin/endpoint.h"

/* If L = V.MV/2 - U, the momenta at both ends are equal. */
REAL_INLINE struct energy_sum energy_endpoint(struct noe_interval *interval, const real *u) {
    const struct endpoint_view endpoint = endpoint_view(interval);
    struct energy_sum sum = {real_broadcast(0), real_broadcast(0), real_broadcast(0)};
    product_retract(endpoint.system, endpoint.tau, endpoint.Q, interval->from->q, endpoint.X);
    energy_add_node(interval, &sum, endpoint.endpoint->b0, 0, interval->from->q, u,
                    endpoint.start.P, endpoint.start.W);
    energy_add_node(interval, &sum, endpoint.endpoint->b1, 1, endpoint.Q, u, endpoint.start.P,
                    endpoint.end.W);
    return sum;
}

static real endpoint_energy_defect(struct noe_interval *interval, const real *u, real *noise) {
    const struct energy_sum sum = energy_endpoint(interval, u);
    return energy_gap(interval, &sum, noise);
}

static void endpoint_close_energy(struct noe_interval *interval, const real *u,
                                  real energy_defect) {
    (void)energy_defect;
    const struct energy_sum sum = energy_endpoint(interval, u);
    energy_close_energy(interval, &sum);
}

const struct energy_equation energy_of_endpoint = {endpoint_energy_defect, endpoint_close_energy,
                                                   NULL};

/* Solves T(hV/h1) = E - U for h1 with fixed increments hV, T = P.V/2: one pass of the sequence of
 * Sharma (2020), 5.35. The energy is then exact, the momentum equation is not. */
static real endpoint_rescale(struct noe_interval *interval, real *u) {
    const struct endpoint_view endpoint = endpoint_view(interval);
    const struct energy_sum sum = energy_endpoint(interval, u);
    real kinetic = {0};
    for (int k = 0; k < endpoint.n; k++) kinetic += 0.5 * endpoint.start.P[k] * u[k];
    const real factor = noe_sqrt(kinetic / (kinetic + (interval->from->energy_target - sum.start)));
    for (int k = 0; k < endpoint.n; k++) u[k] /= factor;
    return interval->h * factor;
}

const struct energy_equation energy_of_endpoint_onepass = {endpoint_energy_defect,
                                                           endpoint_close_energy, endpoint_rescale};
