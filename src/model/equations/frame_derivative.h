/* Frame derivative: differentiation along the left-invariant vector fields of the configuration
 * space, one for each velocity component. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EQUATIONS_FRAME_DERIVATIVE_H
#define MODEL_EQUATIONS_FRAME_DERIVATIVE_H

#include "model/definition.h"

/* Vector field i of n moves the components rate[first[i]] .. rate[first[i + 1] - 1] of the point.
 * On R^n it moves one component at rate 1. On a group it moves several, at rates given by the frame
 * of the space. */
struct frame_derivative {
    int n, np;
    int *first;
    struct graph_rate *rate;
    int *begin, *end; /* by direction: range of its group; on R^n the direction itself */
    const struct noe_space **space; /* by direction */
    int *mover;  /* by component of the point: first direction that may move it */
    int *leaf;   /* scratch: np indices of components */
    bool *moves; /* scratch: np flags, all false between calls */
};

/* Adds the rates to the model's graph. False if memory ran out. */
bool frame_make(struct frame_derivative *directions, struct definition *model);
void frame_clear(struct frame_derivative *directions);

/* Derivative of `root` along direction i. */
int frame_rate(const struct frame_derivative *directions, struct graph *graph, int root, int i);
/* Derivatives of `root` along all directions. False if memory ran out. */
bool frame_gradient(const struct frame_derivative *directions, struct graph *graph, int root,
                    int *rate);
/* Time derivative root' = root_q v + root_t. rate[i] is the derivative along direction i, and
 * `along` lists the `count` directions on which root depends. */
int frame_rate_in_time(struct graph *graph, int root, int count, const int *along, const int *rate);
/* Structure constant: component k of the Lie bracket of directions i and j of one group. The
 * derivative along i of the derivative along j, minus that in the other order, is the sum over k of
 * these times the derivatives along k. */
real frame_bracket(const struct frame_derivative *directions, int i, int j, int k);
/* Writes to `along` the directions that move a component of the point on which root depends,
 * ascending. Returns their number. */
int frame_of(const struct frame_derivative *directions, const struct graph *graph, int root,
             int *along);
/* True if direction i belongs to a group. */
static inline bool frame_on_group(const struct frame_derivative *directions, int i) {
    return directions->end[i] > directions->begin[i] + 1;
}

#endif
