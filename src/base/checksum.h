/* Checksum of files: FNV-1a of 64 bits. A changed bit always changes it. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

static const uint64_t checksum_empty = 0xcbf29ce484222325u;

static inline uint64_t checksum_add(uint64_t sum, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) sum = (sum ^ at[i]) * 0x100000001b3u;
    return sum;
}

#endif
