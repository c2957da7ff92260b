/* Energy-adaptive steps against steps of fixed size: by hand and compiled from a model. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "hand.h"
#include "race.h"
#include "timing.h"

enum { BY_HAND, NOETHER, GENERIC, SOLVERS };

static void race(const struct problem *problem, double step, const struct solver *hand,
                 const char *method, struct race_result *results) {
    const struct solver library = solver_library(method), generic = solver_generic(method);
    const struct solver *solvers[SOLVERS] = {hand, &library, &generic};
    race_run(problem, step, hand ? SOLVERS : GENERIC + 1, solvers, results);
}

/* Cost of an energy-adaptive step relative to a fixed step. */
static void compare(const struct problem *problem, double step, const struct solver *fixed_hand,
                    const struct solver *hand, const char *fixed, const char *adaptive) {
    struct race_result given[SOLVERS], found[SOLVERS];
    race(problem, step, fixed_hand, fixed, given);
    race(problem, step, hand, adaptive, found);
    timing_say("    %s, h = %g: a step of %s takes %.2f times as long as one of %s (by hand %.2f)",
               problem->name, step, adaptive, found[NOETHER].seconds / given[NOETHER].seconds,
               fixed, found[BY_HAND].seconds / given[BY_HAND].seconds);
}

int main(void) {
    static const char anchored[] = "lgvi-energy guard=anchored";
    timing_report_open("energy", "Steps that keep the discrete energy");
    race_head();
    for (int i = 0; i < 2; i++) {
        const double h = i ? 0.01 : 0.001;
        compare(&problem_body, h, &hand_body_lgvi, &hand_body_lgvi_energy, "lgvi", anchored);
        compare(&problem_body, h, &hand_body_midpoint, NULL, "midpoint", "energy-midpoint");
    }
    for (int i = 0; i < 2; i++)
        compare(&problem_double_well, i ? 0.1 : 0.01, &hand_well_midpoint, &hand_well_energy,
                "midpoint", "energy-midpoint");
    timing_report_close();
    return 0;
}
