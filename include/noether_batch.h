/* Noether's batches: runs of one problem side by side, in the lanes of the processor's vectors. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_BATCH_H
#define NOETHER_BATCH_H

#include "noether.h"

#pragma GCC visibility push(default)

struct noe_batch;

/* How many numbers side by side pay on this machine; `words` says by what: at most `size` bytes. */
int noe_lanes(size_t size, char *words);

/* One run: the model's parameters (NULL: as they are), where it begins, and the stream that its
 * noise comes from. */
struct noe_member {
    const noe_scalar *parameters;
    noe_scalar t;
    const noe_scalar *q, *v;
    unsigned long seed, number;
};

/* A run at a moment: its i-th number stands at [i * stride]. One that failed stays where its last
 * good step ended. */
struct noe_lane {
    enum noe_status status;
    long k;
    noe_scalar t, energy;
    int stride;
    const noe_scalar *q, *p, *v, *values, *multipliers;
};

struct noe_batch_settings {
    int lanes;         /* 0: as many as pay; 1, 2, 4 or 8: the same bits */
    bool plain_sums;   /* no compensated summation: faster where forces cost little */
    bool crosses;      /* for noe_batch_scan_events and what follows it */
    const char *cache; /* directory of compiled models; NULL: the user's */
    /* A batch of the same problem, model and settings, to be freed later than this one, whose code
     * serves both; NULL: it is looked for, or compiled. */
    const struct noe_batch *alike;
};

/* Compiles the steps of the problem, whose system is the model's, for lanes. Where that cannot be
 * done the batch has one lane; noe_batch_text says so. Free with noe_batch_free. */
enum noe_status noe_batch_create(struct noe_batch **batch, const struct noe_problem *problem,
                                 const struct noe_model *model,
                                 const struct noe_batch_settings *settings,
                                 struct noe_error *error);
void noe_batch_free(struct noe_batch *batch);
int noe_batch_lanes(const struct noe_batch *batch);
/* Was it compiled? Else the library's own code serves. */
bool noe_batch_is_compiled(const struct noe_batch *batch);
/* What steps the lanes, or why there is but one: "AVX-512, 8 lanes, SLEEF". */
const char *noe_batch_text(const struct noe_batch *batch);
/* Begins `count` runs, at most one in each lane. */
enum noe_status noe_batch_start(struct noe_batch *batch, int count, const struct noe_member *member,
                                struct noe_error *error);
/* Takes `count` steps in every lane that has not failed. */
void noe_batch_steps(struct noe_batch *batch, long count);
/* Velocities, energies and quantities of all runs where they are now, for noe_batch_lane. */
void noe_batch_measure(struct noe_batch *batch);
/* The run in a lane, as last measured; pointers valid until the next call. */
void noe_batch_lane(const struct noe_batch *batch, int lane, struct noe_lane *now);

/* --- Where the runs' crossing functions change sign. Steps in which one has changed are noted, run
 * by run, and the runs go on; then parts of these steps can be taken, in all lanes at once. */

/* A step of a run. */
struct noe_event_step {
    long k;                           /* its number */
    noe_scalar t;                     /* where it began */
    const noe_scalar *before, *after; /* crossing functions, and rates behind them, at its ends */
    const noe_scalar *side;           /* the signs that they had before it */
};

/* The energy at the ends of steps: the first, the largest deviation from it, and the sum
 * of deviations, which is not a number if the run has failed. */
struct noe_deviation {
    noe_scalar start, max, sum;
    long count;
};

/* Takes up to `count` steps in every lane that has not failed; returns how many. There are fewer
 * where a run has no room for more notes, and none where all have failed. The first step is noted
 * in any case. Notes of the call before are lost. */
long noe_batch_scan_events(struct noe_batch *batch, long count);
/* The i-th note of a run, from 0; false if there are not so many. */
bool noe_batch_event_step(const struct noe_batch *batch, int lane, int i,
                          struct noe_event_step *noted);
/* What follows is about the i-th noted step of the run in the lane. */
void noe_batch_place(struct noe_batch *batch, int lane, int i);
/* Takes that step of each lane with length h[lane], as noe_work_substep does, where it is not 0. */
void noe_batch_substeps(struct noe_batch *batch, const noe_scalar *h);
/* For one crossing function without rates: takes parts of the steps of the lanes whose theta is not
 * 0, until the function is zero to round-off at the part theta of each. It becomes 0 where there is
 * not one plain zero inside the step. */
void noe_batch_event_roots(struct noe_batch *batch, noe_scalar *theta);
/* Where a part has ended; `values` are crossing functions and rates. */
void noe_batch_substep(const struct noe_batch *batch, int lane, struct noe_lane *there);
void noe_batch_energies(const struct noe_batch *batch, int lane, struct noe_deviation *energy);

#pragma GCC visibility pop

#endif
