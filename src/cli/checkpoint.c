/* Checkpoints. The state is written by atomic file replacement. The rows are in a journal beside
 * it, and the state contains the number of its rows, so that a run may be killed at any moment. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cli/checkpoint.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/checksum.h"
#include "base/status.h"
#include "output/atomic_file.h"

/* Layout of the file: this header, null-terminated texts, the snapshot, and a checksum of all. */
struct front {
    char what[24], version[24], precision[16];
    int64_t k, rows, sample;
    uint64_t mark, rows_sum;
    uint64_t words, image; /* sizes in bytes */
};

static const char front_what[] = "noether-checkpoint 2";

static char *join_sets(const struct cli_settings *settings) {
    size_t room = 1;
    for (int i = 0; i < settings->nsets; i++) room += strlen(settings->sets[i]) + 7;
    char *text = calloc(1, room);
    for (int i = 0; i < settings->nsets && text; i++)
        snprintf(text + strlen(text), room - strlen(text), "%s--set %s", i ? " " : "",
                 settings->sets[i]);
    return text;
}

static bool make_words(struct checkpoint_words *words, const struct cli_settings *settings,
                       const struct run_setup *plan) {
    char steps[400], number[2][48];
    real_print_shortest(number[0], sizeof number[0], plan->step);
    real_print_shortest(number[1], sizeof number[1], plan->from);
    snprintf(steps, sizeof steps, "step=%s from=%s%s%.64s", number[0], number[1],
             settings->seed ? " seed=" : "", settings->seed ? settings->seed : "");
    words->text[0] = strdup(plan->model->text);
    words->text[1] = join_sets(settings);
    words->text[2] = strdup(plan->method ? plan->method : "");
    words->text[3] = strdup(steps);
    for (int i = 0; i < CHECKPOINT_WORDS; i++)
        if (!words->text[i]) return false;
    return true;
}

static size_t words_bytes(const struct checkpoint_words *words) {
    size_t bytes = 0;
    for (int i = 0; i < CHECKPOINT_WORDS; i++) bytes += strlen(words->text[i]) + 1;
    return bytes;
}

/* Prints the first line in which two texts differ. */
static void say_line(const char *path, const char *was, const char *is) {
    int line = 1;
    for (;;) {
        const size_t a = strcspn(was, "\n"), b = strcspn(is, "\n");
        if (a != b || memcmp(was, is, a) != 0) {
            cli_say("%s: the checkpoint belongs to another model: line %d was '%.*s' and is '%.*s'",
                    path, line, (int)(a < 120 ? a : 120), was, (int)(b < 120 ? b : 120), is);
            return;
        }
        if (!was[a] || !is[b]) break;
        was += a + 1;
        is += b + 1;
        line++;
    }
    cli_say("%s: the checkpoint belongs to another model, %s after line %d", path,
            *is ? "shorter" : "longer", line);
}

static int compare_words(const char *path, const struct checkpoint_words *words,
                         const char *found) {
    static const char *const name[CHECKPOINT_WORDS] = {NULL, "options", "method", "run"};
    for (int i = 0; i < CHECKPOINT_WORDS; i++, found += strlen(found) + 1) {
        if (strcmp(words->text[i], found) == 0) continue;
        if (i == 0)
            say_line(path, found, words->text[i]);
        else
            cli_say("%s: the checkpoint belongs to another %s: it was '%s' and is '%s'", path,
                    name[i], found, words->text[i]);
        return CLI_USAGE;
    }
    return 0;
}

static char *read_all(const char *path, size_t *length) {
    struct stat about;
    char *content = NULL;
    errno = 0;
    FILE *file = fopen(path, "re");
    if (file && fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode)) {
        *length = (size_t)about.st_size;
        content = malloc(*length + 1);
        if (content && fread(content, 1, *length, file) != *length) {
            free(content);
            content = NULL;
        }
    }
    if (file) fclose(file);
    if (!content)
        cli_say("--resume: cannot read '%s': %s", path,
                errno ? strerror(errno) : "it is not a file");
    return content;
}

static int check_front(const char *path, const struct front *front, size_t length) {
    if (length < sizeof *front || memcmp(front->what, front_what, sizeof front_what) != 0) {
        cli_say("%s: this is not a checkpoint of a run", path);
        return CLI_USAGE;
    }
    if (strncmp(front->version, NOE_VERSION, sizeof front->version) != 0) {
        cli_say("%s: the checkpoint was made by version %.20s of noether, this is %s", path,
                front->version, NOE_VERSION);
        return CLI_USAGE;
    }
    if (strncmp(front->precision, NOE_REAL_NAME, sizeof front->precision) != 0) {
        cli_say("%s: the checkpoint is in %.12s precision, this is %s", path, front->precision,
                NOE_REAL_NAME);
        return CLI_USAGE;
    }
    return 0;
}

/* True if the bytes are as many null-terminated texts as identify a run. */
static bool are_words(const char *bytes, size_t count) {
    int ends = 0;
    for (size_t i = 0; i < count; i++) ends += bytes[i] == 0;
    return ends == CHECKPOINT_WORDS && bytes[count - 1] == 0;
}

static int read_resumed(struct checkpoint *checkpoint, const char *path) {
    size_t length = 0;
    struct front front = {.what = ""};
    uint64_t sum;
    checkpoint->content = read_all(path, &length);
    if (!checkpoint->content) return CLI_USAGE;
    memcpy(&front, checkpoint->content, length < sizeof front ? length : sizeof front);
    const int exit = check_front(path, &front, length);
    if (exit) return exit;
    const size_t room = length - sizeof front;
    const bool fits = room >= sizeof sum && front.words <= room && front.image <= room &&
                      front.words + front.image + sizeof sum == room &&
                      are_words(checkpoint->content + sizeof front, front.words) && front.k >= 0 &&
                      front.rows >= -1 && front.sample >= 1;
    if (fits) memcpy(&sum, checkpoint->content + length - sizeof sum, sizeof sum);
    if (!fits || sum != checksum_add(checksum_empty, checkpoint->content, length - sizeof sum)) {
        cli_say("%s: the checkpoint is damaged", path);
        return CLI_USAGE;
    }
    checkpoint->image = checkpoint->content + sizeof front + front.words;
    checkpoint->image_bytes = front.image;
    checkpoint->k = front.k;
    checkpoint->old_rows = (struct journal_part){front.mark, front.rows_sum, front.rows};
    checkpoint->old_sample = front.sample;
    return compare_words(path, &checkpoint->words, checkpoint->content + sizeof front);
}

static char *path_of_rows(const char *path) {
    char *rows;
    return asprintf(&rows, "%s.rows", path) < 0 ? NULL : rows;
}

int checkpoint_open(struct checkpoint *checkpoint, const struct cli_settings *settings,
                    const struct run_setup *plan) {
    *checkpoint = (struct checkpoint){
        .path = settings->checkpoint, .old_rows.rows = -1, .sample = plan->sample};
    if (settings->checkpoint_every && !settings->checkpoint) {
        cli_say("--checkpoint-every needs --checkpoint FILE as well");
        return CLI_USAGE;
    }
    if (!settings->checkpoint && !settings->resume) return 0;
    if (settings->checkpoint && settings->output &&
        strcmp(settings->checkpoint, settings->output) == 0) {
        cli_say("--checkpoint and --output name the same file, '%s'", settings->output);
        return CLI_USAGE;
    }
    if (!make_words(&checkpoint->words, settings, plan)) return cli_no_memory();
    if (settings->checkpoint) checkpoint->rows_path = path_of_rows(settings->checkpoint);
    if (settings->resume) checkpoint->old_rows_path = path_of_rows(settings->resume);
    if ((settings->checkpoint && !checkpoint->rows_path) ||
        (settings->resume && !checkpoint->old_rows_path))
        return cli_no_memory();
    return settings->resume ? read_resumed(checkpoint, settings->resume) : 0;
}

static enum noe_status write_row(void *data, const real *row, struct noe_error *error) {
    struct checkpoint *checkpoint = data;
    const enum noe_status status = checkpoint->format->row(checkpoint->file, row, error);
    if (status != NOE_OK || !checkpoint->journal) return status;
    return journal_row(checkpoint->journal, row, error);
}

static enum noe_status close_file(void *data, const char *message, struct noe_error *error) {
    const struct checkpoint *checkpoint = data;
    return checkpoint->format->close(checkpoint->file, message, error);
}

static void discard_file(void *data) {
    const struct checkpoint *checkpoint = data;
    checkpoint->format->discard(checkpoint->file);
}

const struct noe_format checkpoint_format = {
    .name = "rows", .row = write_row, .close = close_file, .discard = discard_file};

static bool is_same_file(const char *a, const char *b) {
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

int checkpoint_rows(struct checkpoint *checkpoint, const struct cli_settings *settings,
                    const struct noe_format *format, void *file, int ncolumns) {
    struct noe_error error = {0};
    enum noe_status status = NOE_OK;
    const bool goes_on = settings->resume && checkpoint->old_rows.rows >= 0;
    const bool same = goes_on && checkpoint->path &&
                      is_same_file(checkpoint->rows_path, checkpoint->old_rows_path);
    checkpoint->format = format;
    checkpoint->file = file;
    if (goes_on && checkpoint->sample != checkpoint->old_sample) {
        cli_say("%s: the checkpoint has rows every %ld steps, not every %ld", settings->resume,
                checkpoint->old_sample, checkpoint->sample);
        return CLI_USAGE;
    }
    if (settings->resume && !goes_on)
        cli_say("the checkpoint has no rows: %s begins after step %ld", settings->output,
                checkpoint->k);
    if (checkpoint->path && !same)
        status = journal_create(&checkpoint->journal, checkpoint->rows_path, ncolumns, &error);
    if (status == NOE_OK && goes_on)
        status = journal_read(checkpoint->old_rows_path, ncolumns, &checkpoint->old_rows, write_row,
                              checkpoint, &error);
    if (status == NOE_OK && same)
        status = journal_reopen(&checkpoint->journal, checkpoint->rows_path, ncolumns,
                                &checkpoint->old_rows, &error);
    if (status == NOE_OK) return 0;
    cli_say("%s", error.text);
    return cli_exit_of(status);
}

static enum noe_status write_state(const struct checkpoint *checkpoint, const struct front *front,
                                   const void *bytes, struct noe_error *error) {
    struct atomic_file *place;
    enum noe_status status = atomic_file_open(&place, checkpoint->path, error);
    if (status != NOE_OK) return status;
    uint64_t sum = checksum_add(checksum_empty, front, sizeof *front);
    atomic_file_write(place, front, sizeof *front, NULL);
    for (int i = 0; i < CHECKPOINT_WORDS; i++) {
        const char *text = checkpoint->words.text[i];
        sum = checksum_add(sum, text, strlen(text) + 1);
        atomic_file_write(place, text, strlen(text) + 1, NULL);
    }
    sum = checksum_add(sum, bytes, front->image);
    atomic_file_write(place, bytes, front->image, NULL);
    atomic_file_write(place, &sum, sizeof sum, NULL);
    return atomic_file_commit(place, error); /* reports the first failure */
}

enum noe_status checkpoint_keep(void *data, long k, const void *bytes, size_t count,
                                struct noe_error *error) {
    const struct checkpoint *checkpoint = data;
    struct front front;
    struct journal_part part = {.rows = -1};
    if (checkpoint->journal) {
        const enum noe_status status = journal_sync(checkpoint->journal, &part, error);
        if (status != NOE_OK) return status;
    }
    memset(&front, 0, sizeof front);
    memcpy(front.what, front_what, sizeof front_what);
    snprintf(front.version, sizeof front.version, "%s", NOE_VERSION);
    snprintf(front.precision, sizeof front.precision, "%s", NOE_REAL_NAME);
    front.k = k;
    front.rows = part.rows;
    front.rows_sum = part.sum;
    front.mark = part.mark;
    front.sample = checkpoint->sample;
    front.words = words_bytes(&checkpoint->words);
    front.image = count;
    return write_state(checkpoint, &front, bytes, error);
}

void checkpoint_clear(struct checkpoint *checkpoint) {
    for (int i = 0; i < CHECKPOINT_WORDS; i++) free(checkpoint->words.text[i]);
    journal_free(checkpoint->journal);
    free(checkpoint->rows_path);
    free(checkpoint->old_rows_path);
    free(checkpoint->content);
    *checkpoint = (struct checkpoint){0};
}
