/* Equations of motion on the graph: Legendre transform p = L_v, force w = L_q + f + constraint
 * forces, their derivatives and sparsity. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EQUATIONS_EQUATIONS_H
#define MODEL_EQUATIONS_EQUATIONS_H

#include "model/equations/constraint_equations.h"

struct equations {
    int n, nz;
    unsigned traits; /* flags of enum noe_trait */
    int *row, *col;  /* sparsity pattern, sorted by rows; NULL: dense */
    int *p, *w;      /* n nodes each */
    int *gradient;   /* n + 1 nodes, L_q and L_t; NULL: not needed */
    int *d;          /* 4 nz nodes: p_v, p_q, w_v, w_q on the pattern */
    int *order; /* 4 nz entries of `d` sorted by rows, so that shared subexpressions are close */
    struct constraints constraints;
};

/* Adds the equations to the model's graph. Stops early if *interrupt (or NULL) becomes nonzero. */
enum noe_status equations_make(struct equations *equations, struct definition *model,
                               const volatile int *interrupt, struct noe_error *error);
void equations_clear(struct equations *equations);

#endif
