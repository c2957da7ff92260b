/* Expressions in the columns of a table, evaluated for all rows. */
/* SPDX-License-Identifier: MIT */
#include "plot/column_expression.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/table.h"

enum { NAME_BYTES = 256, DEPTH_MAX = 100 };

/* Every parsing function returns the values of the parsed expression, or NULL after filling the
 * error. */
struct parser {
    const struct noe_table *table;
    const char *text, *at;
    int depth;
    struct noe_error *error;
};

struct function {
    const char *name;
    real (*one)(real);
    real (*two)(real, real);
};

static const struct function functions[] = {
    {"sin", noe_sin, NULL},   {"cos", noe_cos, NULL},     {"tan", noe_tan, NULL},
    {"asin", noe_asin, NULL}, {"acos", noe_acos, NULL},   {"atan", noe_atan, NULL},
    {"sinh", noe_sinh, NULL}, {"cosh", noe_cosh, NULL},   {"tanh", noe_tanh, NULL},
    {"exp", noe_exp, NULL},   {"log", noe_log, NULL},     {"sqrt", noe_sqrt, NULL},
    {"abs", noe_abs, NULL},   {"atan2", NULL, noe_atan2}, {"min", NULL, noe_min},
    {"max", NULL, noe_max},
};
enum { NFUNCTIONS = sizeof functions / sizeof *functions };

static real *parse_sum(struct parser *parser);

static real *wrong(const struct parser *parser, const char *expected) {
    const int left = (int)strlen(parser->at);
    status_set(parser->error, NOE_BAD_INPUT, "'%s', column %d: expected %s, found %s%.*s%s",
               parser->text, (int)(parser->at - parser->text) + 1, expected, left ? "'" : "",
               left ? (left < 12 ? left : 12) : 7, left ? parser->at : "the end", left ? "'" : "");
    return NULL;
}

static real *out_of_memory(const struct parser *parser) {
    status_set(parser->error, NOE_NO_MEMORY, "out of memory");
    return NULL;
}

static real *new_column(const struct parser *parser) {
    real *values = malloc((parser->table->nrows + 1) * sizeof *values);
    return values ? values : out_of_memory(parser);
}

static bool accept(struct parser *parser, char c) {
    while (isspace((unsigned char)*parser->at)) parser->at++;
    if (*parser->at != c) return false;
    if (c) parser->at++;
    return true;
}

static real *constant(const struct parser *parser, real value) {
    real *values = new_column(parser);
    for (size_t r = 0; values && r < parser->table->nrows; r++) values[r] = value;
    return values;
}

static real *unknown(const struct parser *parser, const char *name) {
    const struct noe_table *table = parser->table;
    const char *near = status_nearest(name, table->ncolumns, (const char *const *)table->column);
    if (near) {
        status_set(parser->error, NOE_BAD_INPUT, "unknown column '%s' (did you mean '%s'?)", name,
                   near);
        return NULL;
    }
    char known[200] = "";
    size_t length = 0;
    for (int c = 0; c < table->ncolumns && length < sizeof known - 40; c++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%.32s", c ? ", " : "",
                                   table->column[c]);
    status_set(parser->error, NOE_BAD_INPUT, "unknown column '%s'; the columns are %s%s", name,
               known, length < sizeof known - 40 ? "" : ", ...");
    return NULL;
}

/* A copy of the column `name`, or for `quantity_error` the change of a quantity. */
static real *named(const struct parser *parser, const char *name) {
    static const char suffix[] = "_error";
    const struct noe_table *table = parser->table;
    const size_t length = strlen(name), tail = sizeof suffix - 1;
    char base[NAME_BYTES];
    int c = table_column_find(table, name);
    const bool is_change = c < 0 && length > tail && strcmp(name + length - tail, suffix) == 0;
    if (is_change) {
        snprintf(base, sizeof base, "%.*s", (int)(length - tail), name);
        c = table_column_find(table, base);
    }
    if (c < 0 && strcmp(name, "pi") == 0) return constant(parser, 4 * noe_atan(1));
    if (c < 0) return unknown(parser, name);
    const real *from = table_column(table, c);
    real *values = new_column(parser);
    for (size_t r = 0; values && r < table->nrows; r++)
        values[r] = is_change ? from[r] - from[0] : from[r];
    return values;
}

/* name = letters [.letters] with indices and primes, e.g. p.x[1], y[2]'[3]; the prime goes last. */
static bool take_name(struct parser *parser, char *name) {
    size_t length = 0, primes = 0;
    bool in_index = false;
    for (; length + primes < NAME_BYTES - 1; parser->at++) {
        const char c = *parser->at;
        const bool is_joint = c == '.' && isalpha((unsigned char)parser->at[1]);
        if (c == '[') in_index = true;
        if (c == '\'')
            primes++;
        else if (in_index ? isdigit((unsigned char)c) || c == '[' || c == ']'
                          : isalnum((unsigned char)c) || c == '_' || is_joint)
            name[length++] = c;
        else
            break;
        if (c == ']') in_index = parser->at[1] == '[';
    }
    memset(name + length, '\'', primes);
    name[length + primes] = 0;
    return length + primes < NAME_BYTES - 1;
}

static const struct function *find_function(const char *name) {
    for (int i = 0; i < NFUNCTIONS; i++)
        if (strcmp(functions[i].name, name) == 0) return &functions[i];
    return NULL;
}

/* call = name ( sum [, sum] ), the parenthesis already taken. */
static real *parse_call(struct parser *parser, const char *name) {
    const struct function *function = find_function(name);
    if (!function) {
        status_set(parser->error, NOE_BAD_INPUT, "unknown function '%s'", name);
        return NULL;
    }
    real *x = parse_sum(parser), *y = NULL;
    if (x && function->two) {
        y = accept(parser, ',') ? parse_sum(parser) : wrong(parser, "',' and a second argument");
        if (!y) {
            free(x);
            return NULL;
        }
    }
    for (size_t r = 0; x && r < parser->table->nrows; r++)
        x[r] = function->two ? function->two(x[r], y[r]) : function->one(x[r]);
    free(y);
    if (!x || accept(parser, ')')) return x;
    free(x);
    return wrong(parser, "')'");
}

/* primary = number | ( sum ) | call | name */
static real *parse_primary(struct parser *parser) {
    char name[NAME_BYTES];
    if (accept(parser, '(')) {
        real *inner = parse_sum(parser);
        if (!inner || accept(parser, ')')) return inner;
        free(inner);
        return wrong(parser, "')'");
    }
    const unsigned char c = (unsigned char)*parser->at;
    if (isdigit(c) || c == '.') {
        char *end;
        const real value = real_read(parser->at, &end);
        if (end == parser->at) return wrong(parser, "a number");
        parser->at = end;
        return constant(parser, value);
    }
    if (!isalpha(c) && c != '_') return wrong(parser, "a column, a number or '('");
    if (!take_name(parser, name)) return wrong(parser, "a shorter name");
    return accept(parser, '(') ? parse_call(parser, name) : named(parser, name);
}

static real apply(char sign, real x, real y) {
    switch (sign) {
    case '+': return x + y;
    case '-': return x - y;
    case '*': return x * y;
    case '/': return x / y;
    default: return noe_pow(x, y);
    }
}

/* x <- x (sign) y, elementwise; frees y, and x too if y is NULL. */
static real *combine(const struct parser *parser, char sign, real *x, real *y) {
    if (!y) {
        free(x);
        return NULL;
    }
    for (size_t r = 0; r < parser->table->nrows; r++) x[r] = apply(sign, x[r], y[r]);
    free(y);
    return x;
}

/* factor = - factor | + factor | primary [ ^ factor ] */
static real *parse_factor(struct parser *parser) {
    if (++parser->depth > DEPTH_MAX) {
        status_set(parser->error, NOE_BAD_INPUT, "the expression is nested deeper than %d",
                   DEPTH_MAX);
        return NULL;
    }
    real *x = NULL;
    if (accept(parser, '-')) {
        x = parse_factor(parser);
        for (size_t r = 0; x && r < parser->table->nrows; r++) x[r] = -x[r];
    } else if (accept(parser, '+')) {
        x = parse_factor(parser);
    } else {
        x = parse_primary(parser);
        if (x && accept(parser, '^')) x = combine(parser, '^', x, parse_factor(parser));
    }
    parser->depth--;
    return x;
}

/* product = factor { (*|/) factor } */
static real *parse_product(struct parser *parser) {
    real *x = parse_factor(parser);
    while (x) {
        const char sign = accept(parser, '*') ? '*' : accept(parser, '/') ? '/' : 0;
        if (!sign) break;
        x = combine(parser, sign, x, parse_factor(parser));
    }
    return x;
}

/* sum = product { (+|-) product } */
static real *parse_sum(struct parser *parser) {
    real *x = parse_product(parser);
    while (x) {
        const char sign = accept(parser, '+') ? '+' : accept(parser, '-') ? '-' : 0;
        if (!sign) break;
        x = combine(parser, sign, x, parse_product(parser));
    }
    return x;
}

enum noe_status column_values(const struct noe_table *table, const char *text, real **values,
                              struct noe_error *error) {
    struct noe_error unseen;
    struct parser parser = {.table = table, .text = text, .at = text};
    parser.error = error ? error : &unseen;
    const bool is_column = table_column_find(table, text) >= 0; /* whatever its name looks like */
    *values = is_column ? named(&parser, text) : parse_sum(&parser);
    if (!*values) return parser.error->status;
    if (is_column || accept(&parser, 0)) return NOE_OK;
    free(*values);
    *values = NULL;
    wrong(&parser, "an operator");
    return NOE_BAD_INPUT;
}

static bool list_add(struct column_list *list, const char *text, size_t length) {
    char **grown = realloc(list->text, ((size_t)list->count + 1) * sizeof *grown);
    if (grown) list->text = grown;
    char *copy = grown ? strndup(text, length) : NULL;
    if (copy) list->text[list->count++] = copy;
    return copy != NULL;
}

/* True if `column` is a component of the vector `name`: name[1] and so on, or name[1]' for
 * name'. */
static bool is_component(const char *column, const char *name, size_t length) {
    size_t primes = 0;
    while (primes < length && name[length - 1 - primes] == '\'') primes++;
    const size_t stem = length - primes, whole = strlen(column);
    return whole > length + 2 && strncmp(column, name, stem) == 0 && column[stem] == '[' &&
           column[whole - 1 - primes] == ']' &&
           memcmp(column + whole - primes, name + stem, primes) == 0;
}

static bool list_expand(struct column_list *list, const struct noe_table *table, const char *text,
                        size_t length) {
    const int before = list->count;
    for (int c = 0; c < table->ncolumns; c++)
        if (is_component(table->column[c], text, length) &&
            !list_add(list, table->column[c], strlen(table->column[c])))
            return false;
    return list->count > before || list_add(list, text, length);
}

enum noe_status column_list_read(struct column_list *list, const struct noe_table *table,
                                 const char *text, struct noe_error *error) {
    const char *at = text;
    for (bool is_last = false; !is_last;) {
        int depth = 0;
        const char *end = at;
        for (; *end && (*end != ',' || depth > 0); end++)
            depth += (*end == '(' || *end == '[') - (*end == ')' || *end == ']');
        is_last = *end == 0;
        const char *next = end + 1;
        while (at < end && isspace((unsigned char)*at)) at++;
        while (end > at && isspace((unsigned char)end[-1])) end--;
        if (at == end)
            return status_set(error, NOE_BAD_INPUT, "'%s' has an empty expression", text);
        if (!list_expand(list, table, at, (size_t)(end - at)))
            return status_set(error, NOE_NO_MEMORY, "out of memory");
        at = next;
    }
    return NOE_OK;
}

void column_list_clear(struct column_list *list) {
    for (int i = 0; i < list->count; i++) free(list->text[i]);
    free(list->text);
    *list = (struct column_list){0};
}
