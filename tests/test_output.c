/* Output: every format of the registry preserves every bit, and a failing disk leaves no file. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/real.h"
#include "base/status.h"
#include "output/atomic_file.h"
#include "output/format.h"
#include "output/table.h"

static char folder[] = "/tmp/noether-output-XXXXXX";
static char path_text[4096];

/* The path of `name` in the test's own directory. */
static const char *in_folder(const char *name) {
    snprintf(path_text, sizeof path_text, "%s/%s", folder, name);
    return path_text;
}

static const char *trajectory_path(const struct noe_format *format) {
    char name[64];
    snprintf(name, sizeof name, "out.%s", format->name);
    return in_folder(name);
}

static int files_in_folder(void) {
    int count = 0;
    DIR *directory = opendir(folder);
    while (readdir(directory)) count++;
    closedir(directory);
    return count - 2;
}

static void empty_folder(void) {
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory));) {
        const char *path = in_folder(entry->d_name);
        if (unlink(path) != 0) rmdir(path);
    }
    closedir(directory);
}

static int make_folder(void **state) {
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    empty_folder();
    return rmdir(folder);
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_text(const char *path, const char *expected) {
    char found[4096] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t length = fread(found, 1, sizeof found - 1, file);
    fclose(file);
    found[length] = 0;
    assert_string_equal(found, expected);
}

static const char *const pair[] = {"t", "q"};
static const struct noe_record_header pair_header = {.model_title = "A \"title\", with \xc3\xa9",
                                                     .model_text = "coord q\nL = q'^2\n",
                                                     .method = "midpoint",
                                                     .settings = "step=0.01 until=40",
                                                     .ncolumns = 2,
                                                     .column = pair};

/* A fast generator of all bit patterns, including special values. */
static real any_real(uint64_t *seed) {
    real x;
    unsigned char bytes[sizeof x];
    for (size_t i = 0; i < sizeof x; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (unsigned char)(*seed >> 56);
    }
    memcpy(&x, bytes, sizeof x);
    return real_is_finite(x) ? x : (real)1 / 3;
}

static void write_rows(const struct noe_format *format, const struct noe_record_header *header,
                       size_t nrows, const real *rows, const char *message) {
    struct noe_error error = {0};
    void *file = NULL;
    const char *path = trajectory_path(format);
    assert_int_equal(format->open(&file, path, header, &error), NOE_OK);
    for (size_t r = 0; r < nrows; r++)
        assert_int_equal(format->row(file, rows + r * (size_t)header->ncolumns, &error), NOE_OK);
    assert_int_equal(format->close(file, message, &error), NOE_OK);
}

static struct noe_table *read_rows(const struct noe_format *format) {
    struct noe_error error = {0};
    struct noe_table *table = NULL;
    const enum noe_status status = noe_table_open(&table, trajectory_path(format), &error);
    if (status != NOE_OK) fail_msg("%s", error.text);
    return table;
}

/* All NaN are equal here. Every other value must come back bit by bit, including the sign of
 * zero. */
static void assert_same(real found, real expected) {
    if (expected != expected)
        assert_true(found != found);
    else
        assert_memory_equal(&found, &expected, sizeof(double) == sizeof(real) ? 8 : 16);
}

static void round_trip(const struct noe_format *format, const struct noe_record_header *header,
                       size_t nrows, const real *rows) {
    write_rows(format, header, nrows, rows, NULL);
    struct noe_table *table = read_rows(format);
    const size_t ncolumns = (size_t)header->ncolumns;
    assert_int_equal(table->ncolumns, header->ncolumns);
    assert_int_equal(table->nrows, nrows);
    assert_null(table->message);
    for (size_t c = 0; c < ncolumns; c++) {
        assert_string_equal(table->column[c], header->column[c]);
        for (size_t r = 0; r < nrows; r++)
            assert_same(table_column(table, (int)c)[r], rows[r * ncolumns + c]);
    }
    noe_table_free(table);
    assert_int_equal(files_in_folder(), 1);
    empty_folder();
}

static void every_format_preserves_every_bit(void **state) {
    (void)state;
    assert_true(format_count() > 0);
    const size_t nrows = sizeof(real) > sizeof(double) ? 2000 : 20000; /* quad prints slowly */
    real *rows = malloc(2 * nrows * sizeof *rows);
    uint64_t seed = 1;
    for (size_t i = 0; i < 2 * nrows; i++) rows[i] = any_real(&seed);
    for (int i = 0; i < format_count(); i++) round_trip(format_at(i), &pair_header, nrows, rows);
    free(rows);
}

static void every_format_preserves_special_values(void **state) {
    (void)state;
    const real zero = 0, tiny = (real)4.9406564584124654e-324, huge = (real)1.7976931348623157e308;
    const real rows[] = {0,        -zero, 1 / zero,  -1 / zero,   0 / zero, tiny,
                         huge,     -huge, (real)0.1, (real)1 / 3, 1e22,     123456789,
                         tiny * 3, 1e-5,  5,         (real)2 / 3};
    for (int i = 0; i < format_count(); i++) round_trip(format_at(i), &pair_header, 8, rows);
}

static void every_format_writes_zero_rows(void **state) {
    (void)state;
    for (int i = 0; i < format_count(); i++)
        round_trip(format_at(i), &pair_header, 0, (const real[]){0});
}

static void every_format_writes_unusual_names(void **state) {
    (void)state;
    static const char *const names[] = {"t",      "a,b",   "say \"hi\"", "# no comment",
                                        " edge ", "x[1]'", "inf",        "\xc3\xa9t\xc3\xa9",
                                        ""};
    struct noe_record_header header = pair_header;
    header.ncolumns = 9;
    header.column = names;
    const real row[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    for (int i = 0; i < format_count(); i++) round_trip(format_at(i), &header, 1, row);
}

/* As many columns as a chain of thousands of bodies. Their names alone exceed 64 KB. */
static void every_format_writes_many_columns(void **state) {
    (void)state;
    enum { MANY = 12000 };
    char *names = malloc(MANY * 24);
    const char **column = malloc(MANY * sizeof *column);
    real *rows = malloc(3 * MANY * sizeof *rows);
    for (int i = 0; i < MANY; i++) {
        column[i] = names + 24 * i;
        snprintf(names + 24 * i, 24, "position[%d]'", i + 1);
    }
    for (int i = 0; i < 3 * MANY; i++) rows[i] = (real)i / 7;
    struct noe_record_header header = pair_header;
    header.ncolumns = MANY;
    header.column = column;
    for (int i = 0; i < format_count(); i++) round_trip(format_at(i), &header, 3, rows);
    free(rows);
    free(column);
    free(names);
}

static void every_format_marks_incomplete_files(void **state) {
    (void)state;
    const real rows[] = {0, 1, 2, 3};
    for (int i = 0; i < format_count(); i++) {
        write_rows(format_at(i), &pair_header, 2, rows, "step 3:\nno root");
        struct noe_table *table = read_rows(format_at(i));
        assert_int_equal(table->nrows, 2);
        assert_non_null(strstr(table->message, "no root"));
        noe_table_free(table);
        empty_folder();
    }
}

static void every_format_rejects_zero_columns(void **state) {
    (void)state;
    struct noe_record_header header = pair_header;
    header.ncolumns = 0;
    struct noe_error error = {0};
    void *file;
    for (int i = 0; i < format_count(); i++) {
        const struct noe_format *format = format_at(i);
        assert_int_equal(format->open(&file, trajectory_path(format), &header, &error),
                         NOE_BAD_INPUT);
        assert_int_equal(files_in_folder(), 0);
    }
}

static void h5_files_have_metadata(void **state) {
    (void)state;
    const struct noe_format *format = noe_format_find("x.h5");
    if (!format) skip();
    write_rows(format, &pair_header, 1, (const real[]){0, 1}, NULL);
    struct noe_table *table = read_rows(format);
    assert_string_equal(table->model_title, pair_header.model_title);
    assert_string_equal(table->model_text, pair_header.model_text);
    assert_string_equal(table->method, pair_header.method);
    assert_string_equal(table->settings, pair_header.settings);
    noe_table_free(table);
    empty_folder();
}

static void csv_is_plain(void **state) {
    (void)state;
    const struct noe_format *format = noe_format_find("x.csv");
    const real zero = 0, rows[] = {0, (real)0.5, 1, zero / zero};
    write_rows(format, &pair_header, 2, rows, NULL);
    assert_text(trajectory_path(format), "t,q\n0,0.5\n1,nan\n");
    write_rows(format, &pair_header, 1, rows, "no\nroot");
    assert_text(trajectory_path(format), "t,q\n0,0.5\n# incomplete: no root\n");
    empty_folder();
}

/* Opens the path, writes rows until a write fails, and closes. Returns the status and message of
 * the failure. */
static enum noe_status fill(const struct noe_format *format, const char *path, long max,
                            struct noe_error *error) {
    void *file = NULL;
    enum noe_status status = format->open(&file, path, &pair_header, error);
    if (status != NOE_OK) return status;
    for (long i = 0; i < max && status == NOE_OK; i++)
        status = format->row(file, (const real[]){(real)i / 7, (real)i / 3}, error);
    const enum noe_status at_close = format->close(file, NULL, error);
    assert_true(status == NOE_OK || at_close != NOE_OK); /* it is never renamed */
    return at_close;
}

static void a_full_device_is_reported(void **state) {
    (void)state;
    for (int i = 0; i < format_count(); i++) {
        const struct noe_format *format = format_at(i);
        for (long max = 1; max <= 100000; max *= 1000) {
            struct noe_error error = {0};
            const char *path = trajectory_path(format);
            assert_int_equal(symlink("/dev/full", path), 0);
            assert_int_equal(fill(format, path, max, &error), NOE_IO);
            assert_non_null(strstr(error.text, path));
            assert_int_equal(files_in_folder(), 1); /* the link */
            empty_folder();
        }
    }
}

static void a_full_disk_leaves_the_old_file(void **state) {
    (void)state;
    struct rlimit unlimited, limited;
    getrlimit(RLIMIT_FSIZE, &unlimited);
    signal(SIGXFSZ, SIG_IGN);
    static const rlim_t sizes[] = {0, 100, 3000, 70000, 1000000};
    for (int i = 0; i < format_count(); i++)
        for (int s = 0; s < 5; s++) {
            const struct noe_format *format = format_at(i);
            const char *path = trajectory_path(format);
            write_text(path, "old");
            limited = unlimited;
            limited.rlim_cur = sizes[s];
            setrlimit(RLIMIT_FSIZE, &limited);
            struct noe_error error = {0};
            const enum noe_status status = fill(format, path, 200000, &error);
            setrlimit(RLIMIT_FSIZE, &unlimited);
            assert_int_equal(status, NOE_IO);
            assert_non_null(strstr(error.text, strerror(EFBIG)));
            assert_text(path, "old");
            assert_int_equal(files_in_folder(), 1);
            empty_folder();
        }
    signal(SIGXFSZ, SIG_DFL);
}

static void discarding_leaves_the_old_file(void **state) {
    (void)state;
    for (int i = 0; i < format_count(); i++) {
        const struct noe_format *format = format_at(i);
        const char *path = trajectory_path(format);
        write_text(path, "old");
        void *file;
        assert_int_equal(format->open(&file, path, &pair_header, NULL), NOE_OK);
        assert_int_equal(files_in_folder(), 2);
        assert_int_equal(format->row(file, (const real[]){1, 2}, NULL), NOE_OK);
        format->discard(file);
        assert_text(path, "old");
        assert_int_equal(files_in_folder(), 1);
        empty_folder();
    }
}

static void assert_cannot_open(const struct noe_format *format, const char *path, int code) {
    struct noe_error error = {0};
    void *file = NULL;
    assert_int_equal(format->open(&file, path, &pair_header, &error), NOE_IO);
    assert_null(file);
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, strerror(code)));
}

static void an_unwritable_path_is_reported_at_open(void **state) {
    (void)state;
    for (int i = 0; i < format_count(); i++) {
        const struct noe_format *format = format_at(i);
        char path[4200];
        assert_int_equal(mkdir(trajectory_path(format), 0777), 0);
        assert_cannot_open(format, trajectory_path(format), EISDIR);
        empty_folder();
        snprintf(path, sizeof path, "%s/none/out.%s", folder, format->name);
        assert_cannot_open(format, path, ENOENT);
        assert_cannot_open(format, "", ENOENT);
        write_text(in_folder("plain"), "");
        snprintf(path, sizeof path, "%s/plain/out.%s", folder, format->name);
        assert_cannot_open(format, path, ENOTDIR);
        snprintf(path, sizeof path, "%s/ring.%s", folder, format->name);
        assert_int_equal(symlink(path, path), 0);
        assert_cannot_open(format, path, ELOOP);
        empty_folder();
    }
}

static void a_file_without_permission_is_not_replaced(void **state) {
    (void)state;
    if (geteuid() == 0 && seteuid(65534) != 0) skip(); /* root may write anything */
    static char nobody[] = "/tmp/noether-nobody-XXXXXX";
    assert_non_null(mkdtemp(nobody));
    for (int i = 0; i < format_count(); i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/out.%s", nobody, format_at(i)->name);
        write_text(path, "old");
        chmod(path, 0400);
        assert_cannot_open(format_at(i), path, EACCES);
        assert_text(path, "old");
        unlink(path);
        chmod(nobody, 0500);
        assert_cannot_open(format_at(i), path, EACCES);
        chmod(nobody, 0700);
    }
    rmdir(nobody);
    if (getuid() == 0) assert_int_equal(seteuid(0), 0);
}

static void links_are_followed(void **state) {
    (void)state;
    struct noe_error error = {0};
    struct atomic_file *place;
    struct stat found;
    char target[4200];
    assert_int_equal(symlink("inner", in_folder("outer")), 0);
    assert_int_equal(symlink("target", in_folder("inner")), 0);
    for (int i = 0; i < 2; i++) { /* first a link to nothing, then to a file */
        assert_int_equal(atomic_file_open(&place, in_folder("outer"), &error), NOE_OK);
        assert_int_equal(atomic_file_write(place, "new", 3, &error), NOE_OK);
        assert_int_equal(atomic_file_commit(place, &error), NOE_OK);
        snprintf(target, sizeof target, "%s/target", folder);
        assert_text(target, "new");
        assert_int_equal(lstat(in_folder("outer"), &found), 0);
        assert_true(S_ISLNK(found.st_mode));
        chmod(target, 0640);
    }
    stat(target, &found);
    assert_int_equal(found.st_mode & 0777, 0640); /* a replaced file keeps its mode */
    empty_folder();
}

static void pipes_are_written_directly(void **state) {
    (void)state;
    const char *path = in_folder("pipe.csv");
    assert_int_equal(mkfifo(path, 0666), 0);
    const int reader = open(path, O_RDONLY | O_NONBLOCK);
    struct noe_error error = {0};
    assert_int_equal(fill(noe_format_find(path), in_folder("pipe.csv"), 1, &error), NOE_OK);
    char text[32] = "";
    assert_int_equal(read(reader, text, sizeof text), 8);
    assert_string_equal(text, "t,q\n0,0\n");
    close(reader);
    empty_folder();
}

static void assert_not_read(const char *name, const char *text, const char *words) {
    struct noe_error error = {0};
    struct noe_table *table;
    if (text) write_text(in_folder(name), text);
    assert_int_equal(noe_table_open(&table, in_folder(name), &error), NOE_BAD_INPUT);
    assert_null(table);
    if (!strstr(error.text, words)) fail_msg("'%s' lacks '%s'", error.text, words);
    empty_folder();
}

static void a_file_that_is_not_a_trajectory_is_rejected(void **state) {
    (void)state;
    assert_not_read("none.csv", NULL, "No such file");
    assert_not_read("x.txt", "", "not a trajectory file");
    assert_not_read("noext", "", "not a trajectory file");
    assert_not_read("x.csv", "", "it is empty");
    assert_not_read("x.csv", "1,2\n3,4\n", "line 1: expected names of columns");
    assert_not_read("x.csv", "t,\"q\n1,2\n", "line 1: a quoted name does not end");
    assert_not_read("x.csv", "t,q\n1,2\n1\n", "line 3: expected 2 numbers, number 1 is '1'");
    assert_not_read("x.csv", "t,q\n1,2,3\n", "line 2: expected 2 numbers, number 2 is '2'");
    assert_not_read("x.csv", "t,q\n1,\n", "line 2: expected 2 numbers, number 2 is ''");
    assert_not_read("x.csv", "t,q\n1,apple\n", "number 2 is 'apple'");
    if (noe_format_find("x.h5")) assert_not_read("x.h5", "no HDF5", "it is not HDF5");
}

static void csv_of_other_programs_is_read(void **state) {
    (void)state;
    struct noe_table *table;
    write_text(in_folder("x.csv"), "t,\"a,b\"\r\n0,1e-3\r\n\r\n# a remark\r\n1,-inf");
    assert_int_equal(noe_table_open(&table, in_folder("x.csv"), NULL), NOE_OK);
    assert_int_equal(table->nrows, 2);
    assert_int_equal(table_column_find(table, "a,b"), 1);
    assert_int_equal(table_column_find(table, "c"), -1);
    assert_true(table_column(table, 1)[0] == real_read("1e-3", NULL));
    assert_true(table_column(table, 1)[1] < -(real)1e300);
    noe_table_free(table);
    empty_folder();
}

static void formats_are_found_by_extension(void **state) {
    (void)state;
    assert_string_equal(noe_format_find("a.b/c.csv")->name, "csv");
    assert_null(noe_format_find("a.csv/b"));
    assert_null(noe_format_find("csv"));
    assert_null(noe_format_find("a.CSV.gz"));
    assert_null(format_at(-1));
    assert_null(format_at(format_count()));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_preserves_every_bit),
        cmocka_unit_test(every_format_preserves_special_values),
        cmocka_unit_test(every_format_writes_zero_rows),
        cmocka_unit_test(every_format_writes_unusual_names),
        cmocka_unit_test(every_format_writes_many_columns),
        cmocka_unit_test(every_format_marks_incomplete_files),
        cmocka_unit_test(every_format_rejects_zero_columns),
        cmocka_unit_test(h5_files_have_metadata),
        cmocka_unit_test(csv_is_plain),
        cmocka_unit_test(a_full_device_is_reported),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(discarding_leaves_the_old_file),
        cmocka_unit_test(an_unwritable_path_is_reported_at_open),
        cmocka_unit_test(a_file_without_permission_is_not_replaced),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(pipes_are_written_directly),
        cmocka_unit_test(a_file_that_is_not_a_trajectory_is_rejected),
        cmocka_unit_test(csv_of_other_programs_is_read),
        cmocka_unit_test(formats_are_found_by_extension),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
