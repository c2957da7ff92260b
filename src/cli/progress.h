/* Progress bar on standard error with rate and remaining time, if that is a terminal. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

#include "base/real.h"

struct progress {
    bool is_shown, has_drawn;
    long steps; /* expected number; -1: progress is measured by time */
    real from, until;
    double began, called, drawn; /* clock in seconds */
    double part;                 /* completed fraction of the run */
    double part_first;           /* that at the first call: a resumed run starts on its way */
    long k_first;                /* step at the first call; -1 before it */
    long interval;               /* steps between two readings of the clock */
};

void progress_init(struct progress *progress, bool is_wanted, long steps, real from, real until);
/* Draws at most ten times a second. Returns the number of steps until the next call. */
long progress_update(void *progress, long k, real t);
/* Estimate of the remaining seconds from the part that this process has done; infinite if it is
 * none. */
double progress_rest(const struct progress *progress);
void progress_erase(struct progress *progress);

#endif
