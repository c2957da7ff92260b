/* A file of a published experiment: runs, values, claims and pictures. Nothing is run. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/reproduce/reproduce.h"
#include "fuzz.h"

/* The folder of the file, made at the first input. */
static const char *make_folder(void) {
    static char folder[] = "/dev/shm/noether-fuzz-XXXXXX";
    static bool is_made;
    if (!is_made && !mkdtemp(folder)) exit(1);
    is_made = true;
    return folder;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *folder = make_folder();
    struct reproduce_experiment *experiment = NULL;
    char path[64];
    snprintf(path, sizeof path, "%s/experiment", folder);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) exit(1);
    reproduce_file_open(&experiment, folder, "fuzzed");
    reproduce_file_free(experiment);
    unlink(path);
    return 0;
}
