/* Journal of rows that survives a crash of the process: an append-only file, synced on demand. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_ROW_JOURNAL_H
#define OUTPUT_ROW_JOURNAL_H

#include <stdint.h>

#include "base/real.h"
#include "base/status.h"

struct journal;

/* Creates a journal at `path`, replacing any other, or continues the existing one after its first
 * `rows` rows if its mark is `mark`. Free the journal in every case. */
enum noe_status journal_create(struct journal **journal, const char *path, int ncolumns,
                               struct noe_error *error);
enum noe_status journal_reopen(struct journal **journal, const char *path, int ncolumns,
                               uint64_t mark, long rows, struct noe_error *error);
void journal_free(struct journal *journal);

/* Random number that identifies this journal. */
uint64_t journal_mark(const struct journal *journal);
enum noe_status journal_row(struct journal *journal, const real *values, struct noe_error *error);
/* Syncs all rows written so far to disk, and returns their number in *rows. */
enum noe_status journal_sync(struct journal *journal, long *rows, struct noe_error *error);

/* Passes the first `rows` rows of a journal to `take`. */
enum noe_status journal_read(const char *path, int ncolumns, uint64_t mark, long rows,
                             enum noe_status (*take)(void *data, const real *row,
                                                     struct noe_error *error),
                             void *data, struct noe_error *error);

#endif
