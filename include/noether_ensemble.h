/* Ensembles, the members that a model states, and batches, which step many runs in SIMD lanes. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_ENSEMBLE_H
#define NOETHER_ENSEMBLE_H

#include "noether_model.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* --- Ensemble: the members that a model states. */

struct noe_ensemble_definition {
    int count;          /* numbers that vary */
    long grid, members; /* points of the grid; members stated for each point, 0: none */
    unsigned long seed;
    bool has_random, has_parameters; /* some numbers are random; some are parameters */
};

/* The ensemble of the model; `count` is 0 if it states none. */
struct noe_ensemble_definition noe_model_ensemble(const struct noe_model *model);
/* Configuration, velocity and parameters of a member (system->nparameters numbers), and its numbers
 * that vary (`varied`, may be NULL). NOE_BAD_INPUT: this member does not exist, for example because
 * its start is the root of a negative number; others may exist. If parameters vary, only one thread
 * may call it at a time. */
enum noe_status noe_model_member(const struct noe_model *model, unsigned long seed, long member,
                                 noe_real *q, noe_real *v, noe_real *parameters, noe_real *varied,
                                 struct noe_error *error);

/* --- Batch: runs of one problem in SIMD lanes. */

struct noe_batch;

/* The start of one run: the model's parameters (NULL: the model's values), time, configuration,
 * velocity, and the random stream (seed, number). */
struct noe_member {
    const noe_scalar *parameters;
    noe_scalar t;
    const noe_scalar *q, *v;
    unsigned long seed, number;
};

/* The run in a lane. The i-th component of an array stands at [i * stride]. A run that failed stays
 * at the end of its last good step. */
struct noe_lane {
    enum noe_status status;
    long k;
    noe_scalar t, energy;
    int stride;
    const noe_scalar *q, *p, *v, *values, *multipliers;
};

struct noe_batch_settings {
    int lanes;         /* 0: the machine's width; 1, 2, 4 and 8 give the same bits */
    bool plain_sums;   /* no compensated summation: faster if forces are cheap */
    const char *cache; /* directory of compiled models; NULL: the user's cache */
    /* Reuse the compiled code of this batch, which must have the same problem, model and settings
     * and must outlive the new one. NULL: compile, or load from the cache. */
    const struct noe_batch *alike;
};

/* Compiles the steps of the problem, whose system must be the model's, for SIMD lanes. If that is
 * impossible the batch has one lane and noe_batch_text gives the reason. Settings may be NULL. Free
 * with noe_batch_free. */
enum noe_status noe_batch_create(struct noe_batch **batch, const struct noe_problem *problem,
                                 const struct noe_model *model,
                                 const struct noe_batch_settings *settings,
                                 struct noe_error *error);
void noe_batch_free(struct noe_batch *batch);
int noe_batch_lanes(const struct noe_batch *batch);
/* A description such as "AVX-512, 8 lanes, SLEEF", or the reason why there is one lane. */
const char *noe_batch_text(const struct noe_batch *batch);
/* Starts `count` runs, at most one in each lane. */
enum noe_status noe_batch_start(struct noe_batch *batch, int count, const struct noe_member *member,
                                struct noe_error *error);
/* Sets a parameter of the run in a lane from now on, as noe_work_set_parameter. The next start
 * replaces it. The next step of all lanes that are stepped together is solved without the history
 * of earlier ones, so the other runs change too, by less than the tolerance of a step. */
enum noe_status noe_batch_set_parameter(struct noe_batch *batch, int lane, int index,
                                        noe_scalar value, struct noe_error *error);
/* Takes `count` steps in every lane that has not failed. */
void noe_batch_steps(struct noe_batch *batch, long count);
/* Computes velocities, energies and quantities of all runs, for noe_batch_lane. */
void noe_batch_observe(struct noe_batch *batch);
/* The run in a lane, as last observed; pointers valid until the next call. */
void noe_batch_lane(const struct noe_batch *batch, int lane, struct noe_lane *now);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
