/* One and two degrees of freedom: the cost of an explicit step relative to its arithmetic. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "hand.h"
#include "race.h"
#include "timing.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void race(const struct problem *problem, const struct solver *verlet,
                 const struct solver *leapfrog, const struct solver *order4) {
    const struct solver library = solver_library("verlet");
    const struct solver library4 = solver_library("splitting order=4");
    const struct solver generic = solver_generic("verlet");
    const struct solver generic4 = solver_generic("splitting order=4");
    const struct solver *second[] = {
        verlet,
        &library,
        &generic,
        leapfrog,
        solver_peer("sundials", "erk heun"),
        solver_peer("gsl", "rk2"),
        solver_peer("odeint", "velocity_verlet"),
        solver_peer("petsc", "symplectic 2"),
    };
    const struct solver *fourth[] = {
        order4,
        &library4,
        &generic4,
        solver_peer("sundials", "erk rk4"),
        solver_peer("gsl", "rk4"),
        solver_peer("odeint", "runge_kutta4"),
        solver_peer("odeint", "sb3a_mclachlan"),
        solver_peer("petsc", "rk4"),
    };
    race_run(problem, 0.01, COUNT(second), second, NULL);
    race_run(problem, 0.05, COUNT(fourth), fourth, NULL);
}

int main(void) {
    timing_report_open("oscillators", "Harmonic oscillator and Henon-Heiles, explicit steps");
    race_head();
    race(&problem_oscillator, &hand_oscillator_verlet, &hand_oscillator_leapfrog,
         &hand_oscillator_order4);
    race(&problem_henon_heiles, &hand_henon_heiles_verlet, &hand_henon_heiles_leapfrog,
         &hand_henon_heiles_order4);
    race_foot();
    timing_report_close();
    return 0;
}
