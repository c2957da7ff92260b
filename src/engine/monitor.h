/* Deviations of energy, quantities and constraints over the steps of a run. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_MONITOR_H
#define ENGINE_MONITOR_H

#include "engine/advance.h"

/* Running maxima and sums of deviations from reference values. Zero-initialise it, set the
 * reference values and `value_max`, and set `bad_value` to -1. */
struct noe_monitor {
    real energy;                 /* reference */
    const real *values;          /* reference: nvalues numbers */
    real energy_max, energy_sum; /* largest deviation of the energy, and the sum of deviations */
    real *value_max;             /* largest deviation of each value */
    real group_max;              /* largest distance of a factor from its space */
    real position_max, velocity_max; /* largest |g| and |psi| of constraints */
    /* For methods that solve for the step size, at steps that did so: deviations of the discrete
     * energy from its target. */
    real discrete_max, discrete_sum;
    long discrete_count;
    real discrete_held_max; /* discrete_max over steps that a guard took with the first size */
    struct noe_observation moment; /* at the last step */
    long count;                    /* steps */
    int bad_value;                 /* the first value that was not finite, or -1 */
    long bad_step;
    bool has_failed; /* the energy was not finite, or there was no velocity */
};

/* Measures the current state and adds its deviations. */
enum noe_status monitor_update(struct noe_work *work, struct noe_monitor *monitor);
/* As advance_steps, with an update after every step. */
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
