/* Ensembles: the members that a model states. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_ENSEMBLE_H
#define NOETHER_ENSEMBLE_H

#include "noether.h"

#pragma GCC visibility push(default)

/* Which numbers vary, and how many members there are. */
struct noe_ensemble_definition {
    int count;          /* numbers that vary */
    long grid, members; /* points of the grid; members stated for each, 0: none */
    unsigned long seed;
    bool has_random, has_parameters; /* some are random; some are parameters */
};

/* What the model states; `count` is 0 where it states nothing. */
struct noe_ensemble_definition noe_model_ensemble(const struct noe_model *model);
/* The name of number i of a population, as it was stated. */
const char *noe_model_ensemble_name(const struct noe_model *model, int i);
/* Is it a parameter? Else it is a number of the start. */
bool noe_model_ensemble_is_parameter(const struct noe_model *model, int i);
/* The numbers of member number `member` that vary: `count` of them. */
void noe_model_ensemble_draw(const struct noe_model *model, unsigned long seed, long member,
                             noe_real *varied);

/* Member number `member`: its configuration, velocity, parameters (`nparameters` numbers) and the
 * numbers that vary (`varied`, may be NULL). NOE_BAD_INPUT: this member does not exist, as where
 * its start is the root of a negative number; others may. Not for several threads at once where
 * parameters vary. */
enum noe_status noe_model_member(const struct noe_model *model, unsigned long seed, long member,
                                 noe_real *q, noe_real *v, noe_real *parameters, noe_real *varied,
                                 struct noe_error *error);

#pragma GCC visibility pop

#endif
