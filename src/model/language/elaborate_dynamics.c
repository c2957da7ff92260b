/* Elaboration of the dynamics: L, force, noise, observe, invariant. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/random_stream.h"
#include "model/language/elaborate.h"

static bool fail_at_rest(struct elaborate *e, const struct lex_token *token) {
    static const struct noe_coordinate none = {.name = "q"};
    const struct noe_coordinate *first = e->model->ncoordinates ? e->model->coordinate : &none;
    return elaborate_fail(e, token, "a Lagrangian that uses no velocity: L must depend on %s%s",
                          first->velocity ? first->velocity : first->name,
                          first->velocity ? "" : "'");
}

bool elaborate_lagrangian(struct elaborate *e, const struct tree_statement *statement) {
    struct value value;
    char shape[VALUE_SHAPE_MAX];
    const struct tree *tree = statement->item->value;
    if (!elaborate_value(e, tree, &value)) return false;
    if (value.rank != 0)
        return elaborate_fail(e, &tree->token, "L must be a scalar, found %s",
                              value_shape(&value, shape));
    if (!(graph_depends(e->make.graph, value.scalar) & GRAPH_ON_VELOCITY))
        return fail_at_rest(e, &statement->keyword);
    e->model->lagrangian = value.scalar;
    e->has_lagrangian = true;
    return true;
}

static bool make_forces(struct elaborate *e) {
    if (e->model->force) return true;
    const size_t n = (size_t)e->model->n;
    e->model->force = calloc(n + 1, sizeof *e->model->force); /* node 0 is the constant 0 */
    return e->model->force ? true : elaborate_fail_memory(e);
}

bool elaborate_add_force(struct elaborate *e, int i, int node) {
    if (!make_forces(e)) return false;
    e->model->force[i] = graph_add(e->make.graph, e->model->force[i], node);
    return true;
}

bool elaborate_force(struct elaborate *e, const struct tree_statement *statement) {
    for (const struct tree_item *item = statement->item; item; item = item->next) {
        struct elaborate_target target;
        struct value value;
        if (!elaborate_force_target(e, item->target, &target)) return false;
        if (!elaborate_value(e, item->value, &value)) return false;
        if (!elaborate_target_check(e, item, &target, &value)) return false;
        if (elaborate_uses_multipliers(e, &value))
            return elaborate_fail(
                e, &item->value->token,
                "a force cannot use multipliers of constraints: they depend on the forces");
        for (int i = 0; i < value_count(&value); i++) {
            const int at = elaborate_target_at(&target, i);
            if (!elaborate_add_force(e, at, value_at(&value, i))) return false;
        }
    }
    return true;
}

/* Adds a Brownian motion with zero coefficients. NULL on failure. */
static struct definition_noise *add_noise(struct elaborate *e, const struct lex_token *name) {
    struct definition *model = e->model;
    char shown[LEX_QUOTE_MAX];
    for (int i = 0; i < model->nnoises; i++)
        if (lex_is(name, model->noise[i].name)) {
            elaborate_fail(e, name,
                           "there are two noises %s: state all targets of one Brownian motion in "
                           "one statement",
                           lex_show(name, shown));
            return NULL;
        }
    struct definition_noise *noise = elaborate_grow(model->noise, model->nnoises, 1, sizeof *noise);
    if (!noise) {
        elaborate_fail_memory(e);
        return NULL;
    }
    model->noise = noise;
    noise += model->nnoises++;
    noise->name = elaborate_copy(e, name);
    noise->node = calloc((size_t)model->n + 1, sizeof *noise->node); /* node 0 is the constant 0 */
    if (!noise->node) elaborate_fail_memory(e);
    return noise->name && noise->node ? noise : NULL;
}

static bool add_kick(struct elaborate *e, const struct tree_item *item,
                     struct definition_noise *noise) {
    struct elaborate_target target;
    struct value value;
    struct graph *graph = e->make.graph;
    if (!elaborate_force_target(e, item->target, &target)) return false;
    if (!elaborate_value(e, item->value, &value)) return false;
    if (!elaborate_target_check(e, item, &target, &value)) return false;
    for (int i = 0; i < value_count(&value); i++) {
        const int at = elaborate_target_at(&target, i), node = value_at(&value, i);
        if (graph_depends(graph, node) & GRAPH_ON_VELOCITY)
            return elaborate_fail(e, &item->value->token,
                                  "a noise may depend on time, coordinates and parameters, not on "
                                  "velocities");
        noise->node[at] = graph_add(graph, noise->node[at], node);
    }
    return true;
}

bool elaborate_noise(struct elaborate *e, const struct tree_statement *statement) {
    if (!stream_exists())
        return elaborate_fail(e, &statement->keyword,
                              "noise needs Random123, which this build lacks: install "
                              "librandom123-dev and build again");
    struct definition_noise *noise = add_noise(e, &statement->word);
    if (!noise) return false;
    for (const struct tree_item *item = statement->item; item; item = item->next)
        if (!add_kick(e, item, noise)) return false;
    return true;
}

static bool add_quantity(struct elaborate *e, const struct tree_item *item,
                         enum noe_quantity_kind kind) {
    struct definition *model = e->model;
    struct definition_quantity stated = {.kind = kind};
    struct value value;
    if (kind == NOE_OBSERVE && !elaborate_tangent(e, item->value, &stated, &value)) return false;
    e->allows_multipliers = true;
    const bool is_valid = stated.tangent || elaborate_value(e, item->value, &value);
    e->allows_multipliers = false;
    if (!is_valid) return false;
    if (value.rank == 3)
        return elaborate_fail(e, &item->value->token,
                              "a list of matrices must be recorded one by one");
    struct symbol *symbol = elaborate_declare(e, &item->name);
    if (!symbol || !elaborate_keep(e, &value, &symbol->value)) return false;
    symbol->kind = stated.tangent ? SYMBOL_TANGENT : SYMBOL_EXPRESSION;
    const size_t count = (size_t)model->nquantities + 1;
    struct definition_quantity *quantity = realloc(model->quantity, count * sizeof *quantity);
    if (!quantity) return elaborate_fail_memory(e);
    model->quantity = quantity;
    quantity += model->nquantities;
    stated.rank = value.rank;
    stated.rows = value.rows;
    stated.cols = value.cols;
    *quantity = stated;
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
