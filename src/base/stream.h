/* Streams of random numbers by seed and number: splitmix (Steele, Lea and Flood 2014). */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_STREAM_H
#define BASE_STREAM_H

#include <math.h>
#include <stdint.h>

struct stream {
    uint64_t state;
};

static inline uint64_t stream_word(struct stream *stream) {
    uint64_t z = stream->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline struct stream stream_open(unsigned long seed, long number) {
    struct stream stream = {seed};
    stream.state = stream_word(&stream) ^ (uint64_t)number * 0xd1342543de82ef95u;
    stream_word(&stream);
    return stream;
}

/* Between -1 and 1. */
static inline double stream_uniform(struct stream *stream) {
    return (double)(int64_t)stream_word(stream) * 0x1p-63;
}

/* Of mean 0 and variance 1 (Box and Muller 1958). */
static inline double stream_normal(struct stream *stream) {
    const double u = ((double)(stream_word(stream) >> 11) + 0.5) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(3.14159265358979323846 * stream_uniform(stream));
}

#endif
