/* Rotations and poses in a table, identified by the names of its columns, and their panels. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_PLOT_RIGID_BODY_H
#define PLOT_PLOT_RIGID_BODY_H

#include "plot/figure.h"

/* Columns of R[1][1], x[1], the angular and linear velocity, and the momenta. Each is the first of
 * consecutive components. */
struct rigid_body {
    char name[64]; /* name of the rotation */
    int rotation, angular, momentum;
    int position, linear, linear_momentum; /* -1: not a pose */
};

struct plot_rigid_bodies {
    int count;
    struct rigid_body *body;
    bool failed; /* memory ran out */
};

void plot_rigid_body_find(struct plot_rigid_bodies *bodies, const struct noe_table *table);
void plot_rigid_body_clear(struct plot_rigid_bodies *bodies);
/* True if the column belongs to a rigid body. */
bool plot_rigid_body_own(const struct plot_rigid_bodies *bodies, int column);
/* Column of the velocity of a position component of a body; -1 for any other column. */
int plot_rigid_body_velocity(const struct plot_rigid_bodies *bodies, int column);

/* Adds the path of a body axis on the sphere, the angular velocities and the spatial angular
 * momentum. */
enum noe_status plot_rigid_body_add_panels(const struct plot_rigid_bodies *bodies,
                                           struct figure *picture, const struct noe_table *table,
                                           int time, const char *time_label,
                                           struct noe_error *error);

#endif
