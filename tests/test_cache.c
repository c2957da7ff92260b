/* Failures of the compiler and of the cache of compiled models. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

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

static void test_use_renews_an_entry(void **state) {
    (void)state;
    char path[600];
    struct stat about;
    const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    expect(NOE_COMPILED, NULL);
    assert_int_equal(count_files("cache", ".so", path), 1);
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    expect(NOE_CACHED, NULL);
    assert_int_equal(stat(path, &about), 0);
    assert_true(about.st_mtime > 1000);
}

static void test_entry_is_stored_and_found(void **state) {
    (void)state;
    struct stat about;
    char path[300];
    expect(NOE_COMPILED, NULL);
    expect(NOE_CACHED, NULL);
    assert_int_equal(count_files("cache", "", NULL), 2);
    assert_int_equal(count_files("cache", ".so", NULL), 1);
    assert_int_equal(count_files("tmp", "", NULL), 0);
    path_of(path, "cache");
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0700);
}

static void test_other_compiler_is_another_entry(void **state) {
    (void)state;
    expect(NOE_COMPILED, NULL);
    setenv("NOETHER_CC", "gcc", 1);
    expect(NOE_COMPILED, NULL);
    expect(NOE_CACHED, NULL);
    assert_int_equal(count_files("cache", ".so", NULL), 2);
}

static void damage(const char *path, long at, bool truncates) {
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    const int byte = fgetc(file);
    if (truncates) {
        assert_int_equal(ftruncate(fileno(file), at), 0);
    } else {
        assert_int_equal(fseek(file, -1, SEEK_CUR), 0);
        fputc(byte ^ 1, file);
    }
    fclose(file);
}

static void test_damaged_entries_are_replaced(void **state) {
    (void)state;
    static const struct {
        const char *ending;
        long at;
        bool truncates;
    } rows[] = {{".so", 5000, false}, {".so", 0, false},  {".so", -1, false}, {".so", 4000, true},
                {".so", 0, true},     {".c", 200, false}, {".c", -1, false},  {".c", 100, true}};
    char path[600];
    expect(NOE_COMPILED, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(count_files("cache", rows[i].ending, path), 1);
        damage(path, rows[i].at, rows[i].truncates);
        expect(NOE_COMPILED, NULL);
        expect(NOE_CACHED, NULL);
    }
    assert_int_equal(count_files("cache", "", NULL), 2);
}

static void test_open_directory_is_refused(void **state) {
    (void)state;
    char path[300];
    path_of(path, "cache");
    mkdir(path, 0700);
    chmod(path, 0777);
    expect(NOE_COMPILED, "others may write to it");
    expect(NOE_COMPILED, "others may write to it");
    chmod(path, 0770);
    expect(NOE_COMPILED, "others may write to it");
    assert_int_equal(count_files("cache", "", NULL), 0);
    assert_int_equal(count_files("tmp", "", NULL), 0);
}

static void test_directory_of_another_user_is_refused(void **state) {
    (void)state;
    char path[300], link[300];
    path_of(path, "cache");
    path_of(link, "link");
    mkdir(path, 0700);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 65534, 65534), 0);
    } else {
        strcpy(path, "/usr");
    }
    setenv("NOETHER_CACHE", path, 1);
    expect(NOE_COMPILED, "belongs to another user");
    assert_int_equal(symlink(path, link), 0);
    setenv("NOETHER_CACHE", link, 1);
    expect(NOE_COMPILED, "belongs to another user");
    assert_int_equal(count_files("cache", "", NULL), 0);
    assert_int_equal(count_files("tmp", "", NULL), 0);
}

static void test_link_to_an_own_directory_is_accepted(void **state) {
    (void)state;
    char path[300], link[300];
    path_of(path, "cache");
    path_of(link, "link");
    mkdir(path, 0700);
    assert_int_equal(symlink(path, link), 0);
    setenv("NOETHER_CACHE", link, 1);
    expect(NOE_COMPILED, NULL);
    expect(NOE_CACHED, NULL);
    assert_int_equal(count_files("cache", ".so", NULL), 1);
}

static void test_file_in_place_of_directory(void **state) {
    (void)state;
    char path[300];
    path_of(path, "cache");
    fclose(fopen(path, "w"));
    expect(NOE_COMPILED, "is not a directory");
    unlink(path);
}

static void test_no_writable_directory(void **state) {
    (void)state;
    setenv("NOETHER_CACHE", "/proc/nothing", 1);
    setenv("TMPDIR", "/proc", 1);
    expect(NOE_INTERPRETED, "no temporary directory");
}

static void test_user_directories(void **state) {
    (void)state;
    char path[300];
    unsetenv("NOETHER_CACHE");
    path_of(path, "cache");
    setenv("XDG_CACHE_HOME", path, 1);
    expect(NOE_COMPILED, NULL);
    assert_int_equal(count_files("cache/noether", ".so", NULL), 1);
    path_of(path, "cache/noether");
    model_text_remove(path);
    unsetenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    char *kept = home ? strdup(home) : NULL;
    path_of(path, "cache");
    setenv("HOME", path, 1);
    expect(NOE_COMPILED, NULL);
    assert_int_equal(count_files("cache/.cache/noether", ".so", NULL), 1);
    unsetenv("HOME");
    expect(NOE_COMPILED, "HOME is not set");
    if (kept) setenv("HOME", kept, 1);
    free(kept);
    path_of(path, "cache/.cache/noether");
    model_text_remove(path);
    path_of(path, "cache/.cache");
    model_text_remove(path);
}

static void test_directory_of_the_settings(void **state) {
    (void)state;
    char path[300];
    path_of(path, "tmp/one/two");
    const struct noe_model_settings settings = {.cache = path};
    struct noe_model *model;
    struct noe_error error;
    assert_int_equal(noe_model_open_text(&model, "x", MODEL_DOUBLE_PENDULUM, &settings, &error),
                     NOE_OK);
    assert_int_equal(model->code.kind, NOE_COMPILED);
    noe_model_free(model);
    assert_int_equal(count_files("tmp/one/two", ".so", NULL), 1);
    model_text_remove(path);
    path_of(path, "tmp/one");
    model_text_remove(path);
}

/* --- Compilers. */

static void test_no_compiler(void **state) {
    (void)state;
    setenv("NOETHER_CC", "/nonexistent", 1);
    expect(NOE_INTERPRETED, "'/nonexistent' that NOETHER_CC names cannot be run");
    setenv("NOETHER_CC", "no-such-compiler", 1);
    expect(NOE_INTERPRETED, "'no-such-compiler' that NOETHER_CC names cannot be run");
    setenv("NOETHER_CC", "cc -O3", 1);
    expect(NOE_INTERPRETED, "'cc -O3' that NOETHER_CC names cannot be run");
    char *kept = strdup(getenv("PATH"));
    unsetenv("NOETHER_CC");
    setenv("PATH", "/nonexistent", 1);
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

/* --- Concurrent users. */

static void test_concurrent_processes(void **state) {
    (void)state;
    enum { COUNT = 6 };
    pid_t child[COUNT];
    for (int i = 0; i < COUNT; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] > 0) continue;
        const struct noe_model_settings settings = {0};
        struct noe_model *model;
        struct noe_error error;
        const bool is_open =
            noe_model_open_text(&model, "x", MODEL_DOUBLE_PENDULUM, &settings, &error) == NOE_OK;
        _exit(is_open && model->code.kind != NOE_INTERPRETED && !model->code.note ? 0 : 1);
    }
    for (int i = 0; i < COUNT; i++) {
        int status = -1;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_files("cache", "", NULL), 2);
    expect(NOE_CACHED, NULL);
}

static void make_old_file(const char *name, long age) {
    char path[300];
    path_of(path, name);
    fclose(fopen(path, "w"));
    const struct timespec times[2] = {{.tv_sec = time(NULL) - age}, {.tv_sec = time(NULL) - age}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_old_entries_are_removed(void **state) {
    (void)state;
    char name[100], path[300];
    path_of(path, "cache");
    mkdir(path, 0700);
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "cache/%032x.so", i);
        make_old_file(name, 10000 - i);
        snprintf(name, sizeof name, "cache/%032x.c", i);
        make_old_file(name, 10000 - i);
    }
    make_old_file("cache/notes.so", 99999);
    path_of(path, "cache/building-abc");
    mkdir(path, 0700);
    make_old_file("cache/building-abc/model.c", 99999);
    const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    utimensat(AT_FDCWD, path, old, 0);
    expect(NOE_COMPILED, NULL);
    assert_int_equal(count_files("cache", ".so", NULL), 256 + 1);
    assert_int_equal(count_files("cache", ".c", NULL), 256);
    assert_int_equal(count_files("cache", "notes.so", NULL), 1);
    assert_int_equal(count_files("cache", "abc", NULL), 0);
    snprintf(name, sizeof name, "%032x.so", 44);
    assert_int_equal(count_files("cache", name, NULL), 0);
    snprintf(name, sizeof name, "%032x.so", 45);
    assert_int_equal(count_files("cache", name, NULL), 1);
    expect(NOE_CACHED, NULL);
}

/* Titles and comments of the author never reach the compiler. */
static void test_titles_stay_out_of_the_code(void **state) {
    (void)state;
    static const char *const titles[] = {"zzqx */ int zzqx = system(0); /*", "zzqx \\", "zzqx %s%n",
                                         "zzqx \?\?/", "zzqx '\\\"'"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        char text[600], path[600], line[2000];
        snprintf(text, sizeof text,
                 "model \"%s\"\nparam zzqx_a = %zu.5\ncoord zzqx_q\n"
                 "L = zzqx_a*zzqx_q'^2/2\nobserve zzqx_o = zzqx_q\n",
                 titles[i], i);
        const struct noe_model_settings settings = {0};
        struct noe_model *model;
        struct noe_error error;
        if (noe_model_open_text(&model, "zzqx.noe", text, &settings, &error) != NOE_OK) continue;
        assert_int_not_equal(model->code.kind, NOE_INTERPRETED);
        noe_model_free(model);
        assert_true(count_files("cache", ".c", path) >= 1);
        FILE *file = fopen(path, "r");
        while (fgets(line, sizeof line, file)) assert_null(strstr(line, "zzqx"));
        fclose(file);
    }
    assert_true(count_files("cache", ".c", NULL) >= 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_entry_is_stored_and_found),
        TEST(test_use_renews_an_entry),
        TEST(test_other_compiler_is_another_entry),
        TEST(test_damaged_entries_are_replaced),
        TEST(test_open_directory_is_refused),
        TEST(test_directory_of_another_user_is_refused),
        TEST(test_link_to_an_own_directory_is_accepted),
        TEST(test_file_in_place_of_directory),
        TEST(test_no_writable_directory),
        TEST(test_user_directories),
        TEST(test_directory_of_the_settings),
        TEST(test_no_compiler),
        TEST(test_failing_compiler),
        TEST(test_messages_of_the_compiler),
        TEST(test_hanging_compiler),
        TEST(test_incompatible_objects),
        TEST(test_concurrent_processes),
        TEST(test_old_entries_are_removed),
        TEST(test_titles_stay_out_of_the_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
