/* Output: rows of a file whose number is known in advance, written in any order and by
 * cooperating processes. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/real.h"
#include "output/parallel_writers.h"
#include "output/table.h"

enum { COLUMNS = 3, ROWS = 20000 };

static char folder[] = "/tmp/noether-rows-XXXXXX";
static char path[64];
static const struct noe_format *format;

static const char *const names[COLUMNS] = {"member", "a", "b"};
static const struct noe_record_header header = {
    .model_title = "Rows", .ncolumns = COLUMNS, .column = names, .nrows = ROWS};

static int files_in_folder(void) {
    int count = 0;
    DIR *directory = opendir(folder);
    while (readdir(directory)) count++;
    closedir(directory);
    return count - 2;
}

static real number(size_t row, int column) { return (real)row / (real)(7 + column); }

static enum noe_status write_rows(void *file, size_t first, size_t count, struct noe_error *error) {
    real *values = malloc(count * COLUMNS * sizeof *values);
    for (size_t i = 0; i < count * COLUMNS; i++)
        values[i] = number(first + i / COLUMNS, (int)(i % COLUMNS));
    const enum noe_status status = format->rows_at(file, first, count, values, error);
    free(values);
    return status;
}

static void assert_complete(void) {
    struct noe_table *table;
    assert_int_equal(noe_table_open(&table, path, NULL), NOE_OK);
    assert_int_equal(table->nrows, ROWS);
    assert_null(table->message);
    for (int c = 0; c < COLUMNS; c++)
        for (size_t r = 0; r < ROWS; r++)
            if (table_column(table, c)[r] != number(r, c)) fail_msg("row %zu, column %d", r, c);
    noe_table_free(table);
    assert_int_equal(files_in_folder(), 1);
}

/* Blocks of 64 rows in an order that visits all of them; with `stride` 1 in sequence. */
static void write_blocks(void *file, size_t stride) {
    const size_t blocks = (ROWS + 63) / 64;
    for (size_t i = 0; i < blocks; i++) {
        const size_t first = i * stride % blocks * 64;
        const size_t count = ROWS - first < 64 ? ROWS - first : 64;
        assert_int_equal(write_rows(file, first, count, NULL), NOE_OK);
    }
}

static void any_order_gives_the_same_file(void **state) {
    (void)state;
    static const size_t strides[] = {1, 2, 7, 312};
    for (int i = 0; i < 4; i++) {
        void *file;
        assert_int_equal(format->open(&file, path, &header, NULL), NOE_OK);
        write_blocks(file, strides[i]);
        assert_int_equal(format->close(file, NULL, NULL), NOE_OK);
        assert_complete();
        unlink(path);
    }
}

static void rows_out_of_range_are_rejected(void **state) {
    (void)state;
    struct noe_error error = {0};
    void *file;
    assert_int_equal(format->open(&file, path, &header, NULL), NOE_OK);
    assert_int_equal(write_rows(file, ROWS - 1, 2, &error), NOE_BAD_INPUT);
    assert_non_null(strstr(error.text, "2 rows from row 19999 on"));
    assert_int_equal(write_rows(file, ROWS + 1, 0, NULL), NOE_BAD_INPUT);
    assert_int_equal(write_rows(file, ROWS, 0, NULL), NOE_OK);
    format->discard(file);
    assert_int_equal(files_in_folder(), 0);
}

/* Opens and fills a file of `nrows` rows under a size limit; returns the status of the first
 * failure. */
static enum noe_status fill_within(rlim_t bytes, size_t nrows,
                                   const struct noe_parallel_writers *writers,
                                   struct noe_error *error) {
    struct rlimit unlimited, limited;
    struct noe_record_header own = header;
    void *file = NULL;
    own.nrows = nrows;
    own.writers = writers;
    getrlimit(RLIMIT_FSIZE, &unlimited);
    limited = unlimited;
    limited.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limited);
    enum noe_status status = format->open(&file, path, &own, error);
    if (status == NOE_OK) {
        for (size_t row = 0; row < nrows && status == NOE_OK; row += 64)
            status = write_rows(file, row, nrows - row < 64 ? nrows - row : 64, error);
        if (status == NOE_OK)
            status = format->close(file, NULL, error);
        else
            format->discard(file);
    }
    setrlimit(RLIMIT_FSIZE, &unlimited);
    return status;
}

static void write_old(void) {
    FILE *file = fopen(path, "w");
    fputs("old", file);
    fclose(file);
}

static void assert_old(void) {
    char text[8] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text - 1, file), 3);
    fclose(file);
    assert_string_equal(text, "old");
    assert_int_equal(files_in_folder(), 1);
    unlink(path);
}

static void a_full_disk_is_reported_at_open(void **state) {
    (void)state;
    struct noe_error error = {0};
    write_old();
    assert_int_equal(fill_within(1 << 20, (size_t)1 << 60, NULL, &error), NOE_IO);
    write_old();
    for (rlim_t bytes = 1; bytes <= 480000; bytes = bytes * 3 + 11)
        assert_int_equal(fill_within(bytes, ROWS, NULL, &error), NOE_IO);
    assert_non_null(strstr(error.text, strerror(EFBIG)));
    assert_non_null(strstr(error.text, path));
    assert_old();
}

/* --- Parallel writers, here a single process: HDF5 uses its MPI driver. */

static bool has_agreement;
static int ended;
static char temporary_path[256];

static bool agree(bool is_so) { return is_so && has_agreement; }

static void tell(void *data, size_t size) {
    (void)data;
    (void)size;
}

static bool use_hdf5(long long access) {
    (void)access;
    return true;
}

static void end(const char *words) {
    ended++;
    assert_non_null(strstr(words, path));
}

static void note_temporary(const char *temporary) {
    snprintf(temporary_path, sizeof temporary_path, "%s", temporary ? temporary : "");
}

static const struct noe_parallel_writers writers = {.agree = agree,
                                                    .tell = tell,
                                                    .use_hdf5 = use_hdf5,
                                                    .end = end,
                                                    .note_temporary = note_temporary};

static void parallel_writers_rename_the_complete_file(void **state) {
    (void)state;
    struct noe_record_header own = header;
    void *file;
    own.writers = &writers;
    has_agreement = true;
    write_old();
    assert_int_equal(format->open(&file, path, &own, NULL), NOE_OK);
    assert_int_equal(access(temporary_path, F_OK), 0);
    write_blocks(file, 7);
    assert_int_equal(format->close(file, NULL, NULL), NOE_OK);
    assert_string_equal(temporary_path, "");
    assert_complete();
    unlink(path);
}

static void a_file_that_cannot_be_opened_is_rejected_by_all_writers(void **state) {
    (void)state;
    struct noe_error error = {0};
    write_old();
    has_agreement = false;
    assert_int_equal(fill_within(RLIM_INFINITY, ROWS, &writers, &error), NOE_NO_MEMORY);
    has_agreement = true;
    assert_int_equal(fill_within(100000, ROWS, &writers, &error), NOE_IO);
    assert_non_null(strstr(error.text, strerror(EFBIG)));
    assert_int_equal(ended, 0);
    assert_string_equal(temporary_path, "");
    assert_old();
}

/* The disk fills up after the file was opened: HDF5 fails, and all processes end. */
static void a_failed_write_ends_all_writers(void **state) {
    (void)state;
    struct noe_record_header own = header;
    struct rlimit unlimited, limited;
    struct noe_error error = {0};
    enum noe_status status = NOE_OK;
    void *file;
    own.writers = &writers;
    has_agreement = true;
    write_old();
    assert_int_equal(format->open(&file, path, &own, NULL), NOE_OK);
    getrlimit(RLIMIT_FSIZE, &unlimited);
    limited = unlimited;
    limited.rlim_cur = 100000;
    setrlimit(RLIMIT_FSIZE, &limited);
    for (size_t row = 0; row + 64 <= ROWS && status == NOE_OK; row += 64)
        status = write_rows(file, row, 64, &error);
    setrlimit(RLIMIT_FSIZE, &unlimited);
    assert_int_equal(status, NOE_IO);
    assert_int_equal(ended, 1);
    assert_non_null(strstr(error.text, "the disk may be full"));
    format->discard(file);
    assert_string_equal(temporary_path, "");
    assert_old();
}

static int make_folder(void **state) {
    (void)state;
    format = noe_format_find("rows.h5");
    signal(SIGXFSZ, SIG_IGN);
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/rows.h5", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_gives_the_same_file),
        cmocka_unit_test(rows_out_of_range_are_rejected),
        cmocka_unit_test(a_full_disk_is_reported_at_open),
        cmocka_unit_test(parallel_writers_rename_the_complete_file),
        cmocka_unit_test(a_file_that_cannot_be_opened_is_rejected_by_all_writers),
        cmocka_unit_test(a_failed_write_ends_all_writers),
    };
    if (!noe_format_find("rows.h5")) return 0; /* the only format for rows in any order */
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
