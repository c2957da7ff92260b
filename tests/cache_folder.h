/* A folder for the cache of compiled models of each test, and the expected origin of a model's
 * code. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CACHE_FOLDER_H
#define TESTS_CACHE_FOLDER_H

#include <math.h>
#include <sys/stat.h>

#include "model_text.h"

static char directory[200]; /* contains `cache` and `tmp` of each test */

static void path_of(char path[300], const char *name) {
    snprintf(path, 300, "%s/%s", directory, name);
}

static int begin(void **state) {
    (void)state;
    char path[300];
    const char *above = getenv("NOETHER_TEST_TMP");
    snprintf(directory, sizeof directory, "%s/noether-test-XXXXXX", above ? above : "/tmp");
    if (!mkdtemp(directory)) return -1;
    path_of(path, "cache");
    setenv("NOETHER_CACHE", path, 1);
    path_of(path, "tmp");
    setenv("TMPDIR", path, 1);
    unsetenv("NOETHER_CC");
    unsetenv("NOETHER_CC_TIMEOUT");
    return mkdir(path, 0700);
}

static int end(void **state) {
    (void)state;
    char path[300];
    path_of(path, "cache");
    chmod(path, 0700);
    model_text_remove(path);
    path_of(path, "tmp");
    model_text_remove(path);
    model_text_remove(directory);
    return 0;
}

/* Counts the files whose name ends with `ending`; writes the last path to `path`. */
static int count_files(const char *where, const char *ending, char path[600]) {
    char listed[300];
    path_of(listed, where);
    DIR *listing = opendir(listed);
    int count = 0;
    for (struct dirent *at; listing && (at = readdir(listing));) {
        const size_t length = strlen(at->d_name), wanted = strlen(ending);
        if (at->d_name[0] == '.' || length < wanted) continue;
        if (strcmp(at->d_name + length - wanted, ending) != 0) continue;
        count++;
        if (path) snprintf(path, 600, "%s/%s", listed, at->d_name);
    }
    if (listing) closedir(listing);
    return count;
}

/* Checks that the model runs, compiled or interpreted. */
static void expect(enum noe_model_code_kind kind, const char *note) {
    struct noe_model *model = model_text_open(MODEL_DOUBLE_PENDULUM, false);
    if (model->code.kind != kind)
        print_error("%s\n", model->code.note ? model->code.note : "no note");
    assert_int_equal(model->code.kind, kind);
    if (note) {
        assert_non_null(model->code.note);
        if (!strstr(model->code.note, note)) print_error("%s\n", model->code.note);
        assert_non_null(strstr(model->code.note, note));
    } else {
        assert_null(model->code.note);
    }
    const noe_real q[2] = {0, 0}, v[2] = {0, 0};
    const noe_real value = model->system->lagrangian(model->system, 0, q, v);
    assert_true(fabs(value - (2.25 * 9.81 * 1.1 + 0.75 * 9.81 * 0.8)) < 1e-13);
    noe_model_free(model);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

#endif
