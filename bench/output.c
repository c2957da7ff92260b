/* Speed of output (W7): rows of 13 columns in every format, against a raw write of the same
 * bytes and against printf. */
/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/real.h"
#include "base/status.h"
#include "noether.h"
#include "timing.h"

enum { COLUMNS = 13, SAMPLES = 1 << 12, ROWS = 100000, ROUNDS = TIMING_ROUNDS, BLOCK = 1 << 18 };

static real sample[SAMPLES][COLUMNS];
static char path[4096], block[BLOCK];

/* Processor time of writing the rows, and wall time until they are on the disk. */
struct cost {
    double row, whole;
};

struct writer {
    const char *name;
    struct cost (*run)(const struct writer *writer);
    const struct noe_format *format;
    const struct writer *same_bytes; /* a raw write takes the number of bytes from this format */
    size_t bytes;
    struct cost cost[ROUNDS];
};

static void check(int is_good, const char *words) {
    if (is_good) return;
    fprintf(stderr, "%s: %s\n", path, words);
    unlink(path);
    exit(1);
}

/* Planets on circles, as a long run records them, with both signs and several magnitudes. */
static void fill_samples(void) {
    for (int r = 0; r < SAMPLES; r++) {
        sample[r][0] = 0.01 * r;
        for (int c = 1; c < COLUMNS; c++) sample[r][c] = pow(10, c % 4 - 2) * sin(0.01 * r / c + c);
    }
}

static struct cost run_format(const struct writer *writer) {
    static const char *const names[COLUMNS] = {"t",  "x1", "y1", "x2", "y2", "x3", "y3",
                                               "u1", "v1", "u2", "v2", "u3", "v3"};
    const struct noe_record_header header = {.ncolumns = COLUMNS, .column = names};
    const struct noe_format *format = writer->format;
    struct noe_error error = {0};
    void *file;
    const double start = timing_wall_seconds();
    check(format->open(&file, path, &header, &error) == NOE_OK, error.text);
    const double first = timing_seconds();
    for (int r = 0; r < ROWS; r++)
        check(format->row(file, sample[r % SAMPLES], &error) == NOE_OK, error.text);
    const double last = timing_seconds();
    check(format->close(file, NULL, &error) == NOE_OK, error.text);
    return (struct cost){last - first, timing_wall_seconds() - start};
}

static struct cost run_printf(const struct writer *writer) {
    (void)writer;
    const double start = timing_wall_seconds();
    FILE *file = fopen(path, "w");
    check(file != NULL, "cannot be opened");
    setvbuf(file, block, _IOFBF, BLOCK);
    const double first = timing_seconds();
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            fprintf(file, "%.17g%c", sample[r % SAMPLES][c], c + 1 < COLUMNS ? ',' : '\n');
    const double last = timing_seconds();
    check(fflush(file) == 0 && fsync(fileno(file)) == 0, "cannot be written");
    fclose(file);
    return (struct cost){last - first, timing_wall_seconds() - start};
}

static struct cost run_raw(const struct writer *writer) {
    const double start = timing_wall_seconds();
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    check(file >= 0, "cannot be opened");
    const double first = timing_seconds();
    const size_t bytes = writer->same_bytes->bytes;
    for (size_t done = 0; done < bytes; done += BLOCK) {
        const size_t part = bytes - done < BLOCK ? bytes - done : BLOCK;
        check(pwrite(file, block, part, (off_t)done) == (ssize_t)part, "cannot be written");
    }
    const double last = timing_seconds();
    check(fsync(file) == 0, "cannot be written");
    close(file);
    return (struct cost){last - first, timing_wall_seconds() - start};
}

static void run(struct writer *writer, int round) {
    const struct cost cost = writer->run(writer);
    writer->cost[round] = (struct cost){1e9 * cost.row / ROWS, 1e9 * cost.whole / ROWS};
    struct stat found;
    check(stat(path, &found) == 0, "is not there");
    writer->bytes = (size_t)found.st_size;
    unlink(path);
}

static void report(const struct writer *writer, const struct writer *raw) {
    double row[ROUNDS], whole[ROUNDS], ratio[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        row[i] = writer->cost[i].row;
        whole[i] = writer->cost[i].whole;
        ratio[i] = row[i] / raw->cost[i].row;
    }
    const struct timing_spread rows = timing_spread(ROUNDS, row);
    timing_row("%s|%.0f|%.1f [%.1f %.1f]|%.2f|%.1f", writer->name, (double)writer->bytes / ROWS,
               rows.median, rows.low, rows.high, timing_spread(ROUNDS, ratio).median,
               timing_spread(ROUNDS, whole).median);
}

int main(void) {
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/noether-bench-%ld", folder ? folder : "/tmp", (long)getpid());
    fill_samples();
    static struct writer writer[] = {{.name = "csv", .run = run_format},
                                     {.name = "csv raw", .run = run_raw},
                                     {.name = "csv printf", .run = run_printf},
                                     {.name = "h5", .run = run_format},
                                     {.name = "h5 raw", .run = run_raw}};
    writer[0].format = noe_format_find("x.csv");
    writer[3].format = noe_format_find("x.h5");
    writer[1].same_bytes = &writer[0];
    writer[4].same_bytes = &writer[3];
    const int count = writer[3].format ? 5 : 3;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < count; i++) run(&writer[i], round);
    timing_report_open("output",
                       "Output: a row of 13 columns, and the same bytes written as they are");
    timing_head("writer       |bytes|          ns a row       |to raw|wall ns to the disk");
    for (int i = 0; i < count; i++) report(&writer[i], &writer[i < 3 ? 1 : 4]);
    timing_report_close();
    return 0;
}
