/* Poincaré sections: one integration and the points where it crosses them. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_SECTION_SECTION_H
#define STUDY_SECTION_SECTION_H

#include <signal.h>

#include "base/real.h"
#include "noether.h"

/* A crossing: which of the system's, and what is known there. */
struct section_point {
    int crossing;
    real t, energy;
    const real *recorded; /* the system's `nrecorded` numbers */
};

struct section_settings {
    const struct noe_problem *problem;
    real from;
    const real *q, *v;
    long steps; /* how many; -1: to the first time >= until */
    real until;
    const volatile sig_atomic_t *interrupt; /* may be NULL; ends the run after a step */
    /* Called after some steps; returns after how many more to call again. May be NULL. */
    long (*progress)(void *data, long k, real t);
    void *progress_data;
    /* Takes a crossing of a section; may be NULL. */
    enum noe_status (*take)(void *data, const struct section_point *point, struct noe_error *error);
    void *take_data;
};

/* The energy over some points: at the last of them, and deviations from the start. */
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
    int stopped_by; /* the crossing at which the run ended, or -1 */
    real step_min, step_max;
    struct noe_step_stats effort;
    double wall_seconds;
};

/* Integrates; fills `result` also when it fails. */
enum noe_status section_run(struct section *result, const struct section_settings *settings);

/* What others that follow runs fill it with: at the start; a crossing's energy; at the end, where
 * the deviations of the energy at steps have this sum. */
void section_begin(struct section *section, real from, real h, real energy);
void section_note_energy(struct section *section, real energy);
void section_end(struct section *section, real sum);

#endif
