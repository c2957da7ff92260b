/* Methods for the Euler-Poincare equations: sizes and sparsity. */
/* SPDX-License-Identifier: MIT */
#include "methods/euler_poincare/euler_poincare.h"

enum noe_status euler_poincare_setup(struct noe_problem *problem, int order) {
    problem->order = order;
    problem->internals->nu = problem->system->n;
    problem->internals->nscratch = (size_t)problem->system->n; /* an increment */
    return NOE_OK;
}

int euler_poincare_sparsity(const struct noe_problem *problem, int *row, int *col) {
    return lie_product_sparsity(problem->internals->lie_product, 0, 0, row, col);
}
