/* Model files: unreadable ones, and the properties of readable ones. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model_text.h"
#include "noether_model.h"

static void expect_unreadable(const char *path, const char *words) {
    struct noe_model *model;
    struct noe_error error = {0};
    assert_int_equal(noe_model_open(&model, path, NULL, &error), NOE_BAD_INPUT);
    assert_null(model);
    assert_non_null(strstr(error.text, words));
    assert_int_equal(error.line, 0);
}

static void test_files_that_cannot_be_read(void **state) {
    const char *directory = *state;
    char path[300];
    expect_unreadable("no/such.noe", "cannot read 'no/such.noe': No such file or directory");
    expect_unreadable(directory, "Is a directory");
    expect_unreadable("/dev/zero", "larger than 16 MB");
    snprintf(path, sizeof path, "%s/large.noe", directory);
    FILE *file = fopen(path, "w");
    assert_int_equal(ftruncate(fileno(file), 100 << 20), 0);
    fclose(file);
    expect_unreadable(path, "larger than 16 MB");
    if (geteuid() != 0) {
        chmod(path, 0);
        expect_unreadable(path, "Permission denied");
    }
    unlink(path);
}

static void test_file_and_title(void **state) {
    char path[300];
    snprintf(path, sizeof path, "%s/small.noe", (char *)*state);
    FILE *file = fopen(path, "w");
    fputs("coord q\nL = q'^2/2\n", file);
    fclose(file);
    struct noe_model *model;
    struct noe_error error;
    assert_int_equal(noe_model_open(&model, path, NULL, &error), NOE_OK);
    assert_string_equal(model->title, "small");
    assert_string_equal(model->path, path);
    assert_string_equal(model->text, "coord q\nL = q'^2/2\n");
    noe_model_free(model);
    unlink(path);
}

static void test_an_interrupt_ends_reading(void **state) {
    (void)state;
    const volatile int interrupt = 1;
    const struct noe_model_settings settings = {.interrupt = &interrupt};
    struct noe_model *model;
    struct noe_error error = {0};
    assert_int_equal(
        noe_model_open_text(&model, "small", "coord q\nL = q'^2/2\n", &settings, &error),
        NOE_INTERRUPTED);
    assert_null(model);
    assert_string_equal(error.text, "interrupted");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files_that_cannot_be_read),
                                       cmocka_unit_test(test_file_and_title),
                                       cmocka_unit_test(test_an_interrupt_ends_reading)};
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
