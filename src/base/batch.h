/* Runs of one problem side by side: what a file compiled with lanes offers to the library. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_BATCH_H
#define BASE_BATCH_H

#include "noether.h"

/* Numbers are scalars here, number i of lane l at [i * lanes + l]. */
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
    void (*moment)(void *memory, struct noe_batch_moment *moment);
};

/* The library's own, one lane; in a compiled file, what it exports. */
extern const struct batch_code batch_code;

#endif
