/* The last step once more. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_RESTEP_H
#define ENGINE_RESTEP_H

#include "engine/work.h"

/* Back to where the last step began, if that was one step. */
void restep_back(struct noe_work *work);

#endif
