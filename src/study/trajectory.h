/* One integration with everything a run reports: drift over all steps, rows, effort. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_TRAJECTORY_H
#define STUDY_TRAJECTORY_H

#include <signal.h>

#include "base/real.h"
#include "engine/monitor.h"
#include "noether.h"
#include "study/reference_solution.h"

struct trajectory_settings {
    const struct noe_problem *problem;
    real from;
    const real *q, *v;
    const struct noe_constraint *constraint; /* of the system: multipliers stand in this order */
    long steps;                              /* how many; -1: to the first time >= until */
    real until;
    bool looks_at_condition; /* of the step's matrix: in the first steps, then in ever fewer */
    long sample;             /* a row every so many steps, and the last one */
    const struct noe_format *format; /* NULL: no rows */
    void *file;
    struct reference *reference; /* the solution to compare rows with; may be NULL */
    /* Takes all that the run would go on with: after every so many steps (0: every minute), at the
     * end and when it is interrupted. May be NULL. */
    enum noe_status (*keep)(void *data, long k, const void *bytes, size_t count,
                            struct noe_error *error);
    void *keep_data;
    long keep_every;
    const void *resume; /* what was kept: goes on from there; NULL: from the start */
    size_t resume_bytes;
    const volatile sig_atomic_t *interrupt; /* may be NULL; ends the run after a step */
    /* Called after a step; returns after how many more steps to call again. May be NULL. */
    long (*progress)(void *data, long k, real t);
    void *progress_data;
};

/* What is known of one moment; `values` are the system's quantities. */
struct trajectory_moment {
    real t, energy, discrete_energy;
    real *q, *v, *p, *values;
    real *multipliers; /* as many as constraints */
};

struct trajectory {
    struct noe_error error; /* status NOE_OK: complete */
    bool has_started;       /* `start` and `final` are filled */
    long steps, rows;
    struct trajectory_moment start, final;
    real energy_max_error, energy_mean_error;      /* |energy - start| over all steps */
    real energy_statistic[MONITOR_STATISTICS_MAX]; /* the rows of monitor_energy_statistics */
    real *value_max_error;                         /* of each of the system's quantities */
    real discrete_max_error, discrete_mean_error;  /* of the discrete energy, where it is kept */
    real position_max, velocity_max;               /* largest |g| and |psi| of constraints */
    real condition_max;                            /* of the matrices looked at; 0: none */
    real group_error_max;                          /* distance of rotations and poses from theirs */
    real step_first, step_last, step_min, step_max;
    int crossing;            /* the system's crossing at which the run ended, or -1 */
    real event_finder_value; /* its function there: zero to round-off */
    struct noe_step_stats effort;
    const char *solver;
    double wall_seconds;
    void *block;
};

/* The number of steps of length h from `from` to `until`: the nearest integer when the quotient is
 * within 1e-6 of it, which sets *fits, otherwise the full steps that fit. -1: too many to count. */
long trajectory_step_count(real from, real until, real h, bool *fits);

/* Integrates; fills `result` also when it fails. Clear it in every case. */
enum noe_status trajectory_run(struct trajectory *result,
                               const struct trajectory_settings *settings);
void trajectory_clear(struct trajectory *result);

#endif
