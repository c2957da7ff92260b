/* Clocks, medians and tables of the benchmarks. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#ifdef __cplusplus
extern "C" {
#endif

/* Processor time of this thread in seconds; other load on the machine has little effect. */
double timing_seconds(void);
/* Wall time in seconds, for threads and for files. */
double timing_wall_seconds(void);

/* Median and quartiles of measurements. */
struct timing_spread {
    double low, median, high; /* quartiles */
};

/* Sorts `values`. */
struct timing_spread timing_spread(int count, double *values);

enum { TIMING_ROUNDS = 15 };

/* A measurement. `run` performs it once and returns the share of its time to report (1 over the
 * number of repetitions inside); `seconds` gets one value per round. */
struct timing_entry {
    double (*run)(void *data);
    void *data;
    double seconds[TIMING_ROUNDS];
};

/* Runs all entries in turn, round after round, so that a disturbance affects all of them. */
void timing_interleave(int count, struct timing_entry *entries);
/* The spread of an entry's seconds, and of their ratio to those of another entry in the same
 * rounds. */
struct timing_spread timing_of(const struct timing_entry *entry);
struct timing_spread timing_ratio(const struct timing_entry *entry,
                                  const struct timing_entry *against);

/* --- Tables: to standard output, and as NAME.txt and NAME.csv beside the running program. */

/* Begins with the question and the machine. */
void timing_report_open(const char *name, const char *question);
void timing_report_close(void);
/* Prints a line of text to the output and to the text file. */
void timing_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The head of a table. Columns are separated by '|'; the spaces around a title set the width. */
void timing_head(const char *columns);
/* A row: its cells, separated by '|'. */
void timing_row(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The path of a file beside the running program; valid until the next call. */
const char *timing_path(const char *name, const char *extension);

#ifdef __cplusplus
}
#endif

#endif
