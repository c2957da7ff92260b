/* Shared code of the fuzz targets: input as a file in memory, a folder. */
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
/* The folder of this process, in memory; made at the first call and removed at exit. Its files must
 * be removed by the target. */
const char *fuzz_folder(void);
/* Writes a file of these bytes; exits if that is impossible. */
void fuzz_write(const char *path, const uint8_t *data, size_t size);
/* The bytes as a string; exits without memory. free() it. */
char *fuzz_string(const uint8_t *data, size_t size);

#endif
