/* How the numbers of a point move with each number of its velocity. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EQUATIONS_FRAME_DERIVATIVE_H
#define MODEL_EQUATIONS_FRAME_DERIVATIVE_H

#include "model/definition.h"

/* Direction i of n: the rates of the points' numbers are rate[first[i]] .. rate[first[i + 1] - 1].
 * On R^n one number moves at rate 1; on a group several do, at rates that its frame says. */
struct frame_derivative {
    int n, np;
    int *first;
    struct graph_rate *rate;
    int *begin, *end;               /* by direction: those of its group; on R^n itself alone */
    const struct noe_space **space; /* by direction */
    int *mover;  /* by number of the point: the first direction that may move it */
    int *leaf;   /* scratch: np numbers of the point, */
    bool *moves; /* and np flags, all false between calls */
};

/* Adds to the model's graph what the rates need; false when memory ran out. */
bool frame_make(struct frame_derivative *directions, struct definition *model);
void frame_clear(struct frame_derivative *directions);

/* The rate of `root` along direction i. */
int frame_rate(const struct frame_derivative *directions, struct graph *graph, int root, int i);
/* The same for all directions; false when memory ran out. */
bool frame_gradient(const struct frame_derivative *directions, struct graph *graph, int root,
                    int *rate);
/* root' = root_q v + root_t, where rate[i] is its rate along direction i and the `count` directions
 * `along` are those that matter. */
int frame_rate_in_time(struct graph *graph, int root, int count, const int *along, const int *rate);
/* The part of direction k in the bracket of i and j of one group: the rate along i of the rate
 * along j, less that in the other order, is the sum of these times the rates along k. */
real frame_bracket(const struct frame_derivative *directions, int i, int j, int k);
/* Writes to `along` the directions that move a number of the point on which root depends,
 * ascending; returns their count. */
int frame_of(const struct frame_derivative *directions, const struct graph *graph, int root,
             int *along);
/* Is it the direction of a group? */
static inline bool frame_on_group(const struct frame_derivative *directions, int i) {
    return directions->end[i] > directions->begin[i] + 1;
}

#endif
