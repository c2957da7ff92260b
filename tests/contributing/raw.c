/* Raw binary rows: a magic word, sizes, names of columns, rows of numbers, and why the file is
 * incomplete, if it is. The numbers have the byte order of the machine. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "output/atomic_file.h"
#include "output/table.h"

static const char magic[8] = "NOERAW1";

struct front {
    char magic[8];
    int64_t ncolumns, bytes; /* columns, bytes of a number */
};

struct raw {
    struct atomic_file *place;
    size_t row_bytes;
};

static enum noe_status raw_open(void **file, const char *path,
                                const struct noe_record_header *header, struct noe_error *error) {
    *file = NULL;
    if (header->ncolumns <= 0)
        return status_set(error, NOE_BAD_INPUT, "a trajectory needs at least one column");
    struct front front = {.ncolumns = header->ncolumns, .bytes = sizeof(real)};
    struct raw *raw = malloc(sizeof *raw);
    if (!raw) return status_set(error, NOE_NO_MEMORY, "out of memory");
    const enum noe_status status = atomic_file_open(&raw->place, path, error);
    if (status != NOE_OK) {
        free(raw);
        return status;
    }
    memcpy(front.magic, magic, sizeof magic);
    raw->row_bytes = (size_t)header->ncolumns * sizeof(real);
    atomic_file_write(raw->place, &front, sizeof front, NULL); /* a failure shows at the next row */
    for (int i = 0; i < header->ncolumns; i++)
        atomic_file_write(raw->place, header->column[i], strlen(header->column[i]) + 1, NULL);
    *file = raw;
    return NOE_OK;
}

static enum noe_status raw_row(void *file, const real *values, struct noe_error *error) {
    const struct raw *raw = file;
    return atomic_file_write(raw->place, values, raw->row_bytes, error);
}

/* The message stands at the end, behind it its length, or -1 if the file is complete. */
static enum noe_status raw_close(void *file, const char *message, struct noe_error *error) {
    struct raw *raw = file;
    const int64_t length = message ? (int64_t)strlen(message) : -1;
    if (length > 0) atomic_file_write(raw->place, message, (size_t)length, NULL);
    atomic_file_write(raw->place, &length, sizeof length, NULL);
    const enum noe_status status = atomic_file_commit(raw->place, error);
    free(raw);
    return status;
}

static void raw_discard(void *file) {
    struct raw *raw = file;
    atomic_file_discard(raw->place);
    free(raw);
}

/* The bytes of a file that are not read yet, from both ends. */
struct bytes {
    const char *at, *end;
};

static enum noe_status not_raw(const char *path, struct noe_error *error) {
    return status_set(error, NOE_BAD_INPUT, "'%s' is not a trajectory in the format raw", path);
}

static enum noe_status read_names(struct noe_table *table, struct bytes *bytes, const char *path,
                                  struct noe_error *error) {
    for (int i = 0; i < table->ncolumns; i++) {
        const char *end = memchr(bytes->at, 0, (size_t)(bytes->end - bytes->at));
        if (!end) return not_raw(path, error);
        table->column[i] = strdup(bytes->at);
        if (!table->column[i]) return status_set(error, NOE_NO_MEMORY, "out of memory");
        bytes->at = end + 1;
    }
    return NOE_OK;
}

static enum noe_status read_message(struct noe_table *table, struct bytes *bytes, const char *path,
                                    struct noe_error *error) {
    int64_t length;
    if (bytes->end - bytes->at < (ptrdiff_t)sizeof length) return not_raw(path, error);
    bytes->end -= sizeof length;
    memcpy(&length, bytes->end, sizeof length);
    if (length < 0) return NOE_OK;
    if (length > bytes->end - bytes->at) return not_raw(path, error);
    bytes->end -= length;
    table->message = strndup(bytes->end, (size_t)length);
    return table->message ? NOE_OK : status_set(error, NOE_NO_MEMORY, "out of memory");
}

static enum noe_status read_rows(struct noe_table *table, const struct bytes *bytes,
                                 struct noe_error *error) {
    const size_t width = (size_t)table->ncolumns;
    const size_t nrows = (size_t)(bytes->end - bytes->at) / (width * sizeof(real));
    const enum noe_status status = table_make_rows(table, nrows, error);
    if (status != NOE_OK) return status;
    for (size_t r = 0; r < nrows; r++)
        for (size_t c = 0; c < width; c++)
            memcpy(&table->values[c * nrows + r], bytes->at + (r * width + c) * sizeof(real),
                   sizeof(real));
    return NOE_OK;
}

static enum noe_status read_bytes(struct noe_table *table, struct bytes bytes, const char *path,
                                  struct noe_error *error) {
    struct front front;
    if (bytes.end - bytes.at < (ptrdiff_t)sizeof front) return not_raw(path, error);
    memcpy(&front, bytes.at, sizeof front);
    bytes.at += sizeof front;
    const bool is_ours = memcmp(front.magic, magic, sizeof magic) == 0 &&
                         front.bytes == sizeof(real) && front.ncolumns > 0 &&
                         front.ncolumns < bytes.end - bytes.at;
    if (!is_ours) return not_raw(path, error);
    enum noe_status status = table_make_columns(table, (int)front.ncolumns, error);
    if (status == NOE_OK) status = read_names(table, &bytes, path, error);
    if (status == NOE_OK) status = read_message(table, &bytes, path, error);
    if (status == NOE_OK) status = read_rows(table, &bytes, error);
    return status;
}

static enum noe_status raw_read(struct noe_table *table, const char *path,
                                struct noe_error *error) {
    FILE *stream = fopen(path, "re");
    if (!stream) return status_set(error, NOE_IO, "cannot read '%s': %s", path, strerror(errno));
    char *text = NULL;
    size_t room = 0;
    FILE *copy = open_memstream(&text, &room);
    for (int c; copy && (c = getc(stream)) != EOF;) putc(c, copy);
    const bool is_whole = copy && !ferror(stream) && fclose(copy) == 0;
    fclose(stream);
    const enum noe_status status =
        is_whole ? read_bytes(table, (struct bytes){text, text + room}, path, error)
                 : status_set(error, NOE_IO, "cannot read '%s'", path);
    free(text);
    return status;
}

const struct noe_format noe_format_raw = {
    .name = "raw",
    .summary = "binary: names, then rows of numbers",
    .open = raw_open,
    .row = raw_row,
    .close = raw_close,
    .discard = raw_discard,
    .read = raw_read,
};
