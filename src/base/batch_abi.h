/* Interface of the code compiled for SIMD lanes, which advances several runs of one problem at
 * once. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_BATCH_ABI_H
#define BASE_BATCH_ABI_H

#include "noether_ensemble.h"

struct batch_code {
    int lanes;
    /* Size in bytes of the memory of a batch, aligned to 64, for a model with `nparameters`
     * parameters. */
    size_t (*bytes)(const struct noe_problem *problem, int nparameters);
    /* Initialises that memory, which must be all zero, for batch_code.start. */
    enum noe_status (*open)(void *memory, const struct noe_problem *problem, int nparameters);
    void (*close)(void *memory);
    /* Starts `count` runs. The other lanes are idle. A member without parameters of its own has the
     * default ones. */
    void (*start)(void *memory, int count, const struct noe_member *member,
                  const noe_scalar *parameters);
    /* Replaces all parameters of the run in a lane. */
    void (*set_parameters)(void *memory, int lane, const noe_scalar *parameters);
    void (*steps)(void *memory, long count);
    void (*measure)(void *memory);
    void (*lane)(const void *memory, int lane, struct noe_lane *now);
};

/* A step of a run in which an event function changed its sign. */
struct event_step {
    long k;                           /* its number */
    noe_scalar t;                     /* its start */
    const noe_scalar *before, *after; /* event functions, and rates behind them, at its ends */
    const noe_scalar *side;           /* the signs before it */
};

/* Deviations of the energy at the ends of steps from the first one. The sum is NaN if the run has
 * failed. */
struct energy_deviation {
    noe_scalar start, max, sum;
    long count;
};

/* The event log of a batch, with memory of its own: the functions of model/jit/batch_events.h. */
struct event_log_code {
    size_t (*bytes)(const struct noe_problem *problem);
    enum noe_status (*open)(void *memory, void *batch, const struct noe_problem *problem);
    void (*close)(void *memory);
    void (*start)(void *memory);
    long (*steps)(void *memory, long count);
    bool (*note)(const void *memory, int lane, int i, struct event_step *noted);
    void (*place)(void *memory, int lane, int i);
    void (*parts)(void *memory, const noe_scalar *length);
    void (*roots)(void *memory, noe_scalar *theta);
    void (*part)(const void *memory, int lane, struct noe_lane *there);
    void (*energies)(const void *memory, int lane, struct energy_deviation *energy);
};

/* In the library, the scalar batch (one lane). In a compiled file, the batch that it exports. */
extern const struct batch_code batch_code;
extern const struct event_log_code event_log_code;

#endif
