/* Lie group operations on products of R^n, SO(3) and SE(3) as expressions: retractions, their
 * tangent maps and coadjoint action. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CONTROL_TRANSCRIBE_LIE_H
#define MODEL_CONTROL_TRANSCRIBE_LIE_H

#include "model/graph/graph.h"
#include "noether_system.h"

/* Retraction of the local coordinates of nodes: the Cayley map, which has no limit. */
enum { TRANSCRIBE_CHART = 0 };

/* Derivative of m.T(x)y by x, made once for each kind of group and then copied. */
struct transcribe_slope {
    struct graph graph;
    int size, slope[6];
};

/* Arrays hold nodes of `graph`: points g as in the system, tangents x, y and covectors m of all
 * factors in sequence. */
struct transcribe_space {
    struct graph *graph;
    int tau; /* retraction of the step, in the order of NOE_RETRACTIONS */
    int nfactors;
    const struct noe_factor *factor;
    struct transcribe_slope rotation, pose;
};

void transcribe_space_make(struct transcribe_space *space, struct graph *graph, int tau,
                           int nfactors, const struct noe_factor *factor);
void transcribe_space_clear(struct transcribe_space *space);

/* g1 = g0 tau(x), where tau is that of a step or TRANSCRIBE_CHART. */
void transcribe_retract(const struct transcribe_space *space, int tau, const int *g0, const int *x,
                        int *g1);
/* T(x) y and T(x)^T m, where tau(x)^-1 D tau(x).y = T(x) y. */
void transcribe_tangent(const struct transcribe_space *space, const int *x, const int *y, int *Ty);
void transcribe_tangent_dual(const struct transcribe_space *space, const int *x, const int *m,
                             int *Tm);
/* Derivative of m.T(x)y by x. */
void transcribe_slope(const struct transcribe_space *space, const int *x, const int *y,
                      const int *m, int *slope);
/* A momentum at g tau(x) in the frame of g: the transpose of Ad of tau(x)^-1, times m. */
void transcribe_coadjoint(const struct transcribe_space *space, const int *x, const int *m,
                          int *at_start);
/* Difference of two points, with as many components as a tangent. It vanishes if g0 = g1. */
void transcribe_difference(const struct transcribe_space *space, const int *g0, const int *g1,
                           int *difference);

#endif
