/* One body that turns by steps whose length is an unknown: what its methods share. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_ENERGY_BODY_H
#define METHODS_ENERGY_BODY_H

#include "methods/fast/rigid_body.h"
#include "methods/energy_adaptive/fast/bordered_newton.h"

/* The body, and at the start of a step its potential, the discrete energy that is wanted and the
 * gap. */
struct energy_body {
    struct body body;
    real mobility[9]; /* one over the mass */
    real U, anchor, gap;
};

static inline void energy_body_load(struct energy_body *at, const struct noe_interval *interval,
                                    const struct body_mass *mass) {
    const struct noe_space *space = interval_problem(interval)->system->factors->space;
    real R[9];
    body_load(interval, 3, space, &at->body);
    walk_point(space, &at->body.g, R);
    at->U = body_potential(interval, interval->t, R);
    if (mass->is_diagonal) {
        for (int i = 0; i < 3; i++) at->mobility[4 * i] = 1 / mass->M[4 * i];
        return;
    }
    const real inverse = 1 / three_adjugate(at->mobility, mass->M);
    for (int e = 0; e < 9; e++) at->mobility[e] *= inverse;
}

/* p.M^-1 p/2 + U. */
STEP_INLINE real energy_body_hamiltonian(const struct energy_body *at,
                                         const struct body_mass *mass) {
    const real *p = at->body.p;
    real v[3];
    for (int i = 0; i < 3; i++) v[i] = at->mobility[4 * i] * p[i];
    if (!mass->is_diagonal) three_apply(v, at->mobility, p);
    return 0.5 * three_dot(p, v) + at->U;
}

/* The gap is a difference of energies of this size. */
STEP_INLINE void energy_body_balance(const struct energy_body *at, real E, real size,
                                     struct energy_look *look) {
    look->gap = at->gap + (at->anchor - E);
    look->noise = 2 * NOE_EPSILON * size;
}

/* E_uu is about M: d leaves about h|u| of what its square gives. */
STEP_INLINE real energy_body_bend(const struct body_mass *mass, real h, const real *u,
                                  const real *d, real *left) {
    real Md[3];
    body_momentum(mass, d, Md);
    const real bent = 0.5 * three_dot(d, Md);
    *left = bent * h * noe_sqrt(three_dot(u, u));
    return bent;
}

/* `count` steps by the rule, unless one of several fails. */
STEP_INLINE noe_outcome energy_body_run(struct noe_interval *interval, long count,
                                        const struct energy_rule *rule, length_probe *probe,
                                        void *self, struct energy_body *at) {
    const struct noe_space *space = interval_problem(interval)->system->factors->space;
    struct energy_search search = {.self = self, .past = at->body.past};
    struct energy_clock clock;
    if (!energy_few_run(interval, count, 3, rule, probe, &search, &clock)) return clock.outcome;
    body_store(interval, 3, space, &at->body, count);
    energy_few_store(interval, &clock, count);
    return clock.outcome;
}

#endif
