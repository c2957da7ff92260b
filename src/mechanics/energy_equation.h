/* The equation for the step size of methods that solve for it, and the guard of its solution. */
/* SPDX-License-Identifier: MIT */
#ifndef MECHANICS_ENERGY_EQUATION_H
#define MECHANICS_ENERGY_EQUATION_H

#include <stdbool.h>

#include "base/real.h"

struct noe_interval;

/* The discrete energy is preserved. The energy defect is the energy of a state minus the discrete
 * energy there. */
struct energy_equation {
    /* At a root u of the residual: the energy defect at the start, and its round-off. */
    real (*energy_defect)(struct noe_interval *, const real *u, real *noise);
    /* After `update`: writes energy, target and defect of the end; `energy_defect` is that of the
     * start. */
    void (*close_energy)(struct noe_interval *, const real *u, real energy_defect);
    /* The step size that preserves the energy if the increments of the step stay as they are; u
     * becomes the velocities of those. NULL: it is solved for together with the residual. */
    real (*rescale)(struct noe_interval *, real *u);
};

/* Conditions on an accepted step size. The first energy defect over h^order is the scale. */
struct step_guard {
    bool is_anchored; /* the first step size is used if the curvature is small; otherwise the run
                         stops */
    bool is_relative; /* the defect is preserved in proportion to the energy */
    scalar threshold; /* limit of a small curvature, relative to the first one */
    scalar cap; /* largest ratio of a step size to the first one, and of the first one to a step
                   size */
};

#endif
