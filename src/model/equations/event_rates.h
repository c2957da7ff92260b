/* The rates of the functions that a run crosses. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EQUATIONS_EVENT_RATES_H
#define MODEL_EQUATIONS_EVENT_RATES_H

#include "model/equations/frame_derivative.h"

/* Adds to the model's graph the rate of each crossing; false when memory ran out. */
bool event_rates_make(struct definition *model, const struct frame_derivative *directions);

#endif
