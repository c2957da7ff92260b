/* One integration with its report: drift over all steps, rows, solver statistics. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_TRAJECTORY_H
#define STUDY_TRAJECTORY_H

#include <signal.h>

#include "base/real.h"
#include "engine/monitor.h"
#include "noether_model.h"
#include "study/reference_solution.h"

struct trajectory_settings {
    const struct noe_problem *problem;
    real from;
    const real *q, *v;
    const struct noe_constraint *constraint; /* in the order of the multipliers */
    /* Number of steps; -1: up to `until`. The last step then ends there, unless its size follows
     * from the energy: it then ends beyond. */
    long steps;
    real until;
    bool looks_at_condition;         /* measure the condition number, at decreasing frequency */
    long sample;                     /* a row every `sample` steps and at the end */
    const struct noe_format *format; /* NULL: no rows */
    void *file;
    struct reference *reference; /* reference solution for the rows; may be NULL */
    /* Receives a checkpoint of the run after every `keep_every` steps (0: every minute), at the
     * end, and on interruption. May be NULL. */
    enum noe_status (*keep)(void *data, long k, const void *bytes, size_t count,
                            struct noe_error *error);
    void *keep_data;
    long keep_every;
    const void *resume; /* checkpoint to resume from; NULL: start afresh */
    size_t resume_bytes;
    const volatile sig_atomic_t *interrupt; /* may be NULL; not 0: stop after the current step */
    /* Called after a step. Returns the number of steps until the next call. May be NULL. */
    long (*progress)(void *data, long k, real t);
    void *progress_data;
};

/* State and observed quantities at one time; `values` are the quantities of the system. */
struct trajectory_moment {
    real t, energy, discrete_energy;
    real *q, *v, *p, *values;
    real *multipliers; /* one per constraint */
};

struct trajectory {
    struct noe_error error; /* status NOE_OK: complete */
    bool has_started;       /* `start` and `final` are filled */
    long steps, rows;
    struct trajectory_moment start, final;
    real energy_max_error, energy_mean_error;      /* |energy - start| over all steps */
    real energy_statistic[MONITOR_STATISTICS_MAX]; /* rows of monitor_energy_statistics */
    real *value_max_error;                         /* for each quantity of the system */
    real discrete_max_error, discrete_mean_error;  /* discrete energy of methods that preserve it */
    real discrete_held_max_error;    /* that at steps of the first size, which do not preserve it */
    real position_max, velocity_max; /* largest |g| and |psi| of the constraints */
    real condition_max;              /* largest condition number measured; 0: none */
    real group_error_max;            /* largest distance from the group */
    real step_first, step_last, step_min, step_max;
    int crossing;     /* event that stopped the run, or -1 */
    real event_value; /* its function there, zero to round-off */
    struct noe_step_stats effort;
    const char *solver;
    double wall_seconds; /* wall-clock time of the run */
    double step_seconds; /* its part without the condition numbers */
    void *block;
};

/* Number of steps of size h from `from` to `until`: the nearest integer if the quotient is within
 * 1e-6 of it, which sets *fits, otherwise the number of full steps. -1: out of range. */
long trajectory_step_count(real from, real until, real h, bool *fits);

/* Integrates. Fills `result` even on failure. Clear it in every case. */
enum noe_status trajectory_run(struct trajectory *result,
                               const struct trajectory_settings *settings);
void trajectory_clear(struct trajectory *result);

#endif
