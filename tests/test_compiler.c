/* Failures of the compiler of models: missing, failing, hanging, of another interface. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "cache_folder.h"

static void test_no_compiler(void **state) {
    (void)state;
    char missing[300];
    path_of(missing, "tmp/missing");
    setenv("NOETHER_CC", missing, 1);
    expect(NOE_INTERPRETED, "tmp/missing' that NOETHER_CC names cannot be run");
    setenv("NOETHER_CC", "no-such-compiler", 1);
    expect(NOE_INTERPRETED, "'no-such-compiler' that NOETHER_CC names cannot be run");
    setenv("NOETHER_CC", "cc -O3", 1);
    expect(NOE_INTERPRETED, "'cc -O3' that NOETHER_CC names cannot be run");
    char *kept = strdup(getenv("PATH"));
    unsetenv("NOETHER_CC");
    setenv("PATH", missing, 1);
    expect(NOE_INTERPRETED, "no C compiler");
    setenv("PATH", kept, 1);
    free(kept);
}

static void test_failing_compiler(void **state) {
    (void)state;
    setenv("NOETHER_CC", "/bin/false", 1);
    expect(NOE_INTERPRETED, "the compiler '/bin/false' failed with status 1");
    setenv("NOETHER_CC", "/bin/true", 1); /* reports success without writing a file */
    expect(NOE_INTERPRETED, "cannot keep the compiled model");
    setenv("NOETHER_CC", "/dev", 1);
    expect(NOE_INTERPRETED, "'/dev' could not be started");
    assert_int_equal(count_files("cache", "", NULL), 0);
}

/* Replaces the compiler by a script. */
static void use_script(const char *lines) {
    char path[300];
    path_of(path, "script");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", lines);
    fclose(file);
    chmod(path, 0700);
    setenv("NOETHER_CC", path, 1);
}

static void test_messages_of_the_compiler(void **state) {
    (void)state;
    use_script("echo 'model.c:3:1: error: what is this' >&2; exit 4");
    expect(NOE_INTERPRETED, "failed with status 4: what is this");
    use_script("yes | head -c 1000000; kill -9 $$");
    expect(NOE_INTERPRETED, "was ended by signal 9");
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void test_hanging_compiler(void **state) {
    (void)state;
    char script[800], path[300];
    path_of(path, "pid");
    snprintf(script, sizeof script, "sleep 600 & echo $! > '%s'; wait", path);
    use_script(script);
    setenv("NOETHER_CC_TIMEOUT", "0.5", 1);
    const double start = now();
    expect(NOE_INTERPRETED, "was ended after 0.5 s");
    assert_true(now() - start < 5);
    int pid = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &pid), 1);
    fclose(file);
    for (int i = 0; i < 100 && kill(pid, 0) == 0; i++) usleep(20000); /* until init reaps it */
    char status_path[64], text[400] = "";
    snprintf(status_path, sizeof status_path, "/proc/%d/stat", pid);
    file = fopen(status_path, "r");
    if (file) {
        assert_non_null(fgets(text, sizeof text, file));
        fclose(file);
        assert_non_null(strstr(text, ") Z ")); /* no init reaps orphans here; it has ended */
    }
    use_script("exec 1>&- 2>&-; sleep 600"); /* no output, does not end */
    expect(NOE_INTERPRETED, "was ended after 0.5 s");
    assert_int_equal(count_files("cache", "", NULL), 0);
}

/* The last arguments are -o OBJECT SOURCE -lm. */
static void test_incompatible_objects(void **state) {
    (void)state;
    const char *const last = "for a; do o=$s; s=$b; b=$a; done\n";
    char script[600];
    snprintf(script, sizeof script, "%secho rubbish > \"$o\"", last);
    use_script(script);
    expect(NOE_INTERPRETED, "cannot be loaded");
    snprintf(script, sizeof script,
             "%ssed 's/define NOE_MODEL_ABI .*/define NOE_MODEL_ABI 99/' \"$s\" > \"$s.x.c\"\n"
             "gcc -shared -fPIC -w -o \"$o\" \"$s.x.c\" -lm; rm \"$s.x.c\"",
             last);
    use_script(script);
    expect(NOE_INTERPRETED, "not one of this library");
    snprintf(script, sizeof script, "%secho 'int other;' | gcc -shared -fPIC -xc -o \"$o\" -",
             last);
    use_script(script);
    expect(NOE_INTERPRETED, "not one of this library");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_no_compiler),
        TEST(test_failing_compiler),
        TEST(test_messages_of_the_compiler),
        TEST(test_hanging_compiler),
        TEST(test_incompatible_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
