/* Progress bar on standard error with rate and remaining time, if that is a terminal. */
/* SPDX-License-Identifier: MIT */
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 30, INTERVAL_MAX = 1 << 20 };

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_init(struct progress *progress, bool is_wanted, long steps, real from, real until) {
    *progress = (struct progress){.is_shown = is_wanted && isatty(STDERR_FILENO),
                                  .steps = steps,
                                  .from = from,
                                  .until = until,
                                  .k_first = -1,
                                  .interval = 1};
    progress->began = progress->called = progress->drawn = seconds_now();
}

static void draw(double part, double rate, double left) {
    char bar[WIDTH + 1];
    if (!(part >= 0)) part = 0;
    if (part > 1) part = 1;
    const int full = (int)(part * WIDTH);
    memset(bar, '-', WIDTH);
    memset(bar, '#', (size_t)full);
    bar[WIDTH] = 0;
    fprintf(stderr, "\r[%s] %3d%%  %.3g steps/s  ", bar, (int)(100 * part), rate);
    if (left < 120)
        fprintf(stderr, "%.0f s left\033[K", left);
    else if (left < 7200)
        fprintf(stderr, "%.0f min left\033[K", left / 60);
    else
        fprintf(stderr, "%.1f h left\033[K", left / 3600);
    fflush(stderr);
}

double progress_rest(const struct progress *progress) {
    const double done = progress->part - progress->part_first;
    const double elapsed = progress->called - progress->began;
    return done > 0 ? elapsed * (1 - progress->part) / done : INFINITY;
}

long progress_update(void *data, long k, real t) {
    struct progress *progress = data;
    const double now = seconds_now(), since = now - progress->called;
    progress->called = now;
    if (since < 0.02 && progress->interval < INTERVAL_MAX)
        progress->interval *= 2;
    else if (since > 0.1 && progress->interval > 1)
        progress->interval /= 2;
    progress->part = progress->steps >= 0
                         ? (double)k / (double)progress->steps
                         : (double)((t - progress->from) / (progress->until - progress->from));
    if (progress->k_first < 0) {
        progress->k_first = k;
        progress->part_first = progress->part;
        progress->began = now;
    }
    if (!progress->is_shown || now - progress->drawn < 0.1) return progress->interval;
    const double rest = progress_rest(progress), rate = (double)(k - progress->k_first);
    draw(progress->part, rate / (now - progress->began), isfinite(rest) ? rest : 0);
    progress->drawn = now;
    progress->has_drawn = true;
    return progress->interval;
}

void progress_erase(struct progress *progress) {
    if (!progress->has_drawn) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->has_drawn = false;
}
