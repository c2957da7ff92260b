/* Poincare sections of one run. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_SECTION_SECTION_H
#define STUDY_SECTION_SECTION_H

#include <signal.h>

#include "base/real.h"
#include "noether.h"

/* A point of a section: the index of the event, and the values there. */
struct section_point {
    int crossing;
    real t, energy;
    const real *recorded; /* the `nrecorded` recorded quantities */
};

struct section_settings {
    const struct noe_problem *problem;
    real from;
    const real *q, *v;
    long steps; /* number of steps; -1: up to the first time >= until */
    real until;
    const volatile sig_atomic_t *interrupt; /* may be NULL; not 0: stop after the current step */
    /* Called after some steps. Returns the number of steps until the next call. May be NULL. */
    long (*progress)(void *data, long k, real t);
    void *progress_data;
    /* Receives a point of a section; may be NULL. */
    enum noe_status (*take)(void *data, const struct section_point *point, struct noe_error *error);
    void *take_data;
};

/* Energy over a set of points: final value, and deviations from the start. */
struct section_energy {
    real final, max_error, mean_error;
    long count;
};

struct section {
    struct noe_error error; /* status NOE_OK: complete */
    bool has_started;
    long steps;
    real t_start, t_end, energy_start;
    struct section_energy at_crossings, at_steps;
    int stopped_by; /* event that stopped the run, or -1 */
    real step_min, step_max;
    struct noe_step_stats effort;
    double wall_seconds;
};

/* Integrates. Fills `result` even on failure. */
enum noe_status section_run(struct section *result, const struct section_settings *settings);

/* Functions for callers that advance runs themselves: initialise the result, add the energy of a
 * point, and finish with the given sum of energy deviations over the steps. */
void section_begin(struct section *section, real from, real h, real energy);
void section_note_energy(struct section *section, real energy);
void section_end(struct section *section, real sum);

#endif
