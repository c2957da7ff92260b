/* Journal of rows that survives a crash: a header that identifies it, then binary numbers. */
/* SPDX-License-Identifier: MIT */
#include "output/row_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/splitmix.h"

enum { BUFFER_BYTES = 1 << 18 };

struct front {
    char what[16];
    uint64_t mark;
    int32_t ncolumns, width; /* columns of a row, bytes of a number */
};

struct journal {
    struct front front;
    char *path;
    int descriptor;
    long rows;
    uint64_t sum; /* checksum of the rows */
    size_t used;
    char buffer[BUFFER_BYTES];
};

static enum noe_status cannot(const char *verb, const char *path, struct noe_error *error) {
    return status_set(error, NOE_IO, "cannot %s '%s': %s", verb, path, strerror(errno));
}

static struct front front_of(int ncolumns, uint64_t mark) {
    return (struct front){
        .what = "noether-rows 1", .mark = mark, .ncolumns = ncolumns, .width = (int)sizeof(real)};
}

static size_t row_bytes(int ncolumns) { return (size_t)ncolumns * sizeof(real); }

/* From the time and the process, so that no two journals of a machine share a mark. */
static uint64_t new_mark(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct splitmix random = splitmix_open(
        (unsigned long)now.tv_sec * 1000000000u + (unsigned long)now.tv_nsec, (long)getpid());
    return splitmix_word(&random);
}

static enum noe_status flush(struct journal *journal, struct noe_error *error) {
    size_t done = 0;
    while (done < journal->used) {
        const ssize_t written =
            write(journal->descriptor, journal->buffer + done, journal->used - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return cannot("write", journal->path, error);
        done += (size_t)written;
    }
    journal->used = 0;
    return NOE_OK;
}

static enum noe_status open_at(struct journal **made, const char *path, int flags,
                               const struct front *front, struct noe_error *error) {
    struct journal *journal = malloc(sizeof *journal);
    *made = journal;
    if (!journal) return status_set(error, NOE_NO_MEMORY, "out of memory");
    *journal = (struct journal){
        .front = *front, .path = strdup(path), .descriptor = -1, .sum = checksum_empty};
    if (!journal->path) return status_set(error, NOE_NO_MEMORY, "out of memory");
    journal->descriptor = open(path, flags | O_CLOEXEC, 0666);
    return journal->descriptor >= 0 ? NOE_OK : cannot("write", path, error);
}

enum noe_status journal_create(struct journal **journal, const char *path, int ncolumns,
                               struct noe_error *error) {
    const struct front front = front_of(ncolumns, new_mark());
    const enum noe_status status =
        open_at(journal, path, O_WRONLY | O_CREAT | O_TRUNC, &front, error);
    if (status != NOE_OK) return status;
    memcpy((*journal)->buffer, &front, sizeof front);
    (*journal)->used = sizeof front;
    return NOE_OK;
}

enum noe_status journal_reopen(struct journal **journal, const char *path, int ncolumns,
                               const struct journal_part *part, struct noe_error *error) {
    const struct front front = front_of(ncolumns, part->mark);
    const enum noe_status status = open_at(journal, path, O_WRONLY, &front, error);
    if (status != NOE_OK) return status;
    const off_t end = (off_t)(sizeof front + (size_t)part->rows * row_bytes(ncolumns));
    (*journal)->rows = part->rows;
    (*journal)->sum = part->sum;
    if (ftruncate((*journal)->descriptor, end) != 0 ||
        lseek((*journal)->descriptor, end, SEEK_SET) != end)
        return cannot("write", path, error);
    return NOE_OK;
}

void journal_free(struct journal *journal) {
    if (!journal) return;
    if (journal->descriptor >= 0) close(journal->descriptor);
    free(journal->path);
    free(journal);
}

enum noe_status journal_row(struct journal *journal, const real *values, struct noe_error *error) {
    const char *at = (const char *)values;
    journal->rows++;
    journal->sum = checksum_add(journal->sum, values, row_bytes(journal->front.ncolumns));
    for (size_t left = row_bytes(journal->front.ncolumns); left > 0;) {
        const size_t room = BUFFER_BYTES - journal->used, part = left < room ? left : room;
        memcpy(journal->buffer + journal->used, at, part);
        journal->used += part;
        at += part;
        left -= part;
        if (journal->used < BUFFER_BYTES) continue;
        const enum noe_status status = flush(journal, error);
        if (status != NOE_OK) return status;
    }
    return NOE_OK;
}

enum noe_status journal_sync(struct journal *journal, struct journal_part *part,
                             struct noe_error *error) {
    const enum noe_status status = flush(journal, error);
    *part = (struct journal_part){journal->front.mark, journal->sum, journal->rows};
    if (status == NOE_OK && fdatasync(journal->descriptor) != 0)
        return cannot("write", journal->path, error);
    return status;
}

/* Reads the rows of an open file whose header was read. */
static enum noe_status
read_rows(FILE *file, const char *path, int ncolumns, const struct journal_part *part,
          enum noe_status (*take)(void *data, const real *row, struct noe_error *error), void *data,
          struct noe_error *error) {
    uint64_t sum = checksum_empty;
    real *row = malloc(row_bytes(ncolumns) + 1);
    enum noe_status status = row ? NOE_OK : status_set(error, NOE_NO_MEMORY, "out of memory");
    for (long i = 0; i < part->rows && status == NOE_OK; i++) {
        if (fread(row, sizeof *row, (size_t)ncolumns, file) == (size_t)ncolumns)
            status = take(data, row, error);
        else
            status = status_set(error, NOE_BAD_INPUT,
                                "'%s' has only %ld of the %ld rows that belong to the checkpoint",
                                path, i, part->rows);
        if (status == NOE_OK) sum = checksum_add(sum, row, row_bytes(ncolumns));
    }
    if (status == NOE_OK && sum != part->sum)
        status =
            status_set(error, NOE_BAD_INPUT,
                       "'%s' is damaged: the rows before the checkpoint have another checksum; "
                       "leave out -o to go on without them",
                       path);
    free(row);
    return status;
}

enum noe_status journal_read(const char *path, int ncolumns, const struct journal_part *part,
                             enum noe_status (*take)(void *data, const real *row,
                                                     struct noe_error *error),
                             void *data, struct noe_error *error) {
    FILE *file = fopen(path, "re");
    const struct front expected = front_of(ncolumns, part->mark);
    struct front found;
    if (!file)
        return status_set(error, NOE_BAD_INPUT,
                          "cannot read '%s', which holds the rows before the checkpoint: %s; leave "
                          "out -o to go on without them",
                          path, strerror(errno));
    enum noe_status status = NOE_OK;
    if (fread(&found, sizeof found, 1, file) != 1 || memcmp(&found, &expected, sizeof found) != 0)
        status = status_set(error, NOE_BAD_INPUT,
                            "'%s' does not hold the rows of this checkpoint but those of another "
                            "run: leave out -o to go on without them",
                            path);
    if (status == NOE_OK) status = read_rows(file, path, ncolumns, part, take, data, error);
    fclose(file);
    return status;
}
