/* Steps whose deviations are noted. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_MONITOR_H
#define ENGINE_MONITOR_H

#include "engine/advance.h"

/* Measures the current state and notes its deviations. */
enum noe_status monitor_update(struct noe_work *work, struct noe_monitor *monitor);
/* As advance_steps, with the deviations of every step noted. */
enum noe_status monitor_steps(struct noe_work *work, long count, struct noe_monitor *monitor);

#endif
