/* Outer solar system: six bodies, explicit steps and Gauss' collocation of order 16. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "hand.h"
#include "race.h"
#include "timing.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

int main(void) {
    const struct solver verlet = solver_library("verlet");
    const struct solver order4 = solver_library("splitting order=4");
    const struct solver gauss = solver_library("gauss stages=8");
    const struct solver generic = solver_generic("verlet");
    const struct solver generic4 = solver_generic("splitting order=4");
    const struct solver generic_gauss = solver_generic("gauss stages=8");
    const struct solver *second[] = {
        &hand_planets_verlet,
        &verlet,
        &generic,
        solver_peer("sundials", "erk heun"),
        solver_peer("gsl", "rk2"),
        solver_peer("odeint", "velocity_verlet"),
        solver_peer("petsc", "symplectic 2"),
    };
    const struct solver *fourth[] = {
        &hand_planets_order4,
        &order4,
        &generic4,
        solver_peer("sundials", "erk rk4"),
        solver_peer("gsl", "rk4"),
        solver_peer("odeint", "runge_kutta4"),
        solver_peer("odeint", "sb3a_mclachlan"),
        solver_peer("petsc", "rk4"),
    };
    const struct solver *high[] = {
        &hand_planets_gauss,
        &gauss,
        &generic_gauss,
        solver_peer("sundials", "erk fehlberg8"),
        solver_peer("gsl", "rk8pd"),
    };
    timing_report_open("planets", "Outer solar system: explicit steps and Gauss of order 16");
    race_head();
    race_run(&problem_planets, 10, COUNT(second), second, NULL);
    race_run(&problem_planets, 50, COUNT(fourth), fourth, NULL);
    race_run(&problem_planets, 200, COUNT(high), high, NULL);
    race_foot();
    timing_report_close();
    return 0;
}
