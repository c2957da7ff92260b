/* The last step once more. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_RETAKE_H
#define ENGINE_RETAKE_H

#include "engine/work.h"

/* Back to where the last step began, if that was one step. */
void retake_back(struct noe_work *work);

#endif
