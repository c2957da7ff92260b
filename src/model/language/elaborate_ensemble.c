/* Elaboration of ensemble statements: vary, random, members, seed. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/coordinate_names.h"
#include "base/random_stream.h"
#include "model/language/elaborate.h"

static struct ensemble_definition *ensemble_definition_of(struct elaborate *e) {
    if (!e->model->ensemble) {
        e->model->ensemble = calloc(1, sizeof *e->model->ensemble);
        if (!e->model->ensemble) elaborate_fail_memory(e);
    }
    return e->model->ensemble;
}

/* Token of a target's name. */
static struct lex_token target_token(const struct tree *target) {
    return target->kind == TREE_PART ? target->first->token : target->token;
}

/* Name of a component of the start: x[2]', W[1], q. */
static char *start_name(struct elaborate *e, bool is_velocity, int number) {
    const struct definition *model = e->model;
    char indices[48];
    int index;
    const int at =
        coordinate_find(model->ncoordinates, model->coordinate, is_velocity, number, 0, &index);
    const struct noe_coordinate *coordinate = &model->coordinate[at];
    const struct noe_array_layout *place = is_velocity ? &coordinate->tangent : &coordinate->point;
    const bool has_own = is_velocity && coordinate->velocity;
    const char *name = has_own ? coordinate->velocity : coordinate->name;
    coordinate_index_text(place->rank, place->cols, index, sizeof indices, indices);
    const size_t size = strlen(name) + strlen(indices) + 2;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s", name, indices, is_velocity && !has_own ? "'" : "");
    else
        elaborate_fail_memory(e);
    return text;
}

static bool add_number(struct elaborate *e, const struct tree *target,
                       struct ensemble_definition_number number) {
    struct ensemble_definition *ensemble = ensemble_definition_of(e);
    const struct lex_token token = target_token(target);
    if (!ensemble) return false;
    for (int i = 0; i < ensemble->count; i++) {
        const struct ensemble_definition_number *other = &ensemble->number[i];
        if (other->is_parameter == number.is_parameter && other->index == number.index &&
            other->is_velocity == number.is_velocity)
            return elaborate_fail(e, &token, "'%s' is varied twice", other->name);
    }
    struct ensemble_definition_number *larger =
        elaborate_grow(ensemble->number, ensemble->count, 1, sizeof *larger);
    if (!larger) return elaborate_fail_memory(e);
    ensemble->number = larger;
    number.name = number.is_parameter ? elaborate_copy(e, &token)
                                      : start_name(e, number.is_velocity, number.index);
    if (!number.name) return false;
    larger[ensemble->count++] = number;
    return true;
}

/* Adds every component of the target with the same distribution. */
static bool add_target(struct elaborate *e, const struct tree *target, bool one_only,
                       struct ensemble_definition_number number) {
    struct elaborate_target place;
    const struct lex_token token = target_token(target);
    const struct symbol *symbol = symbol_find(&e->names, &token);
    if (symbol && symbol->kind == SYMBOL_PARAMETER) {
        int index = 0;
        while (strcmp(e->model->parameter[index].name, symbol->name) != 0) index++;
        if (e->model->parameter[index].rank || target->kind == TREE_PART)
            return elaborate_fail(e, &token, "only a scalar parameter can vary");
        number.is_parameter = true;
        number.index = index;
        return add_number(e, target, number);
    }
    if (!elaborate_start_target(e, target, &place)) return false;
    const int count = place.place.rows * place.place.cols;
    if (!place.is_velocity && place.coordinate->velocity && place.place.rank == 2 &&
        place.place.rows == place.place.cols && place.place.stride == place.place.cols)
        return elaborate_fail(
            e, &token, "the components of a rotation or group element cannot vary separately");
    if (one_only && count > 1)
        return elaborate_fail(e, &token, "'vary' needs a scalar: name a component of %s",
                              place.name);
    number.is_velocity = place.is_velocity;
    for (int i = 0; i < count; i++) {
        number.index = elaborate_target_at(&place, i);
        if (!add_number(e, target, number)) return false;
    }
    return true;
}

bool elaborate_vary(struct elaborate *e, const struct tree_statement *statement) {
    for (const struct tree_item *item = statement->item; item; item = item->next->next->next) {
        const struct tree_item *high = item->next, *count = high->next;
        struct ensemble_definition_number number = {.law = ENSEMBLE_DEFINITION_GRID};
        if (!elaborate_number(e, item->value, "the range of 'vary'", &number.a) ||
            !elaborate_number(e, high->value, "the range of 'vary'", &number.b) ||
            !elaborate_integer(e, count->value, "the number of values", 1, &number.count) ||
            !add_target(e, item->target, true, number))
            return false;
    }
    return true;
}

/* normal(mean, deviation) or uniform(a, b) */
static bool read_law(struct elaborate *e, const struct tree *tree,
                     struct ensemble_definition_number *number) {
    const bool is_normal = tree->kind == TREE_CALL && lex_is(&tree->token, "normal");
    const bool is_uniform = tree->kind == TREE_CALL && lex_is(&tree->token, "uniform");
    const struct tree *second = tree->first ? tree->first->next : NULL;
    if (!is_normal && !is_uniform)
        return elaborate_fail(e, &tree->token, "expected normal(mean, deviation) or uniform(a, b)");
    if (!second || second->next)
        return elaborate_fail(e, &tree->token, "a distribution has two arguments: %s",
                              is_normal ? "normal(mean, deviation)" : "uniform(a, b)");
    number->law = is_normal ? ENSEMBLE_DEFINITION_NORMAL : ENSEMBLE_DEFINITION_UNIFORM;
    if (!elaborate_number(e, tree->first, "a distribution", &number->a) ||
        !elaborate_number(e, second, "a distribution", &number->b))
        return false;
    if (is_normal && number->b < 0)
        return elaborate_fail(e, &second->token, "a deviation must not be negative, found %g",
                              (double)number->b);
    return true;
}

bool elaborate_random(struct elaborate *e, const struct tree_statement *statement) {
    if (!stream_exists())
        return elaborate_fail(e, &statement->keyword,
                              "random members need Random123, which this build lacks: install "
                              "librandom123-dev and build again");
    for (const struct tree_item *item = statement->item; item; item = item->next) {
        struct ensemble_definition_number number = {0};
        if (!read_law(e, item->value, &number)) return false;
        if (!add_target(e, item->target, false, number)) return false;
    }
    return true;
}

bool elaborate_members(struct elaborate *e, const struct tree_statement *statement) {
    struct ensemble_definition *ensemble = ensemble_definition_of(e);
    return ensemble && elaborate_integer(e, statement->item->value, "the number of members", 1,
                                         &ensemble->members);
}

bool elaborate_seed(struct elaborate *e, const struct tree_statement *statement) {
    struct ensemble_definition *ensemble = ensemble_definition_of(e);
    long seed;
    if (!ensemble || !elaborate_integer(e, statement->item->value, "a seed", 0, &seed))
        return false;
    ensemble->seed = (unsigned long)seed;
    ensemble->has_seed = true;
    return true;
}
