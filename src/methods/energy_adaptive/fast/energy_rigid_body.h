/* Functions shared by the energy-adaptive kernels of one rigid body. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_ENERGY_ADAPTIVE_FAST_ENERGY_RIGID_BODY_H
#define METHODS_ENERGY_ADAPTIVE_FAST_ENERGY_RIGID_BODY_H

#include "mechanics/rigid_body.h"
#include "methods/energy_adaptive/fast/bordered_newton.h"

/* The body, and at the start of a step its potential, target energy and energy defect. */
struct energy_body {
    struct rigid_body body;
    real mobility[9]; /* inverse of the mass matrix */
    real U, energy_target, energy_defect;
};

static inline void energy_body_load(struct energy_body *at, const struct noe_interval *interval,
                                    const struct rigid_body_mass *mass) {
    const struct noe_space *space = interval_problem(interval)->system->factors->space;
    real R[9];
    rigid_body_load(interval, 3, space, &at->body);
    group_accumulator_point(space, &at->body.g, R);
    at->U = rigid_body_potential(interval, interval->t, R);
    if (mass->is_diagonal) {
        for (int i = 0; i < 3; i++) at->mobility[4 * i] = 1 / mass->M[4 * i];
        return;
    }
    const real inverse = 1 / vec3_adjugate(at->mobility, mass->M);
    for (int e = 0; e < 9; e++) at->mobility[e] *= inverse;
}

/* p.M^-1 p/2 + U. */
REAL_INLINE real energy_body_hamiltonian(const struct energy_body *at,
                                         const struct rigid_body_mass *mass) {
    const real *p = at->body.p;
    real v[3];
    for (int i = 0; i < 3; i++) v[i] = at->mobility[4 * i] * p[i];
    if (!mass->is_diagonal) vec3_apply(v, at->mobility, p);
    return 0.5 * vec3_dot(p, v) + at->U;
}

/* The energy defect is a difference of energies of this size. */
REAL_INLINE void energy_body_equation(const struct energy_body *at, real E, real size,
                                      struct bordered_evaluation *values) {
    values->energy_defect = at->energy_defect + (at->energy_target - E);
    values->noise = 2 * NOE_EPSILON * size;
}

/* E_uu is about M, so d leaves about h|u| times its quadratic term. */
REAL_INLINE real energy_body_quadratic(const struct rigid_body_mass *mass, real h, const real *u,
                                       const real *d, real *left) {
    real Md[3];
    rigid_body_momentum(mass, d, Md);
    const real quadratic = 0.5 * vec3_dot(d, Md);
    *left = quadratic * h * noe_sqrt(vec3_dot(u, u));
    return quadratic;
}

/* Takes `count` steps by the rule, unless one of several fails. */
REAL_INLINE noe_lane_status energy_body_run(struct noe_interval *interval, long count,
                                            const struct energy_rule *rule,
                                            step_search_probe *probe, void *self,
                                            struct energy_body *at) {
    const struct noe_space *space = interval_problem(interval)->system->factors->space;
    struct energy_search search = {.self = self, .past = at->body.past};
    struct energy_run_state clock;
    if (!bordered_run(interval, count, 3, rule, probe, &search, &clock)) return clock.outcome;
    rigid_body_store(interval, 3, space, &at->body, count);
    bordered_store(interval, &clock, count);
    return clock.outcome;
}

#endif
