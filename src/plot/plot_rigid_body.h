/* Rotations and poses in a trajectory, found by the names of its columns, and their panels. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_PLOT_RIGID_BODY_H
#define PLOT_PLOT_RIGID_BODY_H

#include "plot/figure.h"

/* Columns: of R[1][1], x[1], the angular and the linear velocity and the momenta; those that follow
 * are the next components. */
struct rigid_body {
    char name[64]; /* of the rotation */
    int rotation, angular, momentum;
    int position, linear, linear_momentum; /* -1: it has none */
};

struct plot_rigid_bodies {
    int count;
    struct rigid_body *body;
    bool failed; /* memory ran out */
};

void plot_rigid_body_find(struct plot_rigid_bodies *bodies, const struct noe_table *table);
void plot_rigid_body_clear(struct plot_rigid_bodies *bodies);
/* Does the column belong to a body? */
bool plot_rigid_body_own(const struct plot_rigid_bodies *bodies, int column);
/* If it is a number of the position of a body: the column of its velocity, else -1. */
int plot_rigid_body_velocity(const struct plot_rigid_bodies *bodies, int column);

/* The path of a body axis on the sphere, angular velocities, angular momentum in space. */
enum noe_status plot_rigid_body_add_panels(const struct plot_rigid_bodies *bodies,
                                           struct figure *picture, const struct noe_table *table,
                                           int time, const char *time_label,
                                           struct noe_error *error);

#endif
