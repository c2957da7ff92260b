/* The cache of compiled models: entries, owners, damage, concurrent users. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "cache_folder.h"

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

/* Permissions of the directory, of the object and of its text, and of no other. */
static void expect_private(const char *where) {
    char path[600];
    struct stat about;
    path_of(path, where);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0700);
    assert_int_equal(count_files(where, ".so", path), 1);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0177, 0);
    assert_int_equal(count_files(where, ".c", path), 1);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0177, 0);
}

static void test_entries_are_private_whatever_the_umask(void **state) {
    (void)state;
    static const mode_t masks[] = {0, 022, 0133};
    char path[600], name[40];
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        snprintf(name, sizeof name, "cache/%zu", i);
        path_of(path, name);
        setenv("NOETHER_CACHE", path, 1);
        const mode_t before = umask(masks[i]);
        expect(NOE_COMPILED, NULL);
        umask(before);
        expect(NOE_CACHED, NULL);
        expect_private(name);
        model_text_remove(path);
    }
}

static void test_entries_that_others_may_write_are_compiled_anew(void **state) {
    (void)state;
    static const char *const endings[] = {".so", ".c"};
    char path[600];
    for (int i = 0; i < 2; i++) {
        expect(i ? NOE_CACHED : NOE_COMPILED, NULL);
        assert_int_equal(count_files("cache", endings[i], path), 1);
        assert_int_equal(chmod(path, 0666), 0);
        expect(NOE_COMPILED, "others may write to it");
        expect(NOE_CACHED, NULL);
        if (geteuid() != 0) continue;
        assert_int_equal(chown(path, 65534, 65534), 0);
        expect(NOE_COMPILED, "belongs to another user");
        expect(NOE_CACHED, NULL);
    }
}

/* A FIFO without a writer in place of the object. */
static void test_a_fifo_does_not_hang(void **state) {
    (void)state;
    static const char *const endings[] = {".so", ".c"};
    char path[600];
    expect(NOE_COMPILED, NULL);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(count_files("cache", endings[i], path), 1);
        assert_int_equal(unlink(path), 0);
        assert_int_equal(mkfifo(path, 0600), 0);
        alarm(60);
        expect(NOE_COMPILED, "not a regular file");
        alarm(0);
        expect(NOE_CACHED, NULL);
    }
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

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_entry_is_stored_and_found),
        TEST(test_use_renews_an_entry),
        TEST(test_other_compiler_is_another_entry),
        TEST(test_damaged_entries_are_replaced),
        TEST(test_open_directory_is_refused),
        TEST(test_directory_of_another_user_is_refused),
        TEST(test_entries_are_private_whatever_the_umask),
        TEST(test_entries_that_others_may_write_are_compiled_anew),
        TEST(test_a_fifo_does_not_hang),
        TEST(test_link_to_an_own_directory_is_accepted),
        TEST(test_file_in_place_of_directory),
        TEST(test_no_writable_directory),
        TEST(test_user_directories),
        TEST(test_directory_of_the_settings),
        TEST(test_concurrent_processes),
        TEST(test_old_entries_are_removed),
        TEST(test_titles_stay_out_of_the_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
