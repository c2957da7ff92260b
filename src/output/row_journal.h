/* Rows that outlive the process which writes them: a file that only grows, made durable on demand.
 */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_ROW_JOURNAL_H
#define OUTPUT_ROW_JOURNAL_H

#include <stdint.h>

#include "base/real.h"
#include "base/status.h"

struct journal;

/* Begins a journal under `path`, where another one is lost, or goes on with the one that is there
 * after its first `rows` rows, if its mark is `mark`. Free in every case. */
enum noe_status journal_create(struct journal **journal, const char *path, int ncolumns,
                               struct noe_error *error);
enum noe_status journal_reopen(struct journal **journal, const char *path, int ncolumns,
                               uint64_t mark, long rows, struct noe_error *error);
void journal_free(struct journal *journal);

/* Tells this journal from any other. */
uint64_t journal_mark(const struct journal *journal);
enum noe_status journal_row(struct journal *journal, const real *values, struct noe_error *error);
/* All rows so far stay, whatever happens to the process; how many there are. */
enum noe_status journal_sync(struct journal *journal, long *rows, struct noe_error *error);

/* Hands the first `rows` rows of a journal to `take`. */
enum noe_status journal_read(const char *path, int ncolumns, uint64_t mark, long rows,
                             enum noe_status (*take)(void *data, const real *row,
                                                     struct noe_error *error),
                             void *data, struct noe_error *error);

#endif
