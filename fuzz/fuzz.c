/* Shared code of the fuzz targets. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdbool.h>
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

static char folder[] = "/dev/shm/noether-fuzz-XXXXXX";

static void remove_folder(void) { rmdir(folder); }

const char *fuzz_folder(void) {
    static bool is_made;
    if (!is_made && (!mkdtemp(folder) || atexit(remove_folder) != 0)) {
        perror("fuzz: no folder in memory");
        exit(1);
    }
    is_made = true;
    return folder;
}

void fuzz_write(const char *path, const uint8_t *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (file && fwrite(data, 1, size, file) == size && fclose(file) == 0) return;
    perror(path);
    exit(1);
}

char *fuzz_string(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text) exit(1);
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}
