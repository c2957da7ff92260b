/* Counter-based random numbers: the value depends on (seed, member, draw) only, not on the order of
 * the calls. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_RANDOM_STREAM_H
#define BASE_RANDOM_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "noether_system.h"

struct stream {
    uint64_t seed, member;
};

/* True if this build has a generator. */
bool stream_exists(void);
/* Two uniform numbers in (0,1) for a draw, and two normal numbers of mean 0 and variance 1. */
void stream_uniform(const struct stream *stream, uint64_t draw, double uniform[2]);
void stream_normal(const struct stream *stream, uint64_t draw, double normal[2]);
/* A source of `count` independent standard normal numbers for step k (from 0) of a run. The result
 * depends on the arguments alone. */
typedef void stream_normals(unsigned long seed, unsigned long member, long k, int count,
                            noe_scalar *normal);
/* The first `count` normal numbers of step k of a run. They are independent of all draws below
 * 2^63. */
void stream_step(unsigned long seed, unsigned long member, long k, int count, noe_scalar *normal);

#endif
