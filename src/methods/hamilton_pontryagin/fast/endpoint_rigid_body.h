/* The drift of one rigid body with the retraction `new`. Without a potential these are the discrete
 * Moser-Veselov equations.
 *
 * With u = V/sqrt(1 - X.X/4), X = hV, tau(X) = cay(hu), the equation T(X)^-1 M V = m becomes
 *     M u = m + (h/2) m cross u + (h^2/4) (m.u) u,
 * which is quadratic and has no square roots (Lee, Leok and McClamroch, 2007). */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_HAMILTON_PONTRYAGIN_FAST_ENDPOINT_RIGID_BODY_H
#define METHODS_HAMILTON_PONTRYAGIN_FAST_ENDPOINT_RIGID_BODY_H

#include "mechanics/rigid_body.h"

/* The equation of the drift. */
struct body_drift {
    int tau;
    real h;
    struct rigid_body_mass mass;
    real m[3];
};

/* r = M u - m - (h/2) m cross u - (h^2/4) (m.u) u, J = M - (h/2) m^ - (h^2/4) ((m.u) I + u m^T). */
REAL_INLINE void body_new(const void *self, int n, const real *u, real *r, real *J) {
    const struct body_drift *drift = self;
    const real half = 0.5 * drift->h, *m = drift->m, *M = drift->mass.M;
    const real a[3] = {half * m[0], half * m[1], half * m[2]};
    const real y[3] = {half * u[0], half * u[1], half * u[2]}, along = vec3_dot(a, y);
    real P[3], turned[3];
    rigid_body_momentum(&drift->mass, u, P);
    vec3_cross(turned, a, u);
    for (int i = 0; i < n; i++) r[i] = P[i] - m[i] - (turned[i] + along * u[i]);
    if (!J) return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const bool has_mass = rigid_body_mass_has(&drift->mass, i, j);
            const real outer = y[i] * a[j], entry = i == j ? along + outer : outer;
            J[3 * i + j] = has_mass ? M[3 * i + j] - entry : -entry;
        }
    vec3_add_hat(J, real_broadcast(-1), a);
}

/* Quadratic remainder: r(u - d) = -(h^2/4) (m.d) d. */
REAL_INLINE void body_remainder(const void *self, int n, const real *d, real *r) {
    const struct body_drift *drift = self;
    const real factor = (-0.25 * drift->h * drift->h) * vec3_dot(drift->m, d);
    for (int i = 0; i < n; i++) r[i] = factor * d[i];
}

static const struct small_newton_equation body_quadratic = {.residual = body_new,
                                                            .quadratic_remainder = body_remainder};

#endif
