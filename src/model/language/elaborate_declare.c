/* Elaboration of declarations: model, param, let. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "model/language/elaborate.h"

char *elaborate_copy(struct elaborate *e, const struct lex_token *name) {
    char *text = strndup(name->start, (size_t)name->length);
    if (!text) elaborate_fail_memory(e);
    return text;
}

void *elaborate_grow(void *list, int count, int more, size_t size) {
    size_t room = 1, wanted = (size_t)count + (size_t)more;
    while (room < wanted) room *= 2;
    if (list && count > 0 && (size_t)count > room / 2) return list;
    return realloc(list, room * size);
}

bool elaborate_title(struct elaborate *e, const struct tree_statement *statement) {
    e->model->title = elaborate_copy(e, &statement->word);
    return e->model->title != NULL;
}

/* Appends the values of a parameter to those of the model. */
static bool store_numbers(struct elaborate *e, const struct value *value) {
    struct definition *model = e->model;
    const int count = value_count(value);
    real *number = elaborate_grow(model->number, model->nnumbers, count, sizeof *number);
    if (!number) return elaborate_fail_memory(e);
    model->number = number;
    for (int i = 0; i < count; i++)
        if (!elaborate_constant(e, value_at(value, i), &number[model->nnumbers + i])) return false;
    model->nnumbers += count;
    return true;
}

static bool same_word(const struct lex_token *a, const struct lex_token *b) {
    return a->length == b->length && memcmp(a->start, b->start, (size_t)a->length) == 0;
}

/* True if 'vary' or 'random' names it. */
static bool is_varied(const struct elaborate *e, const struct lex_token *name) {
    for (const struct tree_statement *s = e->statements; s; s = s->next) {
        const char *keyword = s->kind->keyword;
        if (strcmp(keyword, "vary") != 0 && strcmp(keyword, "random") != 0) continue;
        for (const struct tree_item *item = s->item; item; item = item->next)
            if (item->target && item->target->kind == TREE_NAME &&
                same_word(&item->target->token, name))
                return true;
    }
    return false;
}

/* True if an expression mentions a parameter that varies between members. */
static bool mentions_varied(const struct elaborate *e, const struct tree *tree) {
    for (const struct tree *at = tree->first; at; at = at->next)
        if (mentions_varied(e, at)) return true;
    const struct symbol *symbol =
        tree->kind == TREE_NAME ? symbol_find(&e->names, &tree->token) : NULL;
    return symbol && symbol->varies;
}

/* Makes the leaves of a parameter. Values 0 and 1 become constants, so that expressions simplify,
 * unless the parameter varies between members. */
static bool parameter_leaves(struct elaborate *e, struct symbol *symbol, int first) {
    const struct value *numbers = &symbol->companion;
    struct value leaves;
    int *node = value_make(&e->make, &leaves, numbers->rank, numbers->rows, numbers->cols);
    for (int i = 0; node && i < value_count(numbers); i++) {
        const real number = e->model->number[first + i];
        node[i] = (number == 0 || number == 1) && !symbol->varies
                      ? graph_number(e->make.graph, number)
                      : graph_leaf(e->make.graph, GRAPH_PARAMETER, first + i);
    }
    if (!node) return elaborate_fail_made(e, symbol->line, symbol->column);
    return elaborate_keep(e, &leaves, &symbol->value);
}

static bool add_parameter(struct elaborate *e, const struct lex_token *name,
                          const struct value *value) {
    struct definition *model = e->model;
    struct definition_parameter *parameter =
        elaborate_grow(model->parameter, model->nparameters, 1, sizeof *parameter);
    if (!parameter) return elaborate_fail_memory(e);
    model->parameter = parameter;
    parameter += model->nparameters;
    *parameter = (struct definition_parameter){.name = elaborate_copy(e, name),
                                               .rank = value->rank,
                                               .rows = value->rows,
                                               .cols = value->cols,
                                               .first = model->nnumbers,
                                               .line = name->line,
                                               .column = name->column};
    if (!parameter->name) return false;
    model->nparameters++;
    return store_numbers(e, value);
}

const struct elaborate_set *elaborate_find_set(const struct elaborate *e,
                                               const struct lex_token *name) {
    for (int i = e->nsets - 1; i >= 0; i--) {
        const struct lex_token *other = &e->set[i].name;
        if (other->length == name->length &&
            memcmp(other->start, name->start, (size_t)name->length) == 0)
            return &e->set[i];
    }
    return NULL;
}

static bool declare_parameter(struct elaborate *e, const struct tree_item *item) {
    struct value value;
    const struct elaborate_set *set = elaborate_find_set(e, &item->name);
    e->set_text = set ? set->text : NULL;
    if (!elaborate_numbers(e, set ? set->value : item->value, "a parameter", &value)) return false;
    e->set_text = NULL;
    const int first = e->model->nnumbers;
    struct symbol *symbol = elaborate_declare(e, &item->name);
    if (!symbol || !add_parameter(e, &item->name, &value)) return false;
    symbol->kind = SYMBOL_PARAMETER;
    symbol->varies =
        is_varied(e, &item->name) || mentions_varied(e, set ? set->value : item->value);
    return elaborate_keep(e, &value, &symbol->companion) && parameter_leaves(e, symbol, first);
}

bool elaborate_parameters(struct elaborate *e, const struct tree_statement *statement) {
    for (const struct tree_item *item = statement->item; item; item = item->next)
        if (!declare_parameter(e, item)) return false;
    return true;
}

bool elaborate_let(struct elaborate *e, const struct tree_statement *statement) {
    for (const struct tree_item *item = statement->item; item; item = item->next) {
        struct value value;
        if (!elaborate_value(e, item->value, &value)) return false;
        struct symbol *symbol = elaborate_declare(e, &item->name);
        if (!symbol || !elaborate_keep(e, &value, &symbol->value)) return false;
        symbol->kind = SYMBOL_EXPRESSION;
    }
    return true;
}
