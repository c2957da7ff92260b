/* CSV format: a row of names, then rows of shortest exact decimals. */
/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "output/atomic_file.h"
#include "output/decimal.h"
#include "output/table.h"

enum { BUFFER_BYTES = 1 << 18 };
static const char incomplete_mark[] = "# incomplete: ";

struct csv {
    struct atomic_file *place;
    int ncolumns;
    size_t used;
    char buffer[BUFFER_BYTES];
};

static enum noe_status flush(struct csv *csv, struct noe_error *error) {
    const size_t size = csv->used;
    csv->used = 0;
    return atomic_file_write(csv->place, csv->buffer, size, error);
}

/* Appends bytes of any length. The file keeps a failure until the next flush reports it. */
static void put(struct csv *csv, const char *text, size_t length) {
    while (length > 0) {
        if (csv->used == BUFFER_BYTES) flush(csv, NULL);
        const size_t room = BUFFER_BYTES - csv->used, part = length < room ? length : room;
        memcpy(csv->buffer + csv->used, text, part);
        csv->used += part;
        text += part;
        length -= part;
    }
}

/* Quotes a name if RFC 4180 requires it, or if a reader could take it for a comment. */
static void put_name(struct csv *csv, const char *name) {
    const size_t length = strlen(name);
    const bool has_edge_space = length > 0 && (name[0] == ' ' || name[length - 1] == ' ');
    if (length > 0 && !has_edge_space && name[0] != '#' && !strpbrk(name, ",\"\r\n")) {
        put(csv, name, length);
        return;
    }
    put(csv, "\"", 1);
    for (const char *s = name; *s; s++) {
        if (*s == '"') put(csv, "\"", 1);
        put(csv, s, 1);
    }
    put(csv, "\"", 1);
}

static enum noe_status csv_open(void **file, const char *path,
                                const struct noe_record_header *header, struct noe_error *error) {
    *file = NULL;
    if (header->ncolumns <= 0)
        return status_set(error, NOE_BAD_INPUT, "a trajectory needs at least one column");
    struct csv *csv = malloc(sizeof *csv);
    if (!csv) return status_set(error, NOE_NO_MEMORY, "out of memory");
    csv->used = 0;
    csv->ncolumns = header->ncolumns;
    const enum noe_status status = atomic_file_open(&csv->place, path, error);
    if (status != NOE_OK) {
        free(csv);
        return status;
    }
    for (int i = 0; i < header->ncolumns; i++) {
        if (i > 0) put(csv, ",", 1);
        put_name(csv, header->column[i]);
    }
    put(csv, "\n", 1);
    *file = csv;
    return NOE_OK;
}

static enum noe_status csv_row(void *file, const real *values, struct noe_error *error) {
    struct csv *csv = file;
    for (int i = 0; i < csv->ncolumns; i++) {
        if (BUFFER_BYTES - csv->used < DECIMAL_BYTES + 1) {
            const enum noe_status status = flush(csv, error);
            if (status != NOE_OK) return status;
        }
        csv->used += (size_t)decimal_print(csv->buffer + csv->used, values[i]);
        csv->buffer[csv->used++] = i + 1 < csv->ncolumns ? ',' : '\n';
    }
    return atomic_file_status(csv->place, error);
}

static enum noe_status csv_close(void *file, const char *message, struct noe_error *error) {
    struct csv *csv = file;
    if (message) {
        put(csv, incomplete_mark, sizeof incomplete_mark - 1);
        for (const char *s = message; *s; s++) put(csv, *s == '\n' || *s == '\r' ? " " : s, 1);
        put(csv, "\n", 1);
    }
    flush(csv, NULL);
    const enum noe_status status = atomic_file_commit(csv->place, error);
    free(csv);
    return status;
}

static void csv_discard(void *file) {
    struct csv *csv = file;
    atomic_file_discard(csv->place);
    free(csv);
}

/* Line-by-line reader of a file. */
struct lines {
    FILE *stream;
    const char *path;
    char *text;
    size_t room, number;
    ssize_t length;
};

static bool next_line(struct lines *lines) {
    lines->length = getline(&lines->text, &lines->room, lines->stream);
    if (lines->length < 0) return false;
    lines->number++;
    while (lines->length > 0 && strchr("\r\n", lines->text[lines->length - 1]))
        lines->text[--lines->length] = 0;
    return true;
}

static bool is_data(const struct lines *lines) {
    return lines->length > 0 && lines->text[0] != '#';
}

static enum noe_status bad_line(const struct lines *lines, struct noe_error *error,
                                const char *what) {
    return status_set(error, NOE_BAD_INPUT, "'%s' is not a trajectory: line %zu: %s", lines->path,
                      lines->number, what);
}

/* Takes one name from the header at *at, in place, and moves *at past its comma (NULL after the
 * last). */
static char *take_name(char **at) {
    char *name = *at, *write = *at, *s = *at;
    if (*s == '"') {
        for (s++; *s && (*s != '"' || s[1] == '"'); s++) {
            if (*s == '"') s++;
            *write++ = *s;
        }
        if (*s != '"') return NULL;
        s++;
    } else {
        while (*s && *s != ',') *write++ = *s++;
    }
    if (*s != 0 && *s != ',') return NULL;
    *at = *s ? s + 1 : NULL;
    *write = 0;
    return name;
}

/* True if the name starts like a number. Words such as `inf` may be names of columns. */
static bool is_number(const char *name) {
    char *end;
    real_read(name, &end);
    return end != name && *end == 0 && !isalpha((unsigned char)*name);
}

static enum noe_status read_header(struct noe_table *table, struct lines *lines,
                                   struct noe_error *error) {
    if (!next_line(lines) || lines->length == 0)
        return status_set(error, NOE_BAD_INPUT, "'%s' is not a trajectory: it is empty",
                          lines->path);
    if (strlen(lines->text) != (size_t)lines->length)
        return bad_line(lines, error, "it is not text");
    int count = 1;
    for (const char *s = lines->text; *s; s++) count += *s == ','; /* upper bound */
    enum noe_status status = table_make_columns(table, count, error);
    if (status != NOE_OK) return status;
    table->ncolumns = 0;
    for (char *at = lines->text; at;) {
        const char *name = take_name(&at);
        if (!name) return bad_line(lines, error, "a quoted name does not end");
        if (is_number(name)) return bad_line(lines, error, "expected names of columns");
        char *copy = strdup(name);
        if (!copy) return status_set(error, NOE_NO_MEMORY, "out of memory");
        table->column[table->ncolumns++] = copy;
    }
    return NOE_OK;
}

static enum noe_status read_row(struct noe_table *table, size_t row, const struct lines *lines,
                                struct noe_error *error) {
    char words[96];
    const char *at = lines->text;
    for (int c = 0; c < table->ncolumns; c++) {
        char *end;
        table->values[(size_t)c * table->nrows + row] = real_read(at, &end);
        const bool is_last = c + 1 == table->ncolumns;
        const bool has_number = end != at && !isspace((unsigned char)*at);
        if (!has_number || *end != (is_last ? 0 : ',')) {
            const size_t length = strcspn(at, ",");
            snprintf(words, sizeof words, "expected %d numbers, number %d is '%.*s'",
                     table->ncolumns, c + 1, length < 24 ? (int)length : 24, at);
            return bad_line(lines, error, words);
        }
        at = end + 1;
    }
    return NOE_OK;
}

static enum noe_status keep_message(struct noe_table *table, const char *line,
                                    struct noe_error *error) {
    const size_t length = sizeof incomplete_mark - 1;
    if (table->message || strncmp(line, incomplete_mark, length) != 0) return NOE_OK;
    table->message = strdup(line + length);
    return table->message ? NOE_OK : status_set(error, NOE_NO_MEMORY, "out of memory");
}

/* The first pass counts the rows, the second reads them. */
static enum noe_status read_lines(struct noe_table *table, struct lines *lines,
                                  struct noe_error *error) {
    enum noe_status status = read_header(table, lines, error);
    if (status != NOE_OK) return status;
    size_t nrows = 0;
    while (next_line(lines)) nrows += is_data(lines);
    status = table_make_rows(table, nrows, error);
    rewind(lines->stream);
    lines->number = 0;
    next_line(lines);
    for (size_t row = 0; status == NOE_OK && next_line(lines);) {
        if (!is_data(lines))
            status = keep_message(table, lines->text, error);
        else if (row < nrows)
            status = read_row(table, row++, lines, error);
    }
    if (status == NOE_OK && ferror(lines->stream))
        status = status_set(error, NOE_IO, "cannot read '%s': %s", lines->path, strerror(errno));
    return status;
}

static enum noe_status csv_read(struct noe_table *table, const char *path,
                                struct noe_error *error) {
    struct lines lines = {.stream = fopen(path, "re"), .path = path};
    if (!lines.stream)
        return status_set(error, NOE_IO, "cannot read '%s': %s", path, strerror(errno));
    const enum noe_status status = read_lines(table, &lines, error);
    free(lines.text);
    fclose(lines.stream);
    return status;
}

const struct noe_format noe_format_csv = {
    .name = "csv",
    .summary = "text: a row of names, then rows of shortest exact decimals",
    .open = csv_open,
    .row = csv_row,
    .close = csv_close,
    .discard = csv_discard,
    .read = csv_read,
};
