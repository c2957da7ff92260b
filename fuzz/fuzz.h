/* Shared code of the fuzz targets: input as a file in memory. */
/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The entry point that libFuzzer calls with every input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz_file {
    int descriptor;
    char path[32]; /* valid until fuzz_file_close */
};

/* Makes a file of these bytes that is in memory only; exits if that is impossible. */
struct fuzz_file fuzz_file_open(const uint8_t *data, size_t size);
void fuzz_file_close(struct fuzz_file *file);
/* The bytes as a string; exits without memory. free() it. */
char *fuzz_string(const uint8_t *data, size_t size);

#endif
