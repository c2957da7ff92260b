/* Models stated in tests, opened with a cache directory of the test's own. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_MODEL_TEXT_H
#define TESTS_MODEL_TEXT_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "noether_model.h"

#define MODEL_DOUBLE_PENDULUM                                                                      \
    "model \"Double pendulum\"\n"                                                                  \
    "param m1 = 1.5, m2 = 0.75, l1 = 1.1, l2 = 0.8, g = 9.81\n"                                    \
    "coord a, b\n"                                                                                 \
    "L = (m1 + m2)/2*l1^2*a'^2 + m2/2*l2^2*b'^2 + m2*l1*l2*a'*b'*cos(a - b)\n"                     \
    "  + (m1 + m2)*g*l1*cos(a) + m2*g*l2*cos(b)\n"                                                 \
    "start a = 2, b = 1.5, a' = 0.25\n"                                                            \
    "observe tip = [l1*sin(a) + l2*sin(b), -l1*cos(a) - l2*cos(b)]\n"

static inline struct noe_model *model_text_open(const char *text, bool interpret) {
    const struct noe_model_settings settings = {.interpret = interpret};
    struct noe_model *model = NULL;
    struct noe_error error = {0};
    if (noe_model_open_text(&model, "test.noe", text, &settings, &error) != NOE_OK) {
        print_error("%d:%d: %s\n%s", error.line, error.column, error.text, text);
        fail();
    }
    return model;
}

/* Removes a directory and the files in it. */
static inline void model_text_remove(const char *directory) {
    DIR *listing = opendir(directory);
    for (struct dirent *at; listing && (at = readdir(listing));) {
        unlinkat(dirfd(listing), at->d_name, 0);
    }
    if (listing) closedir(listing);
    rmdir(directory);
}

/* Makes a directory for the test's files, which is its state, and for the cache. */
static inline int model_text_begin(void **state) {
    const char *above = getenv("TMPDIR");
    char *directory = malloc(256);
    snprintf(directory, 256, "%s/noether-test-XXXXXX", above ? above : "/tmp");
    *state = directory;
    if (!mkdtemp(directory)) return -1;
    return setenv("NOETHER_CACHE", directory, 1);
}

static inline int model_text_end(void **state) {
    model_text_remove(*state);
    free(*state);
    return 0;
}

#endif
