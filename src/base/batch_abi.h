/* Runs of one problem side by side: what a file compiled with lanes offers to the library. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_BATCH_ABI_H
#define BASE_BATCH_ABI_H

#include "noether_batch.h"

struct batch_code {
    int lanes;
    /* Bytes of memory, aligned to 64, for runs of a problem whose model has so many parameters. */
    size_t (*bytes)(const struct noe_problem *problem, int nparameters);
    /* Prepares that memory, all zero, for batch_code.start. */
    enum noe_status (*open)(void *memory, const struct noe_problem *problem, int nparameters);
    void (*close)(void *memory);
    /* Begins `count` runs; lanes beyond are idle. A member may have the usual parameters. */
    void (*start)(void *memory, int count, const struct noe_member *member,
                  const noe_scalar *parameters);
    void (*steps)(void *memory, long count);
    void (*measure)(void *memory);
    void (*lane)(const void *memory, int lane, struct noe_lane *now);
};

/* What a file compiled for crossings offers besides: memory of its own, beside that of the batch,
 * and what the functions of the same names in noether_batch.h do. */
struct event_log_code {
    size_t (*bytes)(const struct noe_problem *problem);
    enum noe_status (*open)(void *memory, void *batch, const struct noe_problem *problem);
    void (*close)(void *memory);
    void (*start)(void *memory);
    long (*steps)(void *memory, long count);
    bool (*note)(const void *memory, int lane, int i, struct noe_event_step *noted);
    void (*place)(void *memory, int lane, int i);
    void (*parts)(void *memory, const noe_scalar *length);
    void (*roots)(void *memory, noe_scalar *theta);
    void (*part)(const void *memory, int lane, struct noe_lane *there);
    void (*energies)(const void *memory, int lane, struct noe_deviation *energy);
};

/* The library's own, one lane; in a compiled file, what it exports. */
extern const struct batch_code batch_code;
extern const struct event_log_code event_log_code;

#endif
