/* Double pendulum: implicit steps with a small matrix, and Gauss' collocation of order 16. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "hand.h"
#include "race.h"
#include "timing.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

int main(void) {
    const struct solver midpoint = solver_library("midpoint");
    const struct solver gauss = solver_library("gauss stages=8");
    const struct solver generic = solver_generic("midpoint");
    const struct solver generic_gauss = solver_generic("gauss stages=8");
    const struct solver *second[] = {
        &hand_pendulum_midpoint,
        &midpoint,
        &generic,
        solver_peer("sundials", "dirk midpoint"),
        solver_peer("gsl", "rk2imp"),
        solver_peer("petsc", "midpoint"),
    };
    const struct solver *high[] = {
        &hand_pendulum_gauss,
        &gauss,
        &generic_gauss,
        solver_peer("sundials", "erk fehlberg8"),
        solver_peer("gsl", "rk8pd"),
    };
    timing_report_open("pendulum", "Double pendulum: midpoint rule and Gauss of order 16");
    race_head();
    race_run(&problem_pendulum, 0.001, COUNT(second), second, NULL);
    race_run(&problem_pendulum, 0.01, COUNT(second), second, NULL);
    race_run(&problem_pendulum, 0.05, COUNT(high), high, NULL);
    race_foot();
    timing_report_close();
    return 0;
}
