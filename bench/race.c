/* Timings of several solvers on one problem with one step size. */
/* SPDX-License-Identifier: MIT */
#include "race.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "timing.h"

enum { RACERS_MAX = 16, CHECK_STEPS = 200, STEPS_MIN = 40 }; /* the first steps cost more */
static const double seconds_a_round = 0.02;

struct racer {
    const struct solver *solver;
    const struct problem *problem;
    void *self;
    struct run run;
    double difference; /* relative, from the first racer's result after CHECK_STEPS */
    bool is_failed;
};

static bool take_steps(struct racer *racer, long steps) {
    racer->run.steps = steps;
    if (!racer->solver->loop) return racer->solver->run(racer->self, &racer->run);
    racer->solver->loop(racer->problem, &racer->run);
    return true;
}

static double take_round(void *data) {
    struct racer *racer = data;
    racer->is_failed |= !take_steps(racer, racer->run.steps);
    return 1.0 / (double)racer->run.steps;
}

static bool open_racer(struct racer *racer, const struct solver *solver,
                       const struct problem *problem, double step) {
    if (!solver || (solver->needs_separable && !problem->is_separable)) return false;
    double *numbers = calloc(2 * (size_t)problem->n, sizeof *numbers);
    if (!numbers) abort();
    *racer = (struct racer){
        .solver = solver,
        .problem = problem,
        .run = {.step = step, .q = numbers, .v = numbers + problem->n},
    };
    if (solver->loop) return true;
    racer->self = solver->open(solver, problem, &racer->run);
    if (!racer->self) free(numbers);
    return racer->self;
}

static void close_racer(struct racer *racer) {
    if (racer->self) racer->solver->close(racer->self);
    free(racer->run.q);
}

double race_difference(int n, const double *q, const double *reference) {
    double largest = 0, size = 0;
    for (int i = 0; i < n; i++) {
        const double off = fabs(q[i] - reference[i]);
        largest = off <= largest ? largest : off; /* NaN wins */
        size = fmax(size, fabs(reference[i]));
    }
    return largest <= HUGE_VAL ? largest / size : NAN;
}

/* Compares results after the same number of steps, then finds the number of steps that fills a
 * round. */
static void prepare(struct racer *racer, const struct racer *first) {
    const double begin = timing_seconds();
    racer->is_failed = !take_steps(racer, CHECK_STEPS);
    const double seconds = (timing_seconds() - begin) / CHECK_STEPS;
    racer->difference = race_difference(racer->problem->n, racer->run.q, first->run.q);
    const double steps = seconds_a_round / fmax(seconds, 1e-10);
    racer->run.steps = steps < STEPS_MIN ? STEPS_MIN : (long)steps;
}

void race_head(void) {
    timing_head(
        "problem       |method            |step   |solver            |ns a step|     ratio to first"
        "|evaluations|ns an evaluation|times noether's|difference");
}

void race_foot(void) {
    const char *missing = solver_missing();
    if (*missing) timing_say("skipped, because they were not found: %s", missing);
}

static double evaluations_a_step(const struct racer *racer) {
    return (double)racer->run.evaluations / (double)racer->run.steps;
}

static void write_row(const struct racer *racer, const struct timing_entry *entry,
                      const struct timing_entry *first, const struct timing_entry *ours) {
    const struct timing_spread time = timing_of(entry), ratio = timing_ratio(entry, first);
    const double evaluations = evaluations_a_step(racer);
    const double to_ours =
        timing_ratio(entry, ours).median * evaluations_a_step(ours->data) / evaluations;
    const char *package = racer->solver->package, *note = racer->run.note;
    char name[40], solver[40];
    snprintf(name, sizeof name, "%s %d", racer->problem->name, racer->problem->n);
    snprintf(solver, sizeof solver, "%s%s%s", package, note ? " " : "", note ? note : "");
    if (racer->is_failed) {
        timing_row("%s|%s|%g|%s|failed", name, racer->solver->method, racer->run.step, package);
        if (note) timing_say("    %s", note);
        return;
    }
    timing_row("%s|%s|%g|%s|%.1f|%.2f [%.2f %.2f]|%.2f|%.1f|%.2f|%.0e", name, racer->solver->method,
               racer->run.step, solver, 1e9 * time.median, ratio.median, ratio.low, ratio.high,
               evaluations, 1e9 * time.median / evaluations, to_ours, racer->difference);
}

/* Finds the racer of a participating solver. */
static struct race_result result_of(const struct solver *solver, int used,
                                    const struct racer *racers,
                                    const struct timing_entry *entries) {
    for (int i = 0; i < used; i++)
        if (racers[i].solver == solver && !racers[i].is_failed)
            return (struct race_result){timing_of(&entries[i]).median,
                                        timing_ratio(&entries[i], &entries[0]).median};
    return (struct race_result){NAN, NAN};
}

void race_run(const struct problem *problem, double step, int count,
              const struct solver *const *solvers, struct race_result *results) {
    struct racer racers[RACERS_MAX];
    struct timing_entry entries[RACERS_MAX];
    int used = 0;
    for (int i = 0; i < count && used < RACERS_MAX; i++)
        if (open_racer(&racers[used], solvers[i], problem, step)) used++;
    for (int i = 0; i < used; i++) prepare(&racers[i], &racers[0]);
    for (int i = 0; i < used; i++) entries[i] = (struct timing_entry){take_round, &racers[i], {0}};
    timing_interleave(used, entries);
    for (int i = 0; i < used; i++)
        write_row(&racers[i], &entries[i], &entries[0], &entries[used > 1]);
    for (int i = 0; i < count && results; i++)
        results[i] = result_of(solvers[i], used, racers, entries);
    for (int i = 0; i < used; i++) close_racer(&racers[i]);
}
