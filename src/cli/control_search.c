/* Multistart search for an optimal control problem, in parallel processes. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/control.h"
#include "cli/progress.h"

enum { ITERATIONS_MAX = 1000 };
static const double same_cost = 1e-6; /* relative difference below which minima are the same */

/* Solves every `processes`-th start. The solver has global state, so starts run in processes and
 * not in threads. */
static void work(struct control_run *run, long first, int pipe_end) {
    for (long i = first; i < run->starts; i += run->processes) {
        control_guess(&run->control, i, (unsigned long)run->seed, run->solution.x);
        const enum noe_status status = control_solve(&run->control, (double)run->tolerance,
                                                     ITERATIONS_MAX, &run->solution, NULL);
        const struct control_start found = {i, status, run->solution.iterations, run->solution.cost,
                                            run->solution.kkt_error};
        if (write(pipe_end, &found, sizeof found) != (ssize_t)sizeof found) return;
    }
}

static bool read_one(int pipe_end, struct control_start *found) {
    size_t have = 0;
    while (have < sizeof *found) {
        const ssize_t got = read(pipe_end, (char *)found + have, sizeof *found - have);
        if (got < 0 && errno == EINTR && !cli_interrupted) continue;
        if (got <= 0) return false;
        have += (size_t)got;
    }
    return true;
}

static int by_cost(const void *a, const void *b) {
    const struct control_start *x = a, *y = b;
    const bool x_failed = x->status != NOE_OK, y_failed = y->status != NOE_OK;
    if (x_failed != y_failed) return x_failed - y_failed;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return x->start < y->start ? -1 : 1;
}

/* Sorts the costs and counts equal ones together. */
static int list_minima(struct control_run *run) {
    run->minimum = calloc((size_t)run->starts + 1, sizeof *run->minimum);
    if (!run->minimum) return CLI_ENVIRONMENT;
    qsort(run->outcome, (size_t)run->starts, sizeof *run->outcome, by_cost);
    for (long i = 0; i < run->starts && run->outcome[i].status == NOE_OK; i++) {
        const struct control_start *found = &run->outcome[i];
        struct control_minimum *last = run->nminima ? &run->minimum[run->nminima - 1] : NULL;
        if (last && found->cost - last->cost <= same_cost * (fabs(last->cost) + 1e-12)) {
            last->hits++;
            if (found->start < last->start) last->start = found->start;
            continue;
        }
        run->minimum[run->nminima++] = (struct control_minimum){found->cost, 1, found->start};
    }
    return 0;
}

static void collect(struct control_run *run, int pipe_end) {
    struct progress progress;
    struct control_start found;
    long count = 0;
    progress_init(&progress, !run->settings->quiet, run->starts, 0, (real)run->starts);
    while (read_one(pipe_end, &found)) {
        if (found.start >= 0 && found.start < run->starts) run->outcome[found.start] = found;
        count++;
        progress_update(&progress, count, (real)count);
    }
    progress_erase(&progress);
}

int control_search(struct control_run *run) {
    int ends[2];
    run->outcome = calloc((size_t)run->starts + 1, sizeof *run->outcome);
    if (!run->outcome || pipe(ends) != 0) {
        cli_say("the starts could not be made: %s", strerror(errno));
        return CLI_ENVIRONMENT;
    }
    for (long i = 0; i < run->starts; i++)
        run->outcome[i] = (struct control_start){.start = i, .status = NOE_NO_LIBRARY};
    fflush(NULL);
    for (long i = 0; i < run->processes; i++) {
        const pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            work(run, i, ends[1]);
            _exit(0);
        }
        if (child < 0) cli_say("a process could not be started: %s", strerror(errno));
    }
    close(ends[1]);
    collect(run, ends[0]);
    close(ends[0]);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) {
    }
    if (cli_interrupted) {
        cli_say("interrupted");
        return CLI_NUMERICS;
    }
    return list_minima(run);
}
