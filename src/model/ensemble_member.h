/* The numbers that vary between the members of an ensemble. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ENSEMBLE_MEMBER_H
#define MODEL_ENSEMBLE_MEMBER_H

#include "noether_ensemble.h"

/* The name of the i-th number that varies, as stated. */
const char *model_ensemble_name(const struct noe_model *model, int i);
/* True if the i-th number is a parameter; otherwise it belongs to the start. */
bool model_ensemble_is_parameter(const struct noe_model *model, int i);
/* The numbers of a member that vary. */
void model_ensemble_draw(const struct noe_model *model, unsigned long seed, long member,
                         noe_real *varied);

#endif
