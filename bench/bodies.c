/* Rigid bodies: Lie group integrators by hand and compiled from a model. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "hand.h"
#include "race.h"
#include "timing.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void race(const struct problem *problem, const struct solver *hand, const char *method,
                 double step) {
    const struct solver library = solver_library(method), generic = solver_generic(method);
    const struct solver *solvers[] = {hand, &library, &generic};
    race_run(problem, step, COUNT(solvers), solvers, NULL);
}

int main(void) {
    timing_report_open("bodies", "Rigid bodies: a pendulum in space, and a body without forces");
    race_head();
    race(&problem_body, &hand_body_lgvi, "lgvi", 0.001);
    race(&problem_body, &hand_body_lgvi, "lgvi", 0.01);
    race(&problem_body, &hand_body_midpoint, "midpoint", 0.001);
    race(&problem_body, &hand_body_midpoint, "midpoint", 0.01);
    race(&problem_free_body, &hand_free_flv, "flv", 0.05);
    race(&problem_free_body, &hand_free_tln, "tln", 0.05);
    race(&problem_free_body, &hand_free_rk4, "rk4", 0.05);
    timing_report_close();
    return 0;
}
