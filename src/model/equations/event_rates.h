/* The rates of the functions that a run crosses. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CROSSINGS_H
#define MODEL_CROSSINGS_H

#include "model/equations/frame_derivative.h"

/* Adds to the model's graph the rate of each crossing; false when memory ran out. */
bool crossings_make_rates(struct source_model *model, const struct directions *directions);

#endif
