/* Resolution of the targets of start values and forces: y[2]', R, W[3]. */
/* SPDX-License-Identifier: MIT */
#include "model/language/elaborate.h"

/* Replaces a layout by that of its part number `index`. */
static void take_part(struct noe_array_layout *place, int index) {
    const int first = place->first + (index - 1) * place->stride;
    if (place->rank == 3)
        *place = (struct noe_array_layout){2, 3, 3, first, 3};
    else if (place->rank == 2)
        *place = (struct noe_array_layout){1, place->cols, 1, first, 1};
    else
        *place = (struct noe_array_layout){0, 1, 1, first, 1};
}

static const struct tree *base_of(const struct tree *tree) {
    return tree->kind == TREE_PART ? tree->first : tree;
}

static bool take_parts(struct elaborate *e, const struct tree *tree,
                       struct elaborate_target *target) {
    struct noe_array_layout *place = &target->place;
    const bool is_point = !target->is_velocity && target->coordinate->velocity;
    if (target->part > 0) take_part(place, target->part);
    if (tree->kind != TREE_PART) return true;
    for (const struct tree *at = base_of(tree)->next; at; at = at->next) {
        long index;
        if (is_point && place->rank == 2 && place->rows == place->cols &&
            place->stride == place->cols)
            return elaborate_fail(e, &at->token,
                                  "a rotation or a group starts as a whole matrix, not in parts");
        if (!elaborate_integer(e, at, "an index", -1000000000, &index)) return false;
        if (!value_has_part(&e->make, place->rank, place->rows, (int)index))
            return elaborate_fail_made(e, at->token.line, at->token.column);
        take_part(place, (int)index);
    }
    return true;
}

/* Finds the coordinate, and whether its velocity is meant. */
static bool read_base(struct elaborate *e, const struct tree *tree,
                      struct elaborate_target *target) {
    const struct tree *base = base_of(tree);
    const struct symbol *symbol = elaborate_coordinate(e, &base->token);
    const bool has_prime = tree->kind == TREE_PART && tree->primes;
    if (!symbol) return false;
    lex_show(&base->token, target->name);
    target->coordinate = &e->model->coordinate[symbol->coordinate];
    target->part = symbol->part;
    target->is_velocity = symbol->kind == SYMBOL_VELOCITY || has_prime;
    if (!has_prime) return true;
    if (symbol->kind == SYMBOL_VELOCITY)
        return elaborate_fail(e, &base->token, "%s is a velocity already: write it without a prime",
                              target->name);
    if (!target->coordinate->velocity) return true;
    return elaborate_fail(e, &base->token, "%s has no prime: its velocity is '%s'", target->name,
                          target->coordinate->velocity);
}

bool elaborate_start_target(struct elaborate *e, const struct tree *tree,
                            struct elaborate_target *target) {
    if (!read_base(e, tree, target)) return false;
    target->place = target->is_velocity ? target->coordinate->tangent : target->coordinate->point;
    return take_parts(e, tree, target);
}

bool elaborate_force_target(struct elaborate *e, const struct tree *tree,
                            struct elaborate_target *target) {
    if (!read_base(e, tree, target)) return false;
    if (target->is_velocity && target->coordinate->velocity)
        return elaborate_fail(e, &tree->token,
                              "a force acts on a coordinate, not on a velocity: write '%s'",
                              target->coordinate->name);
    if (target->is_velocity)
        return elaborate_fail(e, &tree->token,
                              "a force acts on a coordinate, not on a velocity: write %s "
                              "without the prime",
                              target->name);
    target->is_velocity = true;
    target->place = target->coordinate->tangent;
    return take_parts(e, tree, target);
}

bool elaborate_target_check(struct elaborate *e, const struct tree_item *item,
                            const struct elaborate_target *target, const struct value *value) {
    char wanted[VALUE_SHAPE_MAX], found[VALUE_SHAPE_MAX];
    const struct noe_array_layout *place = &target->place;
    const struct value shape = {.rank = place->rank, .rows = place->rows, .cols = place->cols};
    const bool is_part = item->target->kind == TREE_PART && item->target->first->next;
    const bool has_prime = item->target->kind == TREE_PART && item->target->primes;
    if (value->is_empty_sum || value_same_shape(&shape, value)) return true;
    return elaborate_fail(e, &item->value->token, "%s%s%s needs a %s, found a %s",
                          is_part ? "this part of " : "", has_prime ? "the velocity of " : "",
                          target->name, value_shape(&shape, wanted), value_shape(value, found));
}
