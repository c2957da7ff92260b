/* Repetition of the last step. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_RESTEP_H
#define ENGINE_RESTEP_H

#include "engine/work.h"

/* Returns to the start of the last step, if the last call took one step. */
void restep_back(struct noe_work *work);

#endif
