/* A bar on standard error with rate and time left, where that is a terminal. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

#include "base/real.h"

struct progress {
    bool is_shown, has_drawn;
    long steps; /* expected; -1: judged by time alone */
    real from, until;
    double began, called, drawn; /* seconds of the clock */
    double part;                 /* of the run that is done */
    long interval;               /* steps between two looks at the clock */
};

void progress_init(struct progress *progress, bool is_wanted, long steps, real from, real until);
/* Draws at most ten times a second, if at all; returns after how many steps to call again. */
long progress_update(void *progress, long k, real t);
void progress_erase(struct progress *progress);

#endif
