/* A file of a published experiment: runs, values, claims and pictures. Nothing is run. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <unistd.h>

#include "cli/reproduce/reproduce.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *folder = fuzz_folder();
    struct reproduce_experiment *experiment = NULL;
    char path[64];
    snprintf(path, sizeof path, "%s/experiment", folder);
    fuzz_write(path, data, size);
    reproduce_file_open(&experiment, folder, "fuzzed");
    reproduce_file_free(experiment);
    unlink(path);
    return 0;
}
