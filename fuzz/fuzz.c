/* Shared code of the fuzz targets. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct fuzz_file fuzz_file_open(const uint8_t *data, size_t size) {
    struct fuzz_file file = {.descriptor = memfd_create("fuzz", 0)};
    if (file.descriptor < 0 || write(file.descriptor, data, size) != (ssize_t)size) {
        perror("fuzz: no file in memory");
        exit(1);
    }
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
    return file;
}

void fuzz_file_close(struct fuzz_file *file) { close(file->descriptor); }

char *fuzz_string(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text) exit(1);
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}
