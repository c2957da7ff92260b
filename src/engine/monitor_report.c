/* Monitors for callers: created from the current state, read by name. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "engine/monitor.h"

struct monitor_report {
    struct noe_monitor monitor; /* first, so that one address serves for both */
    const struct noe_system *system;
    real number[]; /* reference values, then largest deviations */
};

enum noe_status noe_monitor_create(struct noe_monitor **result, struct noe_work *work,
                                   struct noe_error *error) {
    const struct noe_system *system = work->problem->system;
    const size_t count = (size_t)system->nvalues;
    struct noe_observation moment;
    *result = NULL;
    const enum noe_status status = noe_work_observe(work, &moment, error);
    if (status != NOE_OK) return status;
    struct monitor_report *report = calloc(1, sizeof *report + 2 * count * sizeof(real));
    if (!report) return status_set(error, NOE_NO_MEMORY, "no memory for a monitor");
    memcpy(report->number, moment.values, count * sizeof(real));
    report->system = system;
    report->monitor = (struct noe_monitor){.energy = moment.energy,
                                           .values = report->number,
                                           .value_max = report->number + count,
                                           .bad_value = -1};
    *result = &report->monitor;
    return NOE_OK;
}

void noe_monitor_free(struct noe_monitor *monitor) { free(monitor); }

static real mean(real sum, long count) { return count > 0 ? sum / (real)count : (real)NAN; }

/* The largest deviation of a quantity's values; NaN if there is no such quantity. */
static real deviation(const struct monitor_report *report, const char *name) {
    const struct noe_system *system = report->system;
    for (int i = 0; i < system->nquantities; i++) {
        const struct noe_quantity *quantity = &system->quantity[i];
        if (strcmp(quantity->name, name) != 0) continue;
        real max = 0;
        for (int k = 0; k < quantity->rows * quantity->cols; k++)
            max = noe_max(max, report->monitor.value_max[quantity->first + k]);
        return max;
    }
    return (real)NAN;
}

noe_real noe_monitor_get(const struct noe_monitor *monitor, const char *name) {
    const struct {
        const char *name;
        real value;
    } results[] = {
        {"steps", (real)monitor->count},
        {"energy_max", monitor->energy_max},
        {"energy_mean", mean(monitor->energy_sum, monitor->count)},
        {"group_max", monitor->group_max},
        {"position_max", monitor->position_max},
        {"velocity_max", monitor->velocity_max},
        {"discrete_max", monitor->discrete_max},
        {"discrete_mean", mean(monitor->discrete_sum, monitor->discrete_count)},
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (strcmp(results[i].name, name) == 0) return results[i].value;
    return deviation((const struct monitor_report *)monitor, name);
}
