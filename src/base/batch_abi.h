/* Interface of the code compiled for SIMD lanes, which advances several runs of one problem at
 * once. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_BATCH_ABI_H
#define BASE_BATCH_ABI_H

#include "noether_batch.h"

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
    void (*steps)(void *memory, long count);
    void (*measure)(void *memory);
    void (*lane)(const void *memory, int lane, struct noe_lane *now);
};

/* Interface of code that was compiled with event detection. It needs a second block of memory
 * beside that of the batch. Its functions do the work of the functions of the same names in
 * noether_batch.h. */
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

/* In the library, the scalar batch (one lane). In a compiled file, the batch that it exports. */
extern const struct batch_code batch_code;
extern const struct event_log_code event_log_code;

#endif
