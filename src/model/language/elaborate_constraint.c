/* Elaboration of constraint and nonholonomic statements. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/language/elaborate.h"

/* --- Positions of errors within an equation. */

static bool uses(struct elaborate *e, const struct tree *tree, unsigned what) {
    struct value value;
    if (!elaborate_value(e, tree, &value)) return false;
    unsigned all = 0;
    for (int i = 0; i < value_count(&value); i++)
        all |= graph_depends(e->make.graph, value_at(&value, i));
    return (all & what) != 0;
}

/* Innermost subexpression that depends on `what`. The search stops at sums, because their body
 * depends on bound indices. */
static const struct tree *find_user(struct elaborate *e, const struct tree *tree, unsigned what) {
    const struct tree *found = tree;
    while (found->kind != TREE_PART && found->kind != TREE_SUM) {
        const struct tree *child = found->first;
        while (child && !uses(e, child, what)) child = child->next;
        if (!child) break;
        found = child;
    }
    return found;
}

/* Token of the first velocity in an equation that has one. */
static const struct lex_token *find_velocity(struct elaborate *e,
                                             const struct tree_statement *statement) {
    const struct tree *left = statement->item->value, *right = statement->item->next->value;
    const bool on_left = uses(e, left, GRAPH_ON_VELOCITY);
    return &find_user(e, on_left ? left : right, GRAPH_ON_VELOCITY)->token;
}

/* --- Rows. */

static bool is_zero(const struct elaborate *e, const struct value *value) {
    return value->rank == 0 && graph_is_number(e->make.graph, value->scalar, 0);
}

/* Left side minus right side. Either side may be 0 for any shape of the other. */
static bool find_difference(struct elaborate *e, const struct tree_statement *statement,
                            struct value *difference) {
    const struct tree *left = statement->item->value, *right = statement->item->next->value;
    char one[VALUE_SHAPE_MAX], other[VALUE_SHAPE_MAX];
    struct value a, b;
    if (!elaborate_value(e, left, &a) || !elaborate_value(e, right, &b)) return false;
    if (is_zero(e, &b)) {
        *difference = a;
        return true;
    }
    if (!is_zero(e, &a) && !value_same_shape(&a, &b))
        return elaborate_fail(
            e, &right->token,
            "the sides of a constraint must have the same shape, found a %s and a %s",
            value_shape(&a, one), value_shape(&b, other));
    const bool is_done = is_zero(e, &a) ? value_minus(&e->make, difference, &b)
                                        : value_join(&e->make, '-', difference, &a, &b);
    return is_done ? true : elaborate_fail_made(e, statement->word.line, statement->word.column);
}

/* Writes "this constraint" or "component 2 of this constraint". */
static const char *name_row(const struct noe_constraint *row, size_t size, char *text) {
    if (row->component > 0)
        snprintf(text, size, "component %d of this constraint", row->component);
    else
        snprintf(text, size, "this constraint");
    return text;
}

/* Fails for an equation without unknowns. */
static bool fail_constant(struct elaborate *e, const struct tree_statement *statement,
                          const struct noe_constraint *row, int node) {
    char name[64], shown[48];
    real value;
    name_row(row, sizeof name, name);
    if (graph_depends(e->make.graph, node) & GRAPH_ON_TIME)
        return elaborate_fail(e, &statement->word, "%s has no unknown: it uses time alone", name);
    if (!elaborate_constant(e, node, &value)) return false;
    real_print_shortest(shown, sizeof shown, value);
    if (value == 0)
        return elaborate_fail(e, &statement->word, "%s has no unknown: it always holds", name);
    return elaborate_fail(e, &statement->word,
                          "%s is a contradiction: it has no unknown and its sides differ by %s",
                          name, shown);
}

static bool check_row(struct elaborate *e, const struct tree_statement *statement,
                      const struct noe_constraint *row, int node) {
    char name[64];
    const unsigned on = graph_depends(e->make.graph, node);
    if (!(on & (GRAPH_ON_POINT | GRAPH_ON_VELOCITY))) return fail_constant(e, statement, row, node);
    if (row->is_holonomic && (on & GRAPH_ON_VELOCITY))
        return elaborate_fail(e, find_velocity(e, statement),
                              "a velocity in a holonomic constraint: state it as 'nonholonomic'");
    if (!row->is_holonomic && !(on & GRAPH_ON_VELOCITY))
        return elaborate_fail(e, &statement->word,
                              "%s has no velocity: state it as 'constraint', not as "
                              "'nonholonomic'",
                              name_row(row, sizeof name, name));
    return true;
}

static const char *keep_equation(struct elaborate *e, const struct lex_token *word) {
    struct definition *model = e->model;
    char **equation = elaborate_grow(model->equation, model->nequations, 1, sizeof *equation);
    if (equation) model->equation = equation;
    char *text = equation ? elaborate_equation_text(word) : NULL;
    if (text)
        equation[model->nequations++] = text;
    else
        elaborate_fail_memory(e);
    return text;
}

/* Allocates `count` more rows. */
static bool make_room(struct elaborate *e, int count) {
    struct definition *model = e->model;
    const int before = definition_constraints(model);
    struct noe_constraint *row = elaborate_grow(model->constraint, before, count, sizeof *row);
    if (row) model->constraint = row;
    int *residual = elaborate_grow(model->residual, before, count, sizeof *residual);
    if (residual) model->residual = residual;
    return row && residual ? true : elaborate_fail_memory(e);
}

/* A statement and the number of its rows so far. */
struct stated {
    const struct tree_statement *statement;
    const char *text;
    bool is_holonomic, is_repeated;
    int count;
};

/* Adds the rows of one equation: of the statement, or for one value of its indices. */
static bool add_rows(struct elaborate *e, void *data) {
    struct definition *model = e->model;
    struct stated *stated = data;
    const struct lex_token *word = &stated->statement->word;
    struct value difference;
    if (!find_difference(e, stated->statement, &difference)) return false;
    const int count = value_count(&difference);
    if (!make_room(e, count)) return false;
    for (int i = 0; i < count; i++) {
        const int node = value_at(&difference, i);
        const bool is_alone = difference.rank == 0 && !stated->is_repeated;
        const struct noe_constraint row = {.text = stated->text,
                                           .line = word->line,
                                           .column = word->column,
                                           .component = is_alone ? 0 : ++stated->count,
                                           .is_holonomic = stated->is_holonomic};
        if (!check_row(e, stated->statement, &row, node)) return false;
        model->residual[definition_constraints(model)] = node;
        model->constraint[definition_constraints(model)] = row;
        *(row.is_holonomic ? &model->nholonomic : &model->nnonholonomic) += 1;
    }
    return true;
}

static bool add_statement(struct elaborate *e, const struct tree_statement *statement,
                          bool is_holonomic) {
    const struct tree_item *ranges = statement->item->next->next;
    struct stated stated = {.statement = statement,
                            .text = keep_equation(e, &statement->word),
                            .is_holonomic = is_holonomic,
                            .is_repeated = ranges != NULL};
    return stated.text && elaborate_each(e, ranges ? ranges->value : NULL, add_rows, &stated);
}

bool elaborate_constraint(struct elaborate *e, const struct tree_statement *statement) {
    return add_statement(e, statement, true);
}

bool elaborate_nonholonomic(struct elaborate *e, const struct tree_statement *statement) {
    return add_statement(e, statement, false);
}

bool elaborate_constraints_end(struct elaborate *e) {
    struct definition *model = e->model;
    const size_t n = (size_t)model->n, count = (size_t)definition_constraints(model);
    int holonomic = 0, nonholonomic = model->nholonomic;
    if (count == 0) return true;
    for (size_t i = 0; i < count; i++) {
        struct noe_constraint *row = &model->constraint[i];
        row->row = row->is_holonomic ? holonomic++ : nonholonomic++;
    }
    real *v = realloc(model->v, (n + count + 1) * sizeof *v);
    if (!v) return elaborate_fail_memory(e);
    memset(v + n, 0, (count + 1) * sizeof *v);
    model->v = v;
    return true;
}
