/* The equations of a model: p = L_v, w = L_q + f and reactions, their derivatives, constraints. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EQUATIONS_EQUATIONS_H
#define MODEL_EQUATIONS_EQUATIONS_H

#include "model/equations/constraint_equations.h"

struct equations {
    int n, nz;
    unsigned traits; /* of enum noe_trait */
    int *row, *col;  /* the pattern, sorted by rows; NULL: dense */
    int *p, *w;      /* n nodes each */
    int *gradient;   /* n + 1 nodes, L_q and L_t; NULL: no forces, constraints, time */
    int *d;          /* 4 nz nodes: p_v, p_q, w_v, w_q on the pattern */
    int *order;      /* 4 nz entries of `d` sorted by rows, so that what a row shares stays close */
    struct constraints constraints;
};

/* Adds to the model's graph what the equations need; ends early once *interrupt (or NULL) is not 0.
 */
enum noe_status equations_make(struct equations *blocks, struct definition *model,
                               const volatile int *interrupt, struct noe_error *error);
void equations_clear(struct equations *blocks);

#endif
