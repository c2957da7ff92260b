/* A run that can be killed at any moment: its state kept in a file, and taken up from there. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "cli/cli.h"
#include "output/row_journal.h"

enum { CHECKPOINT_WORDS = 4 };

/* What tells one run from another, in words: the model, its parameters, the method, the steps. */
struct checkpoint_words {
    char *text[CHECKPOINT_WORDS];
};

struct checkpoint {
    const char *path; /* where the state is kept; NULL: nowhere */
    char *rows_path;
    long sample; /* a row every so many steps */
    struct checkpoint_words words;
    struct journal *journal;         /* of the rows; NULL: there are none */
    const struct noe_format *format; /* where rows go to as well */
    void *file;
    /* What was read from another file. */
    char *content;
    const void *image;
    size_t image_bytes;
    long k, rows, old_sample; /* rows -1: none were kept */
    uint64_t mark;
    char *old_rows_path;
};

/* Says what is wrong with the options, and reads the file to resume; 0 or the exit status after
 * words. Clear in every case. */
int checkpoint_open(struct checkpoint *checkpoint, const struct cli_settings *settings,
                    const struct run_setup *plan);
/* Rows for an open file of `format`: those before the state that is resumed are written at once,
 * and the journal begins. After it a row goes to checkpoint_format with this checkpoint. */
int checkpoint_rows(struct checkpoint *checkpoint, const struct cli_settings *settings,
                    const struct noe_format *format, void *file, int ncolumns);
/* The `keep` of a trajectory. */
enum noe_status checkpoint_keep(void *checkpoint, long k, const void *bytes, size_t count,
                                struct noe_error *error);
void checkpoint_clear(struct checkpoint *checkpoint);

/* Rows go to the file and to the journal; `close` and `discard` are the file's. */
extern const struct noe_format checkpoint_format;

#endif
