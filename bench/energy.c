/* Steps whose length is an unknown against steps of given length: by hand and compiled from a
 * model. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "hand.h"
#include "race.h"
#include "timing.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Fixed and adaptive by hand, then by the library. */
static void race(const struct problem *problem, double step, const struct solver *fixed_hand,
                 const char *fixed, const char *adaptive) {
    const struct solver library = solver_library(adaptive), generic = solver_generic(adaptive);
    const struct solver plain = solver_library(fixed);
    const struct solver *solvers[] = {fixed_hand, &plain, &library, &generic};
    race_run(problem, step, COUNT(solvers), solvers, NULL);
}

int main(void) {
    timing_report_open("energy", "Steps that keep the discrete energy");
    race_head();
    race(&problem_body, 0.001, &hand_body_lgvi, "lgvi", "lgvi-energy guard=anchored");
    race(&problem_body, 0.01, &hand_body_lgvi, "lgvi", "lgvi-energy guard=anchored");
    race(&problem_body, 0.001, &hand_body_midpoint, "midpoint", "energy-midpoint");
    race(&problem_body, 0.01, &hand_body_midpoint, "midpoint", "energy-midpoint");
    timing_report_close();
    return 0;
}
