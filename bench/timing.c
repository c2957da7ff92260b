/* Clocks, medians and tables of the benchmarks. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "timing.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- Clocks. */

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double timing_seconds(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
double timing_wall_seconds(void) { return read_clock(CLOCK_MONOTONIC); }

/* --- Statistics. */

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The quantile of sorted values, linearly interpolated. */
static double quantile(int count, const double *sorted, double fraction) {
    const double at = fraction * (count - 1);
    const int below = (int)at, above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

struct timing_spread timing_spread(int count, double *values) {
    qsort(values, (size_t)count, sizeof *values, ascending);
    return (struct timing_spread){quantile(count, values, 0.25), quantile(count, values, 0.5),
                                  quantile(count, values, 0.75)};
}

void timing_interleave(int count, struct timing_entry *entries) {
    for (int round = 0; round < TIMING_ROUNDS; round++) {
        for (int i = 0; i < count; i++) {
            const double begin = timing_seconds(), share = entries[i].run(entries[i].data);
            entries[i].seconds[round] = (timing_seconds() - begin) * share;
        }
    }
}

struct timing_spread timing_of(const struct timing_entry *entry) {
    double values[TIMING_ROUNDS];
    memcpy(values, entry->seconds, sizeof values);
    return timing_spread(TIMING_ROUNDS, values);
}

struct timing_spread timing_ratio(const struct timing_entry *entry,
                                  const struct timing_entry *against) {
    double values[TIMING_ROUNDS];
    for (int i = 0; i < TIMING_ROUNDS; i++) values[i] = entry->seconds[i] / against->seconds[i];
    return timing_spread(TIMING_ROUNDS, values);
}

/* --- Tables. */

static FILE *text_file, *csv_file;
enum { COLUMNS_MAX = 16, LINE_MAX_BYTES = 1024 };
static int width[COLUMNS_MAX];

const char *timing_path(const char *name, const char *extension) {
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 128);
    if (length < 0) length = 0;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    snprintf(slash ? slash + 1 : path, 120, "%s.%s", name, extension);
    return path;
}

static void processor(size_t size, char *name) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    snprintf(name, size, "unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "model name", 10) != 0 || !strchr(line, ':')) continue;
        snprintf(name, size, "%s", strchr(line, ':') + 2);
        name[strcspn(name, "\n")] = '\0';
        break;
    }
    if (file) fclose(file);
}

static void say_machine(void) {
    char name[200];
    double load = 0;
    processor(sizeof name, name);
    getloadavg(&load, 1);
    timing_say("machine:  %s, %ld processors, load %.1f at the start", name,
               sysconf(_SC_NPROCESSORS_ONLN), load);
    timing_say("compiler: %s %s", BENCH_COMPILER, BENCH_FLAGS);
    timing_say("numbers:  median [quartiles] of %d interleaved rounds, processor time",
               TIMING_ROUNDS);
}

static FILE *open_result(const char *name, const char *extension) {
    const char *path = timing_path(name, extension);
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "%s: cannot be written\n", path);
        exit(1);
    }
    return file;
}

void timing_report_open(const char *name, const char *question) {
    text_file = open_result(name, "txt");
    csv_file = open_result(name, "csv");
    timing_say("%s", question);
    say_machine();
}

void timing_report_close(void) {
    fclose(text_file);
    fclose(csv_file);
}

static void say_line(const char *line) {
    printf("%s\n", line);
    fflush(stdout);
    fprintf(text_file, "%s\n", line);
    fflush(text_file);
}

void timing_say(const char *format, ...) {
    char line[LINE_MAX_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    say_line(line);
}

/* Writes the cell without the spaces around it. */
static void write_csv_cell(const char *begin, size_t length, bool is_first) {
    while (length && *begin == ' ') begin++, length--;
    while (length && begin[length - 1] == ' ') length--;
    fprintf(csv_file, "%s%.*s", is_first ? "" : ",", (int)length, begin);
}

static void write_cells(const char *cells, bool is_head) {
    char line[LINE_MAX_BYTES] = "";
    size_t used = 0;
    for (int column = 0; column < COLUMNS_MAX; column++) {
        const size_t length = strcspn(cells, "|");
        if (is_head) width[column] = (int)length;
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%*.*s", column ? "  " : "",
                                 column ? width[column] : -width[column], (int)length, cells);
        write_csv_cell(cells, length, column == 0);
        cells += length;
        if (!*cells++ || used >= sizeof line) break;
    }
    fprintf(csv_file, "\n");
    fflush(csv_file);
    say_line(line);
}

void timing_head(const char *columns) {
    say_line("");
    write_cells(columns, true);
}

void timing_row(const char *format, ...) {
    char cells[LINE_MAX_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cells, sizeof cells, format, arguments);
    va_end(arguments);
    write_cells(cells, false);
}
