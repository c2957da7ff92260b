/* Elaboration of expressions: from a syntax tree to a shaped value. */
/* SPDX-License-Identifier: MIT */
#include "model/language/elaborate.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool elaborate_fail(struct elaborate *e, const struct lex_token *token, const char *format, ...) {
    if (e->failed) return false;
    e->failed = true;
    char text[sizeof e->error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    status_set_at(e->error, token->line, token->column, "%s", text);
    return false;
}

bool elaborate_fail_memory(struct elaborate *e) {
    if (!e->failed) status_set(e->error, NOE_NO_MEMORY, "out of memory while reading the model");
    e->failed = true;
    return false;
}

bool elaborate_fail_made(struct elaborate *e, int line, int column) {
    if (e->make.graph->failed) return elaborate_fail_memory(e);
    const struct lex_token at = {.line = line, .column = column};
    return elaborate_fail(e, &at, "%s", e->make.message);
}

static bool fail_made_at(struct elaborate *e, const struct tree *tree) {
    return elaborate_fail_made(e, tree->token.line, tree->token.column);
}

bool elaborate_keep(struct elaborate *e, const struct value *value, struct value *kept) {
    *kept = *value;
    if (value->rank == 0) return true;
    const size_t bytes = (size_t)value_count(value) * sizeof *value->node;
    int *node = tree_take(&e->keep, bytes);
    if (!node) return elaborate_fail_memory(e);
    memcpy(node, value->node, bytes);
    kept->node = node;
    return true;
}

bool elaborate_constant(struct elaborate *e, int node, real *number) {
    const struct graph *graph = e->make.graph;
    if (graph->node[node].op == GRAPH_NUMBER) {
        *number = graph->node[node].value;
        return true;
    }
    if (e->scratch_room < graph->count) {
        real *larger = realloc(e->scratch, (size_t)graph->room * sizeof *larger);
        if (!larger) return elaborate_fail_memory(e);
        e->scratch = larger;
        e->scratch_room = graph->room;
    }
    *number = graph_value(graph, node, e->model->number, 0, NULL, NULL, e->scratch);
    return true;
}

bool elaborate_numbers(struct elaborate *e, const struct tree *tree, const char *number_for,
                       struct value *value) {
    const char *outer = e->number_for;
    e->number_for = number_for;
    const bool done = elaborate_value(e, tree, value);
    e->number_for = outer;
    if (!done) return false;
    return e->make.graph->failed ? elaborate_fail_memory(e) : true;
}

bool elaborate_number(struct elaborate *e, const struct tree *tree, const char *number_for,
                      real *number) {
    struct value value;
    char shape[VALUE_SHAPE_MAX];
    if (!elaborate_numbers(e, tree, number_for, &value)) return false;
    if (value.rank != 0)
        return elaborate_fail(e, &tree->token, "%s is one number, found %s", number_for,
                              value_shape(&value, shape));
    return elaborate_constant(e, value.scalar, number);
}

bool elaborate_integer(struct elaborate *e, const struct tree *tree, const char *number_for,
                       long min, long *number) {
    real value;
    if (!elaborate_number(e, tree, number_for, &value)) return false;
    if (value == noe_floor(value) && value >= min && value <= INT_MAX) {
        *number = (long)value;
        return true;
    }
    char shown[48];
    real_print_shortest(shown, sizeof shown, value);
    if (value != noe_floor(value))
        return elaborate_fail(e, &tree->token, "%s must be a whole number, found %s", number_for,
                              shown);
    if (value < min)
        return elaborate_fail(e, &tree->token, "%s must be at least %ld, found %s", number_for, min,
                              shown);
    return elaborate_fail(e, &tree->token, "%s is too large: %s", number_for, shown);
}

/* Velocity denoted by a prime. */
static bool velocity(struct elaborate *e, const struct tree *base, struct value *value) {
    char shown[LEX_QUOTE_MAX];
    if (base->kind != TREE_NAME)
        return elaborate_fail(e, &base->token, "only a coordinate has a velocity");
    const struct symbol *symbol = symbol_find(&e->names, &base->token);
    lex_show(&base->token, shown);
    if (!symbol) {
        struct value ignored;
        if (!elaborate_name(e, &base->token, &ignored)) return false;
    }
    if (symbol && symbol->kind == SYMBOL_VELOCITY)
        return elaborate_fail(e, &base->token, "%s is a velocity already: write it without a prime",
                              shown);
    const bool is_branch = symbol && symbol->kind == SYMBOL_BRANCH;
    if (!is_branch && (!symbol || symbol->kind != SYMBOL_COORDINATE))
        return elaborate_fail(e, &base->token, "%s is not a coordinate and has no velocity", shown);
    const char *own = is_branch ? NULL : e->model->coordinate[symbol->coordinate].velocity;
    if (own)
        return elaborate_fail(e, &base->token, "%s has no prime: its velocity is '%s'", shown, own);
    if (e->number_for)
        return elaborate_fail(e, &base->token, "the velocity of %s cannot be used in %s", shown,
                              e->number_for);
    *value = symbol->companion;
    return true;
}

static bool part(struct elaborate *e, const struct tree *tree, struct value *value) {
    const struct tree *base = tree->first;
    if (!(tree->primes ? velocity(e, base, value) : elaborate_value(e, base, value))) return false;
    for (const struct tree *at = base->next; at; at = at->next) {
        long index;
        const struct value whole = *value;
        if (!elaborate_integer(e, at, "an index", INT_MIN, &index)) return false;
        if (!value_part(&e->make, value, &whole, (int)index)) return fail_made_at(e, at);
    }
    return true;
}

static bool chain(struct elaborate *e, const struct tree *tree, struct value *value) {
    if (!elaborate_value(e, tree->first, value)) return false;
    for (const struct tree *operand = tree->first->next; operand; operand = operand->next) {
        const struct value left = *value;
        struct value right;
        if (!elaborate_value(e, operand, &right)) return false;
        if (!value_join(&e->make, operand->op, value, &left, &right))
            return elaborate_fail_made(e, operand->op_line, operand->op_column);
    }
    return true;
}

static bool power(struct elaborate *e, const struct tree *tree, struct value *value) {
    struct value base, exponent;
    char shape[VALUE_SHAPE_MAX];
    const struct tree *above = tree->first->next;
    if (!elaborate_value(e, tree->first, &base) || !elaborate_value(e, above, &exponent))
        return false;
    if (base.rank || exponent.rank)
        return elaborate_fail(e, &tree->token, "'^' needs scalars, found %s",
                              value_shape(base.rank ? &base : &exponent, shape));
    struct graph *graph = e->make.graph;
    if (graph->failed) return elaborate_fail_memory(e);
    *value = value_scalar(graph_pow(graph, base.scalar, exponent.scalar));
    return value_check(&e->make, value->scalar, "'^'") ? true : fail_made_at(e, tree);
}

struct value *elaborate_children(struct elaborate *e, const struct tree *tree, int *count) {
    *count = 0;
    for (const struct tree *child = tree->first; child; child = child->next) ++*count;
    struct value *value = tree_take(&e->pool, (size_t)*count * sizeof *value);
    if (!value) {
        elaborate_fail_memory(e);
        return NULL;
    }
    int i = 0;
    for (const struct tree *child = tree->first; child; child = child->next)
        if (!elaborate_value(e, child, &value[i++])) return NULL;
    return value;
}

static bool list(struct elaborate *e, const struct tree *tree, struct value *value) {
    int count;
    const struct value *parts = elaborate_children(e, tree, &count);
    if (!parts) return false;
    return value_list(&e->make, value, count, parts) ? true : fail_made_at(e, tree);
}

/* Applies an elementary function to scalars. Associative functions of two scalars accept more
 * arguments. */
static bool elementary(struct elaborate *e, const struct tree *tree, int f, int count,
                       const struct value *argument, struct value *value) {
    struct graph *graph = e->make.graph;
    const struct graph_function *function = &graph_functions[f];
    char shape[VALUE_SHAPE_MAX];
    if (count != function->arity && !(function->associates && count > 2))
        return elaborate_fail(e, &tree->token, "%s takes %d argument%s, found %d", function->name,
                              function->arity, function->arity > 1 ? "s" : "", count);
    const struct tree *at = tree->first;
    for (int i = 0; i < count; i++, at = at->next)
        if (argument[i].rank)
            return elaborate_fail(e, &at->token, "%s needs a scalar, found %s", function->name,
                                  value_shape(&argument[i], shape));
    if (graph->failed) return elaborate_fail_memory(e);
    int node = argument[0].scalar;
    if (count == 1) node = graph_call(graph, f, node, -1);
    for (int i = 1; i < count; i++) node = graph_call(graph, f, node, argument[i].scalar);
    *value = value_scalar(node);
    return value_check(&e->make, node, function->name) ? true : fail_made_at(e, tree);
}

static bool call(struct elaborate *e, const struct tree *tree, struct value *value) {
    char name[32] = "";
    int count;
    if ((size_t)tree->token.length < sizeof name)
        memcpy(name, tree->token.start, (size_t)tree->token.length);
    const struct value_function *function = value_function_find(name);
    const int f = graph_function_find(name);
    if (!function && f < 0) {
        bool is_one = false;
        bool done = elaborate_multipliers(e, tree, &is_one, value);
        if (!is_one) done = elaborate_joint(e, tree, &is_one, value);
        if (is_one) return done;
        return elaborate_is_tangent(&tree->token)
                   ? elaborate_tangent_alone(e, &tree->token)
                   : elaborate_fail_unknown(e, &tree->token, "function");
    }
    const struct value *argument = elaborate_children(e, tree, &count);
    if (!argument) return false;
    if (!function) return elementary(e, tree, f, count, argument, value);
    if (count < function->min || count > function->max)
        return elaborate_fail(e, &tree->token, "%s takes %d argument%s, found %d", function->name,
                              function->min, function->min > 1 ? "s" : "", count);
    if (e->make.graph->failed) return elaborate_fail_memory(e);
    return function->apply(&e->make, value, count, argument) ? true : fail_made_at(e, tree);
}

static bool evaluate(struct elaborate *e, const struct tree *tree, struct value *value) {
    switch (tree->kind) {
    case TREE_NUMBER: *value = value_number(&e->make, tree->token.number); return true;
    case TREE_NAME: return elaborate_name(e, &tree->token, value);
    case TREE_PART: return part(e, tree, value);
    case TREE_CHAIN: return chain(e, tree, value);
    case TREE_POWER: return power(e, tree, value);
    case TREE_CALL: return call(e, tree, value);
    case TREE_LIST: return list(e, tree, value);
    case TREE_SUM: return elaborate_sum(e, tree, value);
    default: break;
    }
    struct value positive;
    if (!elaborate_value(e, tree->first, &positive)) return false;
    return value_minus(&e->make, value, &positive) ? true : fail_made_at(e, tree);
}

bool elaborate_value(struct elaborate *e, const struct tree *tree, struct value *value) {
    if (!value_spend(&e->make, 1)) return fail_made_at(e, tree);
    if (!evaluate(e, tree, value)) return false;
    return e->make.graph->failed ? elaborate_fail_memory(e) : true;
}
