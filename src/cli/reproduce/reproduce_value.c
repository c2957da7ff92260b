/* Expressions in the output and the recorded files of an experiment. Paths, named values and
 * reductions are replaced by their numbers, innermost first, until a plain expression is left. */
/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "cli/reproduce/reproduce.h"
#include "output/json_reader.h"
#include "output/table.h"
#include "plot/column_expression.h"

enum { DEPTH_MAX = 32, NAME_BYTES = 64, ARRAYS_MAX = 8 };

/* A growing text. */
struct text {
    char *start;
    size_t length;
};

/* Arrays `path[*]` of an expression in braces, as columns of a table. */
struct arrays {
    struct noe_table table;
    char *column[ARRAYS_MAX];
    char names[ARRAYS_MAX][8];
};

struct evaluation {
    const struct reproduce_outputs *outputs;
    struct arrays *arrays; /* NULL outside of braces */
    int depth;
    struct noe_error *error;
};

static enum noe_status evaluate(struct evaluation *evaluation, const char *text, real *value);

static enum noe_status no_memory(const struct evaluation *evaluation) {
    return status_set(evaluation->error, NOE_NO_MEMORY, "out of memory");
}

static bool text_add(struct text *text, const char *more, size_t length) {
    char *grown = realloc(text->start, text->length + length + 1);
    if (!grown) return false;
    memcpy(grown + text->length, more, length);
    text->start = grown;
    text->length += length;
    grown[text->length] = 0;
    return true;
}

static bool text_add_number(struct text *text, real value) {
    char number[64];
    snprintf(number, sizeof number, "(%.17g)", (double)value);
    return text_add(text, number, strlen(number));
}

/* Paths: run.key.key[1]["key"][*] */

static enum noe_status missing(const struct evaluation *evaluation, const char *path, int length,
                               const char *value) {
    char known[120] = "";
    size_t at = 0;
    struct json_item item = {0};
    while (value && json_step(value, &item) && item.key && at < sizeof known - 32)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%.*s", at ? ", " : "; there are ",
                               (int)(item.key_length < 24 ? item.key_length : 24), item.key);
    return status_set(evaluation->error, NOE_BAD_INPUT, "there is no %.*s%s", length, path, known);
}

/* Follows one component of a path at *at from `value`. NULL if it does not exist. */
static const char *path_step(const char *value, const char **at) {
    const char *key = *at + 1;
    if (**at == '.') {
        size_t length = 0;
        while (isalnum((unsigned char)key[length]) || key[length] == '_') length++;
        *at = key + length;
        return json_member(value, key, length);
    }
    if (*key == '"') {
        const size_t length = strcspn(++key, "\"");
        *at = key + length + (key[length] ? 1 : 0);
        *at += **at == ']';
        return json_member(value, key, length);
    }
    char *end;
    const long index = strtol(key, &end, 10);
    *at = *end == ']' ? end + 1 : end;
    return json_item(value, index > 0 ? index - 1 : index);
}

static bool path_continues(const char *at) {
    return (*at == '.' && (isalpha((unsigned char)at[1]) || at[1] == '_')) ||
           (*at == '[' && at[1] != '*');
}

/* Follows a path from `value`. *at ends after it, or before [*]. */
static const char *path_follow(const char *value, const char **at) {
    while (value && path_continues(*at)) value = path_step(value, at);
    return value;
}

static int find_run(const struct evaluation *evaluation, const char *name, size_t length) {
    const struct reproduce_experiment *experiment = evaluation->outputs->experiment;
    for (int i = 0; i < experiment->nruns; i++)
        if (strlen(experiment->run[i].name) == length &&
            memcmp(experiment->run[i].name, name, length) == 0)
            return i;
    return -1;
}

/* Value at a path that begins with run number `run`. */
static enum noe_status path_value(const struct evaluation *evaluation, int run, const char *path,
                                  const char **at, const char **value) {
    const char *output = evaluation->outputs->output[run], *last = output;
    if (!output || !*output)
        return status_set(evaluation->error, NOE_BAD_INPUT, "run %s printed nothing",
                          evaluation->outputs->experiment->run[run].name);
    *value = output;
    while (*value && path_continues(*at)) {
        last = *value;
        *value = path_step(*value, at);
    }
    if (*value) return NOE_OK;
    return missing(evaluation, path, (int)(*at - path), last);
}

/* Adds the numbers of array[*]rest as a new column to the table of the braces. */
static enum noe_status take_array(struct evaluation *evaluation, const char *path,
                                  const char *array, const char **at, struct text *out) {
    struct arrays *arrays = evaluation->arrays;
    if (!arrays)
        return status_set(evaluation->error, NOE_BAD_INPUT, "[*] stands in braces: largest{%.60s}",
                          path);
    const char *rest = *at + 3;
    const int c = arrays->table.ncolumns;
    size_t count = 0;
    for (struct json_item item = {0}; json_step(array, &item);) count++;
    if (c == ARRAYS_MAX || (c > 0 && count != arrays->table.nrows))
        return status_set(evaluation->error, NOE_BAD_INPUT,
                          "%.60s: arrays in one pair of braces have one length, and are at most %d",
                          path, ARRAYS_MAX);
    real *grown = realloc(arrays->table.values, ((size_t)c + 1) * (count + 1) * sizeof *grown);
    if (!grown) return no_memory(evaluation);
    arrays->table.values = grown;
    arrays->table.nrows = count;
    struct json_item item = {0};
    *at = rest;
    for (size_t r = 0; json_step(array, &item); r++) {
        *at = rest;
        const char *value = path_follow(item.value, at);
        if (!value || !json_number(value, &grown[(size_t)c * count + r]))
            return missing(evaluation, path, (int)(*at - path), NULL);
    }
    snprintf(arrays->names[c], sizeof arrays->names[c], "a_%d", c);
    arrays->column[c] = arrays->names[c];
    arrays->table.column = arrays->column;
    arrays->table.ncolumns = c + 1;
    return text_add(out, arrays->names[c], strlen(arrays->names[c])) ? NOE_OK
                                                                     : no_memory(evaluation);
}

/* Replaces the path at *at by its number. */
static enum noe_status take_path(struct evaluation *evaluation, int run, size_t length,
                                 const char **at, struct text *out) {
    const char *path = *at, *value;
    *at += length;
    const enum noe_status status = path_value(evaluation, run, path, at, &value);
    if (status != NOE_OK) return status;
    if (strncmp(*at, "[*]", 3) == 0) return take_array(evaluation, path, value, at, out);
    real number;
    if (!json_number(value, &number))
        return status_set(evaluation->error, NOE_BAD_INPUT, "%.*s is no number", (int)(*at - path),
                          path);
    if (isnan((double)number))
        return status_set(evaluation->error, NOE_NOT_FINITE, "%.*s is not finite",
                          (int)(*at - path), path);
    return text_add_number(out, number) ? NOE_OK : no_memory(evaluation);
}

/* Reductions: name{expression [against expression] [in FILE] [for expression in a .. b]} */

struct reduction {
    char name[NAME_BYTES];
    char *y, *x, *file, *window, *low, *high; /* NULL: missing */
};

static const char *const reductions[] = {"largest", "smallest", "mean",  "rms",  "first",
                                         "last",    "sum",      "count", "slope"};
enum { NREDUCTIONS = sizeof reductions / sizeof *reductions };

/* Splits `text` before a mark outside of braces. Returns the text after it, or NULL. */
static char *cut(char *text, const char *mark) {
    int depth = 0;
    for (char *at = text; at && *at; at++) {
        depth += (*at == '{') - (*at == '}');
        if (depth != 0 || strncmp(at, mark, strlen(mark)) != 0) continue;
        *at = 0;
        return at + strlen(mark);
    }
    return NULL;
}

static char *trim(char *text) {
    while (text && isspace((unsigned char)*text)) text++;
    for (size_t n = text ? strlen(text) : 0; n && isspace((unsigned char)text[n - 1]);)
        text[--n] = 0;
    return text;
}

static void reduction_cut(struct reduction *reduction, char *body) {
    reduction->window = cut(body, " for ");
    reduction->file = cut(body, " in ");
    reduction->x = cut(body, " against ");
    reduction->y = body;
    reduction->low = cut(reduction->window, " in ");
    reduction->high = cut(reduction->low, " .. ");
    reduction->file = trim(reduction->file);
}

/* Slope of y over x by linear least squares. */
static real slope_of(size_t n, const real *x, const real *y) {
    real mx = 0, my = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < n; i++) mx += x[i] / (real)n, my += y[i] / (real)n;
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
    }
    return xy / xx;
}

static real reduce(const char *name, size_t n, const real *x, const real *y) {
    real sum = 0, square = 0, max = y[0], min = y[0];
    for (size_t i = 0; i < n; i++) {
        sum += y[i];
        square += y[i] * y[i];
        if (!(y[i] <= max)) max = y[i];
        if (!(y[i] >= min)) min = y[i];
    }
    if (strcmp(name, "largest") == 0) return max;
    if (strcmp(name, "smallest") == 0) return min;
    if (strcmp(name, "mean") == 0) return sum / (real)n;
    if (strcmp(name, "rms") == 0) return noe_sqrt(square / (real)n);
    if (strcmp(name, "first") == 0) return y[0];
    if (strcmp(name, "last") == 0) return y[n - 1];
    if (strcmp(name, "sum") == 0) return sum;
    if (strcmp(name, "count") == 0) return (real)n;
    return slope_of(n, x, y);
}

/* Keeps the rows whose window value lies between the bounds. Returns their number. */
static size_t keep(size_t n, const real *window, real low, real high, real *x, real *y) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(window[i] >= low && window[i] <= high)) continue;
        y[kept] = y[i];
        if (x) x[kept] = x[i];
        kept++;
    }
    return kept;
}

/* Evaluates the expressions of a reduction on the columns of a table, and reduces them. */
static enum noe_status reduce_table(struct evaluation *evaluation,
                                    const struct reduction *reduction,
                                    const struct noe_table *table, real *value) {
    real *y = NULL, *x = NULL, *window = NULL, low = 0, high = 0;
    size_t n = table->nrows;
    const bool is_slope = strcmp(reduction->name, "slope") == 0;
    const char *against = reduction->x ? reduction->x : "t";
    enum noe_status status = column_values(table, reduction->y, &y, evaluation->error);
    if (status == NOE_OK && is_slope) status = column_values(table, against, &x, evaluation->error);
    if (status == NOE_OK && reduction->window && !reduction->high)
        status = status_set(evaluation->error, NOE_BAD_INPUT,
                            "expected 'for EXPRESSION in A .. B' after %.60s", reduction->y);
    if (status == NOE_OK && reduction->window) {
        status = column_values(table, reduction->window, &window, evaluation->error);
        if (status == NOE_OK) status = evaluate(evaluation, reduction->low, &low);
        if (status == NOE_OK) status = evaluate(evaluation, reduction->high, &high);
        if (status == NOE_OK) n = keep(n, window, low, high, x, y);
    }
    if (status == NOE_OK && n == 0 && strcmp(reduction->name, "count") != 0)
        status = status_set(evaluation->error, NOE_BAD_INPUT, "%s{%.80s}: there are no rows",
                            reduction->name, reduction->y);
    if (status == NOE_OK) *value = n ? reduce(reduction->name, n, x, y) : 0;
    free(y);
    free(x);
    free(window);
    return status;
}

static enum noe_status reduce_file(struct evaluation *evaluation, const struct reduction *reduction,
                                   real *value) {
    struct noe_table *table = NULL;
    char *path = reproduce_path(evaluation->outputs->folder, reduction->file);
    if (!path) return no_memory(evaluation);
    enum noe_status status = noe_table_open(&table, path, evaluation->error);
    if (status == NOE_OK) status = reduce_table(evaluation, reduction, table, value);
    noe_table_free(table);
    free(path);
    return status;
}

static enum noe_status substitute(struct evaluation *evaluation, const char *text,
                                  struct text *out);

/* Substitutes numbers and arrays in the expressions, then evaluates them on a file or on the
 * arrays. */
static enum noe_status reduction_value(const struct evaluation *evaluation,
                                       const struct reduction *reduction, real *value) {
    struct arrays arrays = {0};
    struct evaluation inside = *evaluation;
    struct reduction plain = *reduction;
    struct text y = {0}, x = {0}, window = {0};
    inside.arrays = &arrays;
    enum noe_status status = substitute(&inside, reduction->y, &y);
    if (status == NOE_OK && reduction->x) status = substitute(&inside, reduction->x, &x);
    if (status == NOE_OK && reduction->window)
        status = substitute(&inside, reduction->window, &window);
    plain.y = y.start;
    plain.x = x.start;
    plain.window = window.start;
    inside.arrays = NULL;
    if (status == NOE_OK)
        status = plain.file ? reduce_file(&inside, &plain, value)
                            : reduce_table(&inside, &plain, &arrays.table, value);
    free(arrays.table.values);
    free(y.start);
    free(x.start);
    free(window.start);
    return status;
}

/* Replaces name{body} by its number. *at ends after the brace. */
static enum noe_status take_reduction(struct evaluation *evaluation, const char *name,
                                      size_t length, const char **at, struct text *out) {
    const char *body = *at;
    int depth = 1;
    for (; **at && depth > 0; ++*at) depth += (**at == '{') - (**at == '}');
    if (depth) return status_set(evaluation->error, NOE_BAD_INPUT, "'}' is missing: %.80s", body);
    struct reduction reduction = {0};
    snprintf(reduction.name, sizeof reduction.name, "%.*s", (int)length, name);
    bool is_known = false;
    for (int i = 0; i < NREDUCTIONS; i++) is_known |= strcmp(reductions[i], reduction.name) == 0;
    if (!is_known) {
        const char *near = status_nearest(reduction.name, NREDUCTIONS, reductions);
        return status_set(evaluation->error, NOE_BAD_INPUT, "unknown reduction '%s'%s%s",
                          reduction.name, near ? "; did you mean " : "", near ? near : "");
    }
    char *copy = strndup(body, (size_t)(*at - body) - 1);
    if (!copy) return no_memory(evaluation);
    real value = 0;
    reduction_cut(&reduction, copy);
    enum noe_status status = reduction_value(evaluation, &reduction, &value);
    if (status == NOE_OK && !text_add_number(out, value)) status = no_memory(evaluation);
    free(copy);
    return status;
}

static const struct reproduce_value *find_value(const struct evaluation *evaluation,
                                                const char *name, size_t length) {
    const struct reproduce_experiment *experiment = evaluation->outputs->experiment;
    for (int i = 0; i < experiment->nvalues; i++)
        if (strlen(experiment->value[i].name) == length &&
            memcmp(experiment->value[i].name, name, length) == 0)
            return &experiment->value[i];
    return NULL;
}

/* Replaces the word at *at: a path, a reduction, a named value, or a function of the expression
 * parser. */
static enum noe_status take_word(struct evaluation *evaluation, const char **at, struct text *out) {
    const char *name = *at;
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || name[length] == '_') length++;
    const char *after = name + length;
    const int run = find_run(evaluation, name, length);
    if (run >= 0 && path_continues(after)) return take_path(evaluation, run, length, at, out);
    *at = after;
    if (*after == '{') {
        ++*at;
        return take_reduction(evaluation, name, length, at, out);
    }
    const struct reproduce_value *named = find_value(evaluation, name, length);
    if (named && !path_continues(after) && *after != '(') {
        real value;
        struct evaluation outside = *evaluation;
        outside.arrays = NULL;
        const enum noe_status status = evaluate(&outside, named->expression, &value);
        if (status != NOE_OK) return status;
        return text_add_number(out, value) ? NOE_OK : no_memory(evaluation);
    }
    while (**at == '.' || **at == '\'' || isalnum((unsigned char)**at) || **at == '_') ++*at;
    return text_add(out, name, (size_t)(*at - name)) ? NOE_OK : no_memory(evaluation);
}

/* Copies the text with all references replaced by numbers. */
static enum noe_status substitute(struct evaluation *evaluation, const char *text,
                                  struct text *out) {
    enum noe_status status = text_add(out, "", 0) ? NOE_OK : no_memory(evaluation);
    for (const char *at = text; *at && status == NOE_OK;) {
        char *end;
        if (isdigit((unsigned char)*at)) {
            real_read(at, &end);
            status = text_add(out, at, (size_t)(end - at)) ? NOE_OK : no_memory(evaluation);
            at = end;
        } else if (isalpha((unsigned char)*at) || *at == '_') {
            status = take_word(evaluation, &at, out);
        } else {
            status = text_add(out, at++, 1) ? NOE_OK : no_memory(evaluation);
        }
    }
    return status;
}

static enum noe_status evaluate(struct evaluation *evaluation, const char *text, real *value) {
    if (++evaluation->depth > DEPTH_MAX)
        return status_set(evaluation->error, NOE_BAD_INPUT,
                          "values refer to each other without end: %.80s", text);
    struct text plain = {0};
    const struct noe_table one_row = {.nrows = 1};
    real *values = NULL;
    enum noe_status status = substitute(evaluation, text, &plain);
    if (status == NOE_OK) status = column_values(&one_row, plain.start, &values, evaluation->error);
    if (status == NOE_OK) *value = values[0];
    free(values);
    free(plain.start);
    evaluation->depth--;
    return status;
}

enum noe_status reproduce_value_number(const struct reproduce_outputs *outputs, const char *text,
                                       real *value, struct noe_error *error) {
    struct evaluation evaluation = {.outputs = outputs, .error = error};
    return evaluate(&evaluation, text, value);
}

enum noe_status reproduce_value_words(const struct reproduce_outputs *outputs, const char *text,
                                      char **value, struct noe_error *error) {
    struct evaluation evaluation = {.outputs = outputs, .error = error};
    const size_t length = strcspn(text, ".[ ");
    const int run = find_run(&evaluation, text, length);
    if (run < 0) return status_set(error, NOE_BAD_INPUT, "'%.60s' begins with no run's name", text);
    const char *at = text + length, *found;
    const enum noe_status status = path_value(&evaluation, run, text, &at, &found);
    if (status != NOE_OK) return status;
    *value = json_copy(found);
    if (*value) return NOE_OK;
    return status_set(error, NOE_BAD_INPUT, "%.60s is no string", text);
}
