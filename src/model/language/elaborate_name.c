/* Name resolution: values of names, reserved names, and messages for unknown ones. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "model/language/elaborate.h"

static const char *const constants[] = {"pi", "t", "I", "e1", "e2", "e3", "L"};
enum { CONSTANTS = sizeof constants / sizeof *constants };

static real pi(void) { return 2 * noe_asin(1); /* in the full precision of either number type */ }

/* A column of the 3x3 identity, or the whole matrix if `column` is negative. */
static bool unit(struct elaborate *e, int column, struct value *value) {
    const int cols = column < 0 ? 3 : 1;
    int *node = value_make(&e->make, value, column < 0 ? 2 : 1, 3, cols);
    for (int i = 0; node && i < 3 * cols; i++) {
        const bool is_one = column < 0 ? i % 4 == 0 : i == column;
        node[i] = graph_number(e->make.graph, is_one);
    }
    return node ? true : elaborate_fail_memory(e);
}

static bool constant(struct elaborate *e, const struct lex_token *name, struct value *value) {
    if (lex_is(name, "pi")) {
        *value = value_number(&e->make, pi());
        return true;
    }
    if (lex_is(name, "I")) return unit(e, -1, value);
    if (*name->start == 'e') return unit(e, name->start[1] - '1', value);
    const bool is_time = lex_is(name, "t");
    if (e->number_for)
        return elaborate_fail(e, name, "%s cannot be used in %s",
                              is_time ? "the time 't'" : "the Lagrangian 'L'", e->number_for);
    if (!is_time && !e->has_lagrangian)
        return elaborate_fail(e, name, "the Lagrangian 'L' cannot be used before it is stated");
    *value =
        value_scalar(is_time ? graph_leaf(e->make.graph, GRAPH_TIME, 0) : e->model->lagrangian);
    return true;
}

static int find_constant(const struct lex_token *name) {
    int i = 0;
    while (i < CONSTANTS && !lex_is(name, constants[i])) i++;
    return i < CONSTANTS ? i : -1;
}

static bool is_function(const struct lex_token *name) {
    for (int f = 0; f < graph_function_count; f++)
        if (graph_functions[f].name && lex_is(name, graph_functions[f].name)) return true;
    for (const struct value_function *f = value_functions; f->name; f++)
        if (lex_is(name, f->name)) return true;
    return lex_is(name, "sum");
}

bool elaborate_is_reserved(const struct lex_token *name) {
    return find_constant(name) >= 0 || is_function(name);
}

/* Value of a named expression in a constant context. Fails if it depends on the motion. */
static bool expression_number(struct elaborate *e, const struct lex_token *name,
                              const struct symbol *symbol, struct value *value) {
    char shown[LEX_QUOTE_MAX];
    const struct value *from = &symbol->value;
    int *node = value_make(&e->make, value, from->rank, from->rows, from->cols);
    for (int i = 0; node && i < value_count(from); i++) {
        real number;
        if (graph_depends(e->make.graph, value_at(from, i)))
            return elaborate_fail(e, name, "%s depends on the motion and cannot be used in %s",
                                  lex_show(name, shown), e->number_for);
        if (!elaborate_constant(e, value_at(from, i), &number)) return false;
        node[i] = graph_number(e->make.graph, number);
    }
    return node ? true : elaborate_fail_made(e, name->line, name->column);
}

static bool symbol_value(struct elaborate *e, const struct lex_token *name,
                         const struct symbol *symbol, struct value *value) {
    char shown[LEX_QUOTE_MAX];
    *value = symbol->value;
    if (symbol->kind == SYMBOL_TANGENT)
        return elaborate_fail(e, name,
                              "%s is a quantity of the tangent map: it is observed alone and not "
                              "part of an expression",
                              lex_show(name, shown));
    if (!e->number_for) return true;
    if (symbol->kind == SYMBOL_EXPRESSION) return expression_number(e, name, symbol, value);
    if (symbol->kind == SYMBOL_COORDINATE)
        return elaborate_fail(e, name, "the coordinate %s cannot be used in %s",
                              lex_show(name, shown), e->number_for);
    if (symbol->kind == SYMBOL_BRANCH)
        return elaborate_fail(e, name, "the charge of the branch %s cannot be used in %s",
                              lex_show(name, shown), e->number_for);
    if (symbol->kind == SYMBOL_VELOCITY)
        return elaborate_fail(e, name, "the velocity %s cannot be used in %s",
                              lex_show(name, shown), e->number_for);
    if (symbol->kind == SYMBOL_CONTROL)
        return elaborate_fail(e, name, "the control %s cannot be used in %s", lex_show(name, shown),
                              e->number_for);
    *value = symbol->companion;
    return true;
}

static bool same_name(const struct lex_token *a, const struct lex_token *b) {
    return a->length == b->length && memcmp(a->start, b->start, (size_t)a->length) == 0;
}

bool elaborate_name(struct elaborate *e, const struct lex_token *name, struct value *value) {
    for (const struct elaborate_index *index = e->index; index; index = index->outer)
        if (same_name(index->name, name)) {
            *value = value_scalar(index->node);
            return true;
        }
    const struct symbol *symbol = symbol_find(&e->names, name);
    if (symbol) return symbol_value(e, name, symbol, value);
    if (find_constant(name) >= 0) return constant(e, name, value);
    if (elaborate_is_tangent(name)) return elaborate_tangent_alone(e, name);
    return elaborate_fail_unknown(e, name, "name");
}

/* The statement that declares `name`, and its line. NULL if there is none. */
static const struct tree_statement *find_declaration(const struct elaborate *e,
                                                     const struct lex_token *name, int *line) {
    for (const struct tree_statement *s = e->statements; s; s = s->next)
        for (const struct tree_item *item = s->item; item; item = item->next)
            if (s->kind->declares && same_name(&item->name, name)) {
                *line = item->name.line;
                return s;
            }
    return NULL;
}

/* Fails if `name` is declared too late, or as something that is not allowed here. */
static bool check_declaration(struct elaborate *e, const struct lex_token *name) {
    char shown[LEX_QUOTE_MAX];
    int line = 0;
    const struct tree_statement *declaration = find_declaration(e, name, &line);
    lex_show(name, shown);
    if (!declaration) return true;
    if (e->number_for && declaration->kind->phase == STATEMENT_COORDINATES)
        return elaborate_fail(e, name, "the coordinate %s cannot be used in %s", shown,
                              e->number_for);
    if (e->number_for && declaration->kind->phase > STATEMENT_COORDINATES)
        return elaborate_fail(e, name, "%s is not a parameter and cannot be used in %s", shown,
                              e->number_for);
    return elaborate_fail(e, name, "%s is used before it is declared (at line %d)", shown, line);
}

static const char *nearest_name(struct elaborate *e, const struct lex_token *name,
                                bool of_function) {
    int count = 0, values = 0;
    while (value_functions[values].name) values++;
    const int max = e->names.count + CONSTANTS + graph_function_count + values + 1;
    const char **names = tree_take(&e->pool, (size_t)max * sizeof *names);
    if (!names) return NULL;
    for (int i = 0; i < e->names.count && !of_function; i++)
        names[count++] = e->names.symbol[i]->name;
    for (int i = 0; i < CONSTANTS && !of_function; i++) names[count++] = constants[i];
    for (int i = 0; i < graph_function_count; i++) names[count++] = graph_functions[i].name;
    for (int i = 0; i < values; i++) names[count++] = value_functions[i].name;
    names[count++] = "sum";
    return lex_nearest(name, count, names);
}

static bool is_moving(const struct symbol *symbol) {
    return symbol->kind == SYMBOL_COORDINATE || symbol->kind == SYMBOL_VELOCITY;
}

/* True if the name is that of a coordinate with the ending "_dot" or "dot", which is then advised
 * against. */
static bool fail_dotted(struct elaborate *e, const struct lex_token *name, const char *what) {
    static const char *const endings[] = {"_dot", "dot"};
    char shown[LEX_QUOTE_MAX];
    for (int i = 0; i < 2; i++) {
        const int length = name->length - (int)strlen(endings[i]);
        struct lex_token stem = *name;
        stem.length = length;
        if (length < 1 || strncmp(name->start + length, endings[i], strlen(endings[i])) != 0)
            continue;
        const struct symbol *symbol = symbol_find(&e->names, &stem);
        if (!symbol || !is_moving(symbol)) continue;
        elaborate_fail(e, name, "unknown %s %s; the velocity of %s is written %s'", what,
                       lex_show(name, shown), symbol->name, symbol->name);
        return true;
    }
    return false;
}

bool elaborate_fail_unknown(struct elaborate *e, const struct lex_token *name, const char *what) {
    char shown[LEX_QUOTE_MAX];
    const bool of_function = strcmp(what, "function") == 0;
    lex_show(name, shown);
    if (is_function(name))
        return elaborate_fail(e, name, "%s is a function: write its arguments in parentheses",
                              shown);
    const struct symbol *symbol = symbol_find(&e->names, name);
    if (of_function && (symbol || find_constant(name) >= 0))
        return elaborate_fail(e, name, "%s is not a function; write '*' to multiply", shown);
    if (!check_declaration(e, name) || fail_dotted(e, name, what)) return false;
    const char *nearest = nearest_name(e, name, of_function);
    if (nearest)
        return elaborate_fail(e, name, "unknown %s %s (did you mean '%s'?)", what, shown, nearest);
    return elaborate_fail(e, name, "unknown %s %s", what, shown);
}

/* Meaning of a constant, for messages. */
static const char *meaning(const struct lex_token *name) {
    static const char *const meanings[] = {"pi", ": it is the number 3.14159...",
                                           "t",  ": it is the time",
                                           "I",  ": it is the unit matrix of three rows",
                                           "e1", ": it is the vector [1, 0, 0]",
                                           "e2", ": it is the vector [0, 1, 0]",
                                           "e3", ": it is the vector [0, 0, 1]",
                                           "L",  ": it is the Lagrangian"};
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i += 2)
        if (lex_is(name, meanings[i])) return meanings[i + 1];
    return "";
}

struct symbol *elaborate_declare(struct elaborate *e, const struct lex_token *name) {
    char shown[LEX_QUOTE_MAX];
    const struct symbol *first = symbol_find(&e->names, name);
    lex_show(name, shown);
    if (elaborate_is_reserved(name)) {
        elaborate_fail(e, name, "%s has a fixed meaning and cannot be declared%s", shown,
                       meaning(name));
        return NULL;
    }
    if (first) {
        const bool in_order =
            name->line > first->line || (name->line == first->line && name->column > first->column);
        const struct lex_token before = {.line = first->line, .column = first->column};
        elaborate_fail(e, in_order ? name : &before, "%s is declared twice (first at line %d)",
                       shown, in_order ? first->line : name->line);
        return NULL;
    }
    struct symbol *symbol = symbol_add(&e->names, &e->keep, name);
    if (!symbol) elaborate_fail_memory(e);
    return symbol;
}

const struct symbol *elaborate_coordinate(struct elaborate *e, const struct lex_token *name) {
    char shown[LEX_QUOTE_MAX];
    const struct symbol *symbol = symbol_find(&e->names, name);
    if (symbol && is_moving(symbol)) return symbol;
    if (symbol || elaborate_is_reserved(name)) {
        elaborate_fail(e, name, "%s is not a coordinate", lex_show(name, shown));
        return NULL;
    }
    if (fail_dotted(e, name, "coordinate")) return NULL;
    const char **names = tree_take(&e->pool, (size_t)(e->names.count + 1) * sizeof *names);
    for (int i = 0; names && i < e->names.count; i++)
        if (is_moving(e->names.symbol[i])) names[i] = e->names.symbol[i]->name;
    const char *nearest = names ? lex_nearest(name, e->names.count, names) : NULL;
    lex_show(name, shown);
    if (nearest)
        elaborate_fail(e, name, "unknown coordinate %s (did you mean '%s'?)", shown, nearest);
    else
        elaborate_fail(e, name, "unknown coordinate %s", shown);
    return NULL;
}
