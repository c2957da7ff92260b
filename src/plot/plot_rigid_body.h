/* Rotations and poses in a trajectory, found by the names of its columns, and their panels. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_BODIES_H
#define OUTPUT_BODIES_H

#include "plot/figure.h"

/* Columns: of R[1][1], x[1], the angular and the linear velocity and the momenta; those that follow
 * are the next components. */
struct body {
    char name[64]; /* of the rotation */
    int rotation, angular, momentum;
    int position, linear, linear_momentum; /* -1: it has none */
};

struct bodies {
    int count;
    struct body *body;
    bool failed; /* memory ran out */
};

void bodies_find(struct bodies *bodies, const struct noe_table *table);
void bodies_clear(struct bodies *bodies);
/* Does the column belong to a body? */
bool bodies_own(const struct bodies *bodies, int column);
/* If it is a number of the position of a body: the column of its velocity, else -1. */
int bodies_velocity(const struct bodies *bodies, int column);

/* The path of a body axis on the sphere, angular velocities, angular momentum in space. */
enum noe_status bodies_add_panels(const struct bodies *bodies, struct picture *picture,
                                  const struct noe_table *table, int time, const char *time_label,
                                  struct noe_error *error);

#endif
