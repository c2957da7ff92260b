/* Checkpoints: the state of a run in a file, from which it can be resumed. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "cli/cli.h"
#include "output/row_journal.h"

enum { CHECKPOINT_WORDS = 4 };

/* Texts that identify a run: the model, its parameters, the method, the steps. */
struct checkpoint_words {
    char *text[CHECKPOINT_WORDS];
};

struct checkpoint {
    const char *path; /* path of the checkpoint; NULL: none */
    char *rows_path;
    long sample; /* a row every `sample` steps */
    struct checkpoint_words words;
    struct journal *journal;         /* journal of the rows; NULL: no rows */
    const struct noe_format *format; /* format of the output file, which receives the rows too */
    void *file;
    /* Content of the checkpoint to resume. */
    char *content;
    const void *image;
    size_t image_bytes;
    long k, old_sample;
    struct journal_part old_rows; /* rows -1: the checkpoint has no rows */
    char *old_rows_path;
};

/* Checks the options and reads the checkpoint to resume. Returns 0, or the exit status after a
 * message. Clear in every case. */
int checkpoint_open(struct checkpoint *checkpoint, const struct cli_settings *settings,
                    const struct run_setup *plan);
/* Prepares rows for an open file of `format`. Writes the rows before the resumed state and starts
 * the journal. Later rows go to checkpoint_format with this checkpoint as the file. */
int checkpoint_rows(struct checkpoint *checkpoint, const struct cli_settings *settings,
                    const struct noe_format *format, void *file, int ncolumns);
/* Function `keep` of struct trajectory_settings. */
enum noe_status checkpoint_keep(void *checkpoint, long k, const void *bytes, size_t count,
                                struct noe_error *error);
void checkpoint_clear(struct checkpoint *checkpoint);

/* Format that writes rows to the file and to the journal. `close` and `discard` are those of the
 * file. */
extern const struct noe_format checkpoint_format;

#endif
