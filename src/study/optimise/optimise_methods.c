/* Descent methods. They are not integrators of the registry, because they have no time step, no
 * order and no energy to preserve. Their figure of merit is the rate of convergence. */
/* SPDX-License-Identifier: MIT */
#include "study/optimise/optimise.h"

/* Gradient descent, x = -step grad f. */

static struct noe_descent_rate gradient_rate(const noe_scalar *option) {
    return (struct noe_descent_rate){.step = option[0]};
}

static void gradient_advance(struct optimise_state *s) {
    for (int i = 0; i < s->objective->n; i++) s->displacement[i] = -s->option[0] * s->gradient[i];
}

static const struct noe_option gradient_options[] = {
    {"step", NOE_NUMBER, NAN, 0, INFINITY, NULL, "how far along the negative gradient"},
    {.name = NULL},
};

/* Momentum method. It is the variational integrator with step 1 of a unit mass with friction,
 *   L_d = |q1 - q0|^2/2 - eta f(q0),  f_d^- = -gamma (q1 - q0),  f_d^+ = 0:
 *   p1 = q1 - q0 = mu p0 - step grad f(q0),  mu = 1/(1 + gamma),  step = eta/(1 + gamma). */

static struct noe_descent_rate momentum_rate(const noe_scalar *option) {
    return (struct noe_descent_rate){.step = option[0], .momentum = option[1]};
}

static void momentum_advance(struct optimise_state *s) {
    for (int i = 0; i < s->objective->n; i++) {
        s->velocity[i] = s->option[1] * s->velocity[i] - s->option[0] * s->gradient[i];
        s->displacement[i] = s->velocity[i];
    }
}

/* Nesterov's method: the momentum method with the gradient at q + mu p. */

static struct noe_descent_rate nesterov_rate(const noe_scalar *option) {
    return (struct noe_descent_rate){option[0], option[1], true};
}

static void nesterov_advance(struct optimise_state *s) {
    const int n = s->objective->n;
    for (int i = 0; i < n; i++) s->displacement[i] = s->option[1] * s->velocity[i];
    optimise_move(s, s->ahead, s->q, s->displacement);
    s->objective->evaluate(s->objective, s->ahead, s->slope);
    for (int i = 0; i < n; i++) {
        s->velocity[i] = s->displacement[i] - s->option[0] * s->slope[i];
        s->displacement[i] = s->velocity[i];
    }
}

static const struct noe_option momentum_options[] = {
    {"step", NOE_NUMBER, NAN, 0, INFINITY, NULL, "weight of the gradient"},
    {"mu", NOE_NUMBER, NAN, 0, 1, NULL, "how much of the last displacement is kept"},
    {.name = NULL},
};

/* Accelerated descent on groups: W1 = mu W0 - epsilon grad f(R0), R1 = R0 exp(h W1). */

static struct noe_descent_rate agd_rate(const noe_scalar *option) {
    return (struct noe_descent_rate){.step = option[0] * option[1], .momentum = option[2]};
}

static void agd_advance(struct optimise_state *s) {
    for (int i = 0; i < s->objective->n; i++) {
        s->velocity[i] = s->option[2] * s->velocity[i] - s->option[1] * s->gradient[i];
        s->displacement[i] = s->option[0] * s->velocity[i];
    }
}

static const struct noe_option agd_options[] = {
    {"h", NOE_NUMBER, NAN, 0, INFINITY, NULL, "the time of an iteration"},
    {"epsilon", NOE_NUMBER, NAN, 0, INFINITY, NULL, "weight of the gradient"},
    {"mu", NOE_NUMBER, NAN, 0, 1, NULL, "how much of the velocity is kept"},
    {.name = NULL},
};

/* Symplectic accelerated descent: the Lie group variational integrator of a spherical body of
 * inertia j with friction gamma,
 *   L_d = tr((1 - F) J_d)/h - h eta f(R1),  F = R0^-1 R1,  torque -h gamma W0 at R0:
 *   sin(angle) axis of F = h W0+,  W0+ = (1 - gamma h/j) W0,  W1 = W0+ - (h eta/j) grad f(R1),
 * from W = -(h eta/j) grad f. If the sine would exceed 1, there is no such F: the angle is then
 * clipped to pi/2, and the clipping is counted. On R^n the same principle has the displacement h
 * W0+. */

enum { SAGD_J, SAGD_H, SAGD_ETA, SAGD_GAMMA };

static real sagd_kept(const noe_scalar *option) {
    return 1 - option[SAGD_GAMMA] * option[SAGD_H] / option[SAGD_J];
}

static struct noe_descent_rate sagd_rate(const noe_scalar *option) {
    const real kick = option[SAGD_H] * option[SAGD_ETA] / option[SAGD_J];
    return (struct noe_descent_rate){.step = option[SAGD_H] * sagd_kept(option) * kick,
                                     .momentum = sagd_kept(option)};
}

/* Converts sin(angle) axis to the rotation vector. True if it was clipped. */
static bool sagd_angle(real *x) {
    const real sine = optimise_norm(3, x);
    const bool is_clipped = sine > 1;
    const real angle = noe_asin(is_clipped ? 1 : sine);
    for (int i = 0; i < 3 && sine > 0; i++) x[i] *= angle / sine;
    return is_clipped;
}

static void sagd_advance(struct optimise_state *s) {
    const noe_scalar *option = s->option;
    const real kept = sagd_kept(option), kick = option[SAGD_H] * option[SAGD_ETA] / option[SAGD_J];
    real *x = s->displacement;
    bool is_clipped = false;
    for (int i = 0; i < s->objective->n; i++) {
        s->velocity[i] = s->velocity[i] - kick * s->gradient[i];
        s->velocity[i] *= kept;
        x[i] = option[SAGD_H] * s->velocity[i];
    }
    for (int f = 0; f < s->objective->nfactors; f++) {
        const struct noe_factor *factor = &s->objective->factors[f];
        if (factor->space->frame) is_clipped |= sagd_angle(x);
        x += factor->space->tangent * factor->size;
    }
    s->clipped += is_clipped;
}

static const struct noe_option sagd_options[] = {
    {"j", NOE_NUMBER, NAN, 0, INFINITY, NULL, "the inertia"},
    {"h", NOE_NUMBER, NAN, 0, INFINITY, NULL, "the time of an iteration"},
    {"eta", NOE_NUMBER, NAN, 0, INFINITY, NULL, "weight of the objective in the Lagrangian"},
    {"gamma", NOE_NUMBER, NAN, 0, INFINITY, NULL, "the friction"},
    {.name = NULL},
};

const struct optimise_method optimise_methods[] = {
    {"gradient-descent", "along the negative gradient", "Sharma 2020, (7.3) and (7.23)",
     NOE_ON_VECTORS | NOE_ON_EXPONENTIAL, gradient_options, gradient_rate, gradient_advance},
    {"momentum", "the variational integrator of a mass with friction",
     "Polyak 1964; Sharma 2020, section 7.1.3", NOE_ON_VECTORS, momentum_options, momentum_rate,
     momentum_advance},
    {"nesterov", "momentum with the gradient where it would lead", "Nesterov 1983", NOE_ON_VECTORS,
     momentum_options, nesterov_rate, nesterov_advance},
    {"agd", "accelerated descent on groups", "Sharma 2020, (7.24) and (7.25)",
     NOE_ON_VECTORS | NOE_ON_EXPONENTIAL, agd_options, agd_rate, agd_advance},
    {"sagd", "the Lie group variational integrator of a round body with friction",
     "Sharma 2020, (7.34), (7.36) and (7.37)", NOE_ON_VECTORS | NOE_ON_ROTATIONS, sagd_options,
     sagd_rate, sagd_advance},
    {.name = NULL},
};

int optimise_method_count(void) {
    int count = 0;
    while (optimise_methods[count].name) count++;
    return count;
}

const struct optimise_method *optimise_method_at(int index) { return &optimise_methods[index]; }
