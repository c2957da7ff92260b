/* Counter-based random numbers, addressed by (seed, member, draw), from the generators of Salmon,
 * Moraes, Dror and Shaw (2011). */
/* SPDX-License-Identifier: MIT */
#include "base/random_stream.h"

#include <Random123/philox.h>
#include <math.h>

bool stream_exists(void) { return true; }

/* The centre of one of 2^53 equal subintervals of (0,1). */
static double part(uint32_t high, uint32_t low) {
    const uint64_t word = (uint64_t)high << 32 | low;
    return ((double)(word >> 11) + 0.5) * 0x1p-53;
}

void stream_uniform(const struct stream *stream, uint64_t draw, double uniform[2]) {
    const philox4x32_ctr_t counter = {{(uint32_t)stream->member, (uint32_t)(stream->member >> 32),
                                       (uint32_t)draw, (uint32_t)(draw >> 32)}};
    const philox4x32_key_t key = {{(uint32_t)stream->seed, (uint32_t)(stream->seed >> 32)}};
    const philox4x32_ctr_t word = philox4x32(counter, key);
    uniform[0] = part(word.v[0], word.v[1]);
    uniform[1] = part(word.v[2], word.v[3]);
}

/* Box and Muller (1958). */
void stream_normal(const struct stream *stream, uint64_t draw, double normal[2]) {
    double uniform[2];
    stream_uniform(stream, draw, uniform);
    const double radius = sqrt(-2 * log(uniform[0])), angle = 2 * M_PI * uniform[1];
    normal[0] = radius * cos(angle);
    normal[1] = radius * sin(angle);
}

/* The counter has room for 2^17 numbers per step and 2^47 steps. */
void stream_step(unsigned long seed, unsigned long member, long k, int count, noe_scalar *normal) {
    const struct stream stream = {seed, member};
    const uint64_t first = UINT64_C(1) << 63 | (uint64_t)k << 16;
    for (int i = 0; i < count; i += 2) {
        double two[2];
        stream_normal(&stream, first + (uint64_t)i / 2, two);
        normal[i] = two[0];
        if (i + 1 < count) normal[i + 1] = two[1];
    }
}
