/* Monitor of the deviations of conserved quantities. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_MONITOR_H
#define ENGINE_MONITOR_H

#include "engine/advance.h"

/* Observes the current state and updates the deviations. */
enum noe_status monitor_update(struct noe_work *work, struct noe_monitor *monitor);
/* Like advance_steps, and updates the deviations at every step. */
enum noe_status monitor_steps(struct noe_work *work, long count, struct noe_monitor *monitor);

/* A statistic of the energy deviations of a run, with its key in reports. */
struct monitor_statistic {
    const char *key;
    real (*value)(const struct noe_monitor *monitor);
};

enum { MONITOR_STATISTICS_MAX = 8 };
/* Ends with a row without a key. */
extern const struct monitor_statistic monitor_energy_statistics[MONITOR_STATISTICS_MAX];

#endif
