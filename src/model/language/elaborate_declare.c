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
static bool store_numbers(struct elaborate *e, const struct definition_parameter *parameter,
                          const struct value *value) {
    struct definition *model = e->model;
    const int count = value_count(value);
    real *number = elaborate_grow(model->number, model->nnumbers, count, sizeof *number);
    if (!number) return elaborate_fail_memory(e);
    model->number = number;
    for (int i = 0; i < count; i++) {
        const int index = definition_element(parameter, i);
        if (index < 0) continue;
        if (!elaborate_constant(e, value_at(value, i), &number[index])) return false;
        model->nnumbers++;
    }
    return true;
}

/* Makes the leaves of the last parameter. Its numbers are never constants of the graph, whatever
 * their values, because a run may set others. */
static bool parameter_leaves(struct elaborate *e, struct symbol *symbol) {
    const struct definition_parameter *parameter = &e->model->parameter[e->model->nparameters - 1];
    const struct value *numbers = &symbol->companion;
    struct value leaves;
    int *node = value_make(&e->make, &leaves, numbers->rank, numbers->rows, numbers->cols);
    for (int i = 0; node && i < value_count(numbers); i++) {
        const int index = definition_element(parameter, i);
        node[i] = index < 0 ? graph_number(e->make.graph, 0)
                            : graph_leaf(e->make.graph, GRAPH_PARAMETER, index);
    }
    if (!node) return elaborate_fail_made(e, symbol->line, symbol->column);
    return elaborate_keep(e, &leaves, &symbol->value);
}

/* True if the expression is a call diag(...) or a list of such calls. */
static bool is_diagonal(const struct tree *tree) {
    static const char diag[] = "diag";
    const struct tree *part = tree->kind == TREE_LIST ? tree->first : NULL;
    while (part && part->kind == TREE_CALL && is_diagonal(part)) part = part->next;
    if (tree->kind == TREE_LIST) return tree->first && !part;
    return tree->kind == TREE_CALL && tree->token.length == (int)sizeof diag - 1 &&
           memcmp(tree->token.start, diag, sizeof diag - 1) == 0;
}

static bool add_parameter(struct elaborate *e, const struct lex_token *name,
                          const struct tree *stated, const struct value *value) {
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
                                               .is_diagonal = is_diagonal(stated),
                                               .line = name->line,
                                               .column = name->column};
    if (!parameter->name) return false;
    model->nparameters++;
    return store_numbers(e, parameter, value);
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
    const struct tree *stated = set ? set->value : item->value;
    e->set_text = set ? set->text : NULL;
    if (!elaborate_numbers(e, stated, "a parameter", &value)) return false;
    e->set_text = NULL;
    struct symbol *symbol = elaborate_declare(e, &item->name);
    if (!symbol || !add_parameter(e, &item->name, stated, &value)) return false;
    symbol->kind = SYMBOL_PARAMETER;
    return elaborate_keep(e, &value, &symbol->companion) && parameter_leaves(e, symbol);
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
