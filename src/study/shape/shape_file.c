/* Text files of shapes: rows of coefficients, points or samples. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/shape/shape.h"

static const real PI = (real)3.14159265358979323846264338327950288L;

enum kind { COEFFICIENTS, POINTS, SAMPLES, KINDS };

/* First word of a file, which states the content of its rows. */
static const char *const kind_word[KINDS] = {"coefficients", "points", "samples"};
static const char *const kind_row[KINDS] = {"'degree order value'", "'x y z'",
                                            "'longitude latitude value'"};

struct rows {
    enum kind kind;
    bool has_kind;
    size_t count, room;
    real *number; /* three per row */
    int *line;
};

enum { LINE_ROOM = 512 };

static bool grow(struct rows *rows) {
    if (rows->count < rows->room) return true;
    const size_t room = 2 * rows->room + 1024;
    real *number = realloc(rows->number, 3 * room * sizeof *number);
    if (number) rows->number = number;
    int *line = realloc(rows->line, room * sizeof *line);
    if (line) rows->line = line;
    if (!number || !line) return false;
    rows->room = room;
    return true;
}

static enum noe_status read_kind(struct rows *rows, const char *text, int line,
                                 struct noe_error *error) {
    const size_t length = strcspn(text, " \t\r\n#");
    for (int k = 0; k < KINDS; k++)
        if (length == strlen(kind_word[k]) && strncmp(text, kind_word[k], length) == 0) {
            rows->kind = (enum kind)k;
            rows->has_kind = true;
            return NOE_OK;
        }
    return status_set_at(error, line, 1,
                         "a shape begins with 'coefficients', 'points' or 'samples', not '%.*s'",
                         length < 40 ? (int)length : 40, text);
}

static enum noe_status read_row(struct rows *rows, const char *text, int line,
                                struct noe_error *error) {
    if (!grow(rows)) return status_set(error, NOE_NO_MEMORY, "out of memory to read a shape");
    const char *at = text;
    for (int i = 0; i < 3; i++) {
        char *end;
        const real number = real_read(at, &end);
        if (end == at || !real_is_finite(number))
            return status_set_at(error, line, (int)(at - text) + 1,
                                 "expected a row of three numbers, %s", kind_row[rows->kind]);
        rows->number[3 * rows->count + (size_t)i] = number;
        at = end + strspn(end, " \t,;");
    }
    if (*at && !strchr("#\r\n", *at))
        return status_set_at(error, line, (int)(at - text) + 1, "expected the end of the row %s",
                             kind_row[rows->kind]);
    rows->line[rows->count++] = line;
    return NOE_OK;
}

static enum noe_status read_rows(FILE *file, struct rows *rows, struct noe_error *error) {
    char text[LINE_ROOM];
    for (int line = 1; fgets(text, sizeof text, file); line++) {
        const char *at = text + strspn(text, " \t\r\n");
        if (!strchr(text, '\n') && strlen(text) + 1 == sizeof text)
            return status_set_at(error, line, 1, "a line of more than %d characters",
                                 LINE_ROOM - 2);
        if (!*at || *at == '#') continue;
        const enum noe_status status =
            rows->has_kind ? read_row(rows, text, line, error) : read_kind(rows, at, line, error);
        if (status != NOE_OK) return status;
    }
    if (ferror(file))
        return status_set(error, NOE_BAD_INPUT, "the file cannot be read: %s", strerror(errno));
    if (!rows->count) return status_set(error, NOE_BAD_INPUT, "the file holds no shape");
    return NOE_OK;
}

static bool is_whole(real x, int min, int max) { return x == noe_floor(x) && x >= min && x <= max; }

static enum noe_status take_coefficients(struct noe_shape **shape, const struct rows *rows,
                                         int band, struct noe_error *error) {
    real top = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const real *row = rows->number + 3 * i;
        if (!is_whole(row[0], 0, NOE_SHAPE_BAND_MAX - 1) ||
            !is_whole(row[1], -(int)row[0], (int)row[0]))
            return status_set_at(error, rows->line[i], 1,
                                 "degree and order must be whole numbers with |order| <= degree "
                                 "< %d",
                                 NOE_SHAPE_BAND_MAX);
        top = noe_max(top, row[0]);
    }
    if (band <= 0) band = (int)top + 1;
    const enum noe_status status = noe_shape_create(shape, band, error);
    bool *is_known = calloc((size_t)band * (size_t)band, sizeof *is_known);
    if (status != NOE_OK || !is_known) {
        free(is_known);
        return status == NOE_OK ? status_set(error, NOE_NO_MEMORY, "out of memory") : status;
    }
    int repeated = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const int l = (int)rows->number[3 * i], at = shape_at(l, (int)rows->number[3 * i + 1]);
        if (l >= band) continue;
        if (is_known[at] && !repeated) repeated = rows->line[i];
        is_known[at] = true;
        (*shape)->c[at] = rows->number[3 * i + 2];
    }
    free(is_known);
    if (!repeated) return NOE_OK;
    return status_set_at(error, repeated, 1, "this coefficient is given twice");
}

/* Points: the distance from the origin is the value. Samples: longitude and latitude in degrees,
 * then the value. */
static enum noe_status take_values(struct noe_shape **shape, const struct rows *rows, int band,
                                   noe_real *residual, struct noe_error *error) {
    if (band <= 0)
        return status_set(error, NOE_BAD_INPUT,
                          "%s need a band, the number of degrees to fit: for example 16",
                          kind_word[rows->kind]);
    real *x = malloc(4 * (rows->count + 1) * sizeof *x), *value = x + 3 * rows->count;
    if (!x) return status_set(error, NOE_NO_MEMORY, "out of memory to read a shape");
    for (size_t i = 0; i < rows->count; i++) {
        const real *row = rows->number + 3 * i;
        real *to = x + 3 * i;
        if (rows->kind == POINTS) {
            memcpy(to, row, 3 * sizeof *to);
            value[i] = noe_sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
        } else {
            const real longitude = row[0] * PI / 180, latitude = row[1] * PI / 180;
            to[0] = noe_cos(latitude) * noe_cos(longitude);
            to[1] = noe_cos(latitude) * noe_sin(longitude);
            to[2] = noe_sin(latitude);
            value[i] = row[2];
        }
    }
    const enum noe_status status =
        noe_shape_fit(shape, band, (long)rows->count, x, value, residual, error);
    free(x);
    return status;
}

enum noe_status noe_shape_read(struct noe_shape **shape, const char *path, int band,
                               noe_real *residual, struct noe_error *error) {
    struct rows rows = {0};
    *shape = NULL;
    if (residual) *residual = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return status_set(error, NOE_BAD_INPUT, "cannot read '%s': %s", path, strerror(errno));
    enum noe_status status = read_rows(file, &rows, error);
    fclose(file);
    if (status == NOE_OK)
        status = rows.kind == COEFFICIENTS ? take_coefficients(shape, &rows, band, error)
                                           : take_values(shape, &rows, band, residual, error);
    free(rows.number);
    free(rows.line);
    if (status == NOE_OK) return NOE_OK;
    noe_shape_free(*shape);
    *shape = NULL;
    return status;
}

char *shape_text(const struct noe_shape *shape) {
    enum { ROW = 80 };
    const size_t count = (size_t)shape->band * (size_t)shape->band;
    char *text = malloc(ROW * (count + 2)), *at = text;
    if (!text) return NULL;
    at += snprintf(at, ROW, "coefficients # degree order value\n");
    for (int l = 0; l < shape->band; l++)
        for (int m = -l; m <= l; m++) {
            char number[48];
            real_print_shortest(number, sizeof number, shape->c[shape_at(l, m)]);
            at += snprintf(at, ROW, "%d %d %s\n", l, m, number);
        }
    return text;
}
