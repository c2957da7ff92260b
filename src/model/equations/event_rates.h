/* Time derivatives of the event functions of a model. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EQUATIONS_EVENT_RATES_H
#define MODEL_EQUATIONS_EVENT_RATES_H

#include "model/equations/frame_derivative.h"

/* Adds the time derivative of each event function to the model's graph. False if memory ran out. */
bool event_rates_make(struct definition *model, const struct frame_derivative *frame);

#endif
