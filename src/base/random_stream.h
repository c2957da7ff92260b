/* Random numbers by (seed, member, draw): the same for any order in which they are asked for. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_RANDOM_STREAM_H
#define BASE_RANDOM_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "noether_real.h"

struct stream {
    uint64_t seed, member;
};

/* Is there a generator in this build? */
bool stream_exists(void);
/* Two numbers in (0,1), and two normal ones with mean 0 and variance 1, that belong to the draw. */
void stream_uniform(const struct stream *stream, uint64_t draw, double uniform[2]);
void stream_normal(const struct stream *stream, uint64_t draw, double normal[2]);
/* The first `count` of the normal numbers that belong to step k of a run: others than those of
 * any draw below 2^63. */
void stream_step(unsigned long seed, unsigned long member, long k, int count, noe_scalar *normal);

#endif
