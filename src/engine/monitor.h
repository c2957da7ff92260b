/* Steps whose deviations are noted. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_WATCH_H
#define ENGINE_WATCH_H

#include "engine/advance.h"

/* Measures the current state and notes its deviations. */
enum noe_status watch_now(struct noe_work *work, struct noe_watch *watch);
/* As advance_steps, with the deviations of every step noted. */
enum noe_status watch_steps(struct noe_work *work, long count, struct noe_watch *watch);

#endif
