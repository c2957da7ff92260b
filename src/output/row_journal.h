/* Journal of rows that survives a crash of the process: an append-only file, synced on demand. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_ROW_JOURNAL_H
#define OUTPUT_ROW_JOURNAL_H

#include <stdint.h>

#include "base/real.h"
#include "base/status.h"

struct journal;

/* The first rows of a journal: the random number that identifies it, their number, and a checksum
 * of their bytes. */
struct journal_part {
    uint64_t mark, sum;
    long rows;
};

/* Creates a journal at `path`, replacing any other, or continues the existing one after `part`,
 * which journal_read has checked. Free the journal in every case. */
enum noe_status journal_create(struct journal **journal, const char *path, int ncolumns,
                               struct noe_error *error);
enum noe_status journal_reopen(struct journal **journal, const char *path, int ncolumns,
                               const struct journal_part *part, struct noe_error *error);
void journal_free(struct journal *journal);

enum noe_status journal_row(struct journal *journal, const real *values, struct noe_error *error);
/* Syncs all rows written so far to disk, and describes them. */
enum noe_status journal_sync(struct journal *journal, struct journal_part *part,
                             struct noe_error *error);

/* Passes the rows of `part` to `take`. Fails after the last one if their checksum is wrong. */
enum noe_status journal_read(const char *path, int ncolumns, const struct journal_part *part,
                             enum noe_status (*take)(void *data, const real *row,
                                                     struct noe_error *error),
                             void *data, struct noe_error *error);

#endif
