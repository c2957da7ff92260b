/* Monitor of the deviations of conserved quantities. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_MONITOR_H
#define ENGINE_MONITOR_H

#include "engine/advance.h"

/* Observes the current state and updates the deviations. */
enum noe_status monitor_update(struct noe_work *work, struct noe_monitor *monitor);
/* Like advance_steps, and updates the deviations at every step. */
enum noe_status monitor_steps(struct noe_work *work, long count, struct noe_monitor *monitor);

#endif
