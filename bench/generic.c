/* Cost of generic callbacks: the library's step against a loop written by hand. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "forces.h"
#include "hand.h"
#include "race.h"
#include "systems.h"
#include "timing.h"

/* --- The double pendulum as callbacks. */

#define ARGUMENTS const struct noe_system *s, double t, const double *q, const double *v
#define UNUSED    (void)s, (void)t

static double lagrangian(ARGUMENTS) {
    UNUSED;
    return PENDULUM_A * v[0] * v[0] / 2 + PENDULUM_B * v[1] * v[1] / 2 +
           PENDULUM_C * v[0] * v[1] * cos(q[0] - q[1]) + PENDULUM_E * cos(q[0]) +
           PENDULUM_F * cos(q[1]);
}

static void first(ARGUMENTS, double *p, double *w) {
    UNUSED;
    forces_pendulum_first(q, v, p, w);
}

static void second(ARGUMENTS, double *p, double *w, double *d) {
    UNUSED;
    forces_pendulum_second(q, v, p, w, d);
}

static const struct noe_system pendulum = {
    .name = "double pendulum",
    .n = 2,
    .nz = 4,
    .traits = NOE_QUADRATIC | NOE_AUTONOMOUS | NOE_UNFORCED,
    .lagrangian = lagrangian,
    .first = first,
    .second = second,
};

int main(void) {
    const struct solver verlet = solver_callbacks("verlet", &henon_heiles);
    const struct solver midpoint = solver_callbacks("midpoint", &pendulum);
    timing_report_open("generic", "The library with callbacks written in C");
    race_head();
    race_run(&problem_henon_heiles, 0.01, 2,
             (const struct solver *[]){&hand_henon_heiles_verlet, &verlet}, NULL);
    race_run(&problem_pendulum, 0.001, 2,
             (const struct solver *[]){&hand_pendulum_midpoint, &midpoint}, NULL);
    timing_report_close();
    return 0;
}
