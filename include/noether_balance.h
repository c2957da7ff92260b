/* Steps whose length is an unknown: the equation for it, and how it is watched. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_BALANCE_H
#define NOETHER_BALANCE_H

#include <stdbool.h>

#include "noether_real.h"

struct noe_interval;

/* The equation for the length of a step, where that is an unknown: the discrete energy is kept.
 * A gap is the energy of a state less the discrete energy there. */
struct noe_energy_equation {
    /* At a root u of the residual: the gap at the start, and its round-off. */
    noe_real (*energy_defect)(struct noe_interval *, const noe_real *u, noe_real *noise);
    /* After `finish`: writes energy, anchor and gap of the end; `gap` is that of the start. */
    void (*close_energy)(struct noe_interval *, const noe_real *u, noe_real energy_defect);
    /* The length for which the energy is kept if the increments of the step stay as they are; u
     * becomes the velocities of those. NULL: the length is solved for with the residual. */
    noe_real (*rescale)(struct noe_interval *, noe_real *u);
};

/* How a step whose length is an unknown is watched; the first gap over h^order is its scale. */
struct noe_step_guard {
    bool is_anchored; /* steps of the first length where the curvature is small; else it stops */
    bool is_relative; /* the gap is kept in proportion to the energy */
    noe_scalar threshold; /* what counts as small, relative to the first */
    noe_scalar cap;       /* the longest step over the first, and the first over the shortest */
};

#endif
