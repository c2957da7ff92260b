/* Replaces random_stream.c in builds without Random123. */
/* SPDX-License-Identifier: MIT */
#include "base/random_stream.h"

bool stream_exists(void) { return false; }

void stream_uniform(const struct stream *stream, uint64_t draw, double uniform[2]) {
    (void)stream, (void)draw;
    uniform[0] = uniform[1] = 0.5;
}

void stream_normal(const struct stream *stream, uint64_t draw, double normal[2]) {
    (void)stream, (void)draw;
    normal[0] = normal[1] = 0;
}

void stream_step(unsigned long seed, unsigned long member, long k, int count, noe_scalar *normal) {
    (void)seed, (void)member, (void)k;
    for (int i = 0; i < count; i++) normal[i] = 0;
}
