/* Statements of the mechanics: L, force, start, observe, invariant. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "model/elaborate.h"

bool elaborate_lagrangian(struct elaborate *e, const struct tree_statement *statement) {
    struct value value;
    char shape[VALUE_SHAPE_MAX];
    const struct tree *tree = statement->item->value;
    if (!elaborate_value(e, tree, &value)) return false;
    if (value.rank != 0)
        return elaborate_fail(e, &tree->token, "L must be a scalar, found %s",
                              value_shape(&value, shape));
    if (!(graph_depends(e->make.graph, value.scalar) & GRAPH_ON_VELOCITY))
        return elaborate_fail(e, &statement->keyword,
                              "a Lagrangian that uses no velocity: L must depend on %s'",
                              e->model->ncoordinates ? e->model->coordinate[0].name : "q");
    e->model->lagrangian = value.scalar;
    e->has_lagrangian = true;
    return true;
}

/* A target such as y[2]' as places in q or v: its shape, first number and whether it is in v. */
struct target {
    struct value shape;
    int first;
    bool is_velocity;
    char name[64]; /* for messages */
};

static bool read_target(struct elaborate *e, const struct tree *tree, struct target *target) {
    const struct tree *base = tree->kind == TREE_PART ? tree->first : tree;
    const struct symbol *symbol = elaborate_coordinate(e, &base->token);
    if (!symbol) return false;
    lex_show(&base->token, target->name);
    target->is_velocity = tree->kind == TREE_PART && tree->primes;
    target->shape = symbol->value;
    target->first = e->model->coordinate[symbol->coordinate].first;
    for (const struct tree *at = tree->kind == TREE_PART ? base->next : NULL; at; at = at->next) {
        long index;
        const struct value whole = target->shape;
        if (!elaborate_integer(e, at, "an index", -1000000000, &index)) return false;
        if (!value_part(&e->make, &target->shape, &whole, (int)index))
            return elaborate_fail_made(e, at->token.line, at->token.column);
        target->first += (int)(index - 1) * whole.cols;
    }
    return true;
}

static bool check_target(struct elaborate *e, const struct tree_item *item,
                         const struct target *target, const struct value *value) {
    char wanted[VALUE_SHAPE_MAX], found[VALUE_SHAPE_MAX];
    const bool is_part = item->target->kind == TREE_PART && item->target->first->next;
    if (value->is_nothing || value_same_shape(&target->shape, value)) return true;
    return elaborate_fail(e, &item->value->token, "%s%s%s needs a %s, found a %s",
                          is_part ? "this part of " : "",
                          target->is_velocity ? "the velocity of " : "", target->name,
                          value_shape(&target->shape, wanted), value_shape(value, found));
}

static bool make_forces(struct elaborate *e) {
    if (e->model->force) return true;
    const size_t n = (size_t)e->model->n;
    e->model->force = calloc(n + 1, sizeof *e->model->force); /* node 0 is the number 0 */
    return e->model->force ? true : elaborate_fail_memory(e);
}

bool elaborate_force(struct elaborate *e, const struct tree_statement *statement) {
    for (const struct tree_item *item = statement->item; item; item = item->next) {
        struct target target;
        struct value value;
        if (!read_target(e, item->target, &target)) return false;
        if (target.is_velocity)
            return elaborate_fail(e, &item->target->token,
                                  "a force acts on a coordinate, not on a velocity: write %s "
                                  "without the prime",
                                  target.name);
        if (!elaborate_value(e, item->value, &value)) return false;
        if (!check_target(e, item, &target, &value) || !make_forces(e)) return false;
        for (int i = 0; i < value_count(&value); i++) {
            int *force = &e->model->force[target.first + i];
            *force = graph_add(e->make.graph, *force, value_at(&value, i));
        }
    }
    return true;
}

static bool start_number(struct elaborate *e, const struct tree_item *item,
                         const struct target *target, int i, int node) {
    bool *is_set = target->is_velocity ? e->v_is_set : e->q_is_set;
    real *number = target->is_velocity ? e->model->v : e->model->q;
    const int at = target->first + i;
    if (is_set[at])
        return elaborate_fail(e, &item->target->token, "the start value of %s%s is given twice",
                              target->name, target->is_velocity ? " (velocity)" : "");
    is_set[at] = true;
    return elaborate_constant(e, node, &number[at]);
}

bool elaborate_start(struct elaborate *e, const struct tree_statement *statement) {
    for (const struct tree_item *item = statement->item; item; item = item->next) {
        struct target target;
        struct value value;
        if (!read_target(e, item->target, &target)) return false;
        if (!elaborate_numbers(e, item->value, "a start value", &value)) return false;
        if (!check_target(e, item, &target, &value)) return false;
        for (int i = 0; i < value_count(&target.shape); i++) {
            const int node = value_at(&value, value.is_nothing ? 0 : i);
            if (!start_number(e, item, &target, i, node)) return false;
        }
    }
    return true;
}

static bool add_quantity(struct elaborate *e, const struct tree_item *item,
                         enum noe_quantity_kind kind) {
    struct source_model *model = e->model;
    struct value value;
    if (!elaborate_value(e, item->value, &value)) return false;
    struct symbol *symbol = elaborate_declare(e, &item->name);
    if (!symbol || !elaborate_keep(e, &value, &symbol->value)) return false;
    symbol->kind = SYMBOL_EXPRESSION;
    const size_t count = (size_t)model->nquantities + 1;
    struct source_quantity *quantity = realloc(model->quantity, count * sizeof *quantity);
    if (!quantity) return elaborate_fail_memory(e);
    model->quantity = quantity;
    quantity += model->nquantities;
    *quantity = (struct source_quantity){
        .kind = kind, .rank = value.rank, .rows = value.rows, .cols = value.cols};
    model->nquantities++;
    quantity->name = strdup(symbol->name);
    quantity->node = malloc((size_t)value_count(&value) * sizeof *quantity->node);
    if (!quantity->name || !quantity->node) return elaborate_fail_memory(e);
    for (int i = 0; i < value_count(&value); i++) quantity->node[i] = value_at(&value, i);
    return true;
}

bool elaborate_observe(struct elaborate *e, const struct tree_statement *statement) {
    for (const struct tree_item *item = statement->item; item; item = item->next)
        if (!add_quantity(e, item, NOE_OBSERVE)) return false;
    return true;
}

bool elaborate_invariant(struct elaborate *e, const struct tree_statement *statement) {
    for (const struct tree_item *item = statement->item; item; item = item->next)
        if (!add_quantity(e, item, NOE_INVARIANT)) return false;
    return true;
}
