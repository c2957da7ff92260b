/* Outer solar system: six bodies, explicit steps and Gauss' collocation of order 16. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "hand.h"
#include "race.h"
#include "timing.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void race_verlet(void) {
    const struct solver library = solver_library("verlet"), generic = solver_generic("verlet");
    const struct solver *solvers[] = {
        &hand_planets_verlet,
        &library,
        &generic,
        solver_peer("sundials", "erk heun"),
        solver_peer("gsl", "rk2"),
        solver_peer("odeint", "velocity_verlet"),
        solver_peer("petsc", "symplectic 2"),
    };
    race_run(&problem_planets, 10, COUNT(solvers), solvers, NULL);
}

static void race_order4(void) {
    const struct solver library = solver_library("splitting order=4");
    const struct solver generic = solver_generic("splitting order=4");
    const struct solver *solvers[] = {
        &hand_planets_order4,
        &library,
        &generic,
        solver_peer("sundials", "erk rk4"),
        solver_peer("gsl", "rk4"),
        solver_peer("odeint", "runge_kutta4"),
        solver_peer("odeint", "sb3a_mclachlan"),
        solver_peer("petsc", "rk4"),
    };
    race_run(&problem_planets, 50, COUNT(solvers), solvers, NULL);
}

static void race_gauss(void) {
    const struct solver library = solver_library("gauss stages=8");
    const struct solver generic = solver_generic("gauss stages=8");
    const struct solver *solvers[] = {
        &hand_planets_gauss,         &library, &generic, solver_peer("sundials", "erk fehlberg8"),
        solver_peer("gsl", "rk8pd"),
    };
    race_run(&problem_planets, 200, COUNT(solvers), solvers, NULL);
}

int main(void) {
    timing_report_open("planets", "Outer solar system: explicit steps and Gauss of order 16");
    race_head();
    race_verlet();
    race_order4();
    race_gauss();
    race_foot();
    timing_report_close();
    return 0;
}
