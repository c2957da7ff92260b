/* Random numbers by (seed, member, draw): the same for any order in which they are asked for. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_STREAM_H
#define BASE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

/* What a draw is for: streams of different uses never meet. */
enum stream_use { STREAM_START, STREAM_NOISE, STREAM_GUESS };

struct stream {
    uint64_t seed, member;
    enum stream_use use;
};

/* Is there a generator in this build? */
bool stream_exists(void);
/* Two numbers in (0,1), and two normal ones with mean 0 and variance 1, that belong to the draw. */
void stream_uniform(const struct stream *stream, uint64_t draw, double uniform[2]);
void stream_normal(const struct stream *stream, uint64_t draw, double normal[2]);

#endif
