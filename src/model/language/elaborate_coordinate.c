/* Elaboration of coordinate declarations: coord, rotation, pose, group. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/registry.h"
#include "model/language/elaborate.h"

enum { COORDINATES_MAX = 1000000, POSITION = 9 }; /* index of the position in a pose, after R */

/* Makes the components of a layout as leaves of one kind. */
static bool place_leaves(struct elaborate *e, const struct noe_array_layout *place,
                         enum graph_op leaf, struct value *kept) {
    struct value leaves;
    int *node = value_make(&e->make, &leaves, place->rank, place->rows, place->cols);
    for (int i = 0; node && i < place->rows; i++)
        for (int k = 0; k < place->cols; k++)
            node[i * place->cols + k] =
                graph_leaf(e->make.graph, leaf, place->first + i * place->stride + k);
    return node ? elaborate_keep(e, &leaves, kept) : elaborate_fail_made(e, 0, 0);
}

/* Appends factors. Components of R^n are merged with a preceding factor R^n. */
static bool add_factors(struct elaborate *e, const struct noe_space *space, int count) {
    struct definition *model = e->model;
    const bool is_vector = !space->frame;
    struct noe_factor *last = model->nfactors ? &model->factor[model->nfactors - 1] : NULL;
    model->n += space->tangent * count;
    model->np += space->point * count;
    if (!is_vector) model->has_groups = true;
    if (is_vector && last && last->space == space) {
        last->size += count;
        return true;
    }
    const int more = is_vector ? 1 : count;
    struct noe_factor *factor =
        elaborate_grow(model->factor, model->nfactors, more, sizeof *factor);
    if (!factor) return elaborate_fail_memory(e);
    model->factor = factor;
    for (int i = 0; i < more; i++)
        factor[model->nfactors++] = (struct noe_factor){space, is_vector ? count : 1};
    return true;
}

/* Adds a coordinate and its leaves. If the velocity has no name, also makes the leaves of the
 * prime. */
static bool add_coordinate(struct elaborate *e, const struct lex_token *name,
                           const struct lex_token *velocity, const struct noe_array_layout *point,
                           const struct noe_array_layout *tangent) {
    struct definition *model = e->model;
    struct symbol *symbol = elaborate_declare(e, name);
    struct noe_coordinate *coordinate =
        symbol ? elaborate_grow(model->coordinate, model->ncoordinates, 1, sizeof *coordinate)
               : NULL;
    if (!coordinate) return symbol ? elaborate_fail_memory(e) : false;
    model->coordinate = coordinate;
    coordinate += model->ncoordinates;
    *coordinate = (struct noe_coordinate){.name = elaborate_copy(e, name),
                                          .point = *point,
                                          .tangent = *tangent,
                                          .line = name->line,
                                          .column = name->column};
    symbol->kind = SYMBOL_COORDINATE;
    symbol->coordinate = model->ncoordinates++;
    if (!coordinate->name || !place_leaves(e, point, GRAPH_POINT, &symbol->value)) return false;
    if (!velocity) return place_leaves(e, tangent, GRAPH_VELOCITY, &symbol->companion);
    coordinate->velocity = elaborate_copy(e, velocity);
    return coordinate->velocity != NULL;
}

/* Declares the name of a velocity; `back` counts coordinates from the last one. */
static bool add_velocity(struct elaborate *e, const struct lex_token *name, int back) {
    struct symbol *symbol = elaborate_declare(e, name);
    if (!symbol) return false;
    symbol->kind = SYMBOL_VELOCITY;
    symbol->coordinate = e->model->ncoordinates - 1 - back;
    const struct noe_array_layout *place = &e->model->coordinate[symbol->coordinate].tangent;
    return place_leaves(e, place, GRAPH_VELOCITY, &symbol->value);
}

static bool read_sizes(struct elaborate *e, const struct tree_item *item, int max, int *rank,
                       long size[2]) {
    *rank = 0;
    size[0] = size[1] = 1;
    for (const struct tree *tree = item->value; tree; tree = tree->next) {
        if (*rank == max)
            return elaborate_fail(e, &tree->token, "%s has at most %s",
                                  max == 2 ? "a coordinate" : "a rotation, a pose or a group",
                                  max == 2 ? "two sizes" : "one size");
        if (!elaborate_integer(e, tree, "the size of a coordinate", 1, &size[(*rank)++]))
            return false;
    }
    if (size[0] > COORDINATES_MAX || size[1] > COORDINATES_MAX ||
        size[0] * size[1] > COORDINATES_MAX - e->model->np)
        return elaborate_fail(e, &item->name, "a model has at most %d coordinates",
                              COORDINATES_MAX);
    return true;
}

bool elaborate_coordinates(struct elaborate *e, const struct tree_statement *statement) {
    for (const struct tree_item *item = statement->item; item; item = item->next) {
        int rank;
        long size[2];
        if (!read_sizes(e, item, 2, &rank, size)) return false;
        const struct noe_array_layout point = {.rank = rank,
                                               .rows = (int)size[0],
                                               .cols = (int)size[1],
                                               .first = e->model->np,
                                               .stride = (int)size[1]};
        struct noe_array_layout tangent = point;
        tangent.first = e->model->n;
        if (!add_coordinate(e, &item->name, NULL, &point, &tangent)) return false;
        if (!add_factors(e, noe_space_find("vector"), point.rows * point.cols)) return false;
    }
    return true;
}

bool elaborate_declare_vector(struct elaborate *e, const struct lex_token *name, int size) {
    const struct noe_array_layout point = {1, size, 1, e->model->np, 1};
    const struct noe_array_layout tangent = {1, size, 1, e->model->n, 1};
    return add_coordinate(e, name, NULL, &point, &tangent) &&
           add_factors(e, noe_space_find("vector"), size);
}

bool elaborate_declare_part(struct elaborate *e, const struct lex_token *name, int index) {
    struct symbol *symbol = elaborate_declare(e, name);
    if (!symbol) return false;
    const int last = e->model->ncoordinates - 1;
    const struct noe_coordinate *whole = &e->model->coordinate[last];
    symbol->kind = SYMBOL_COORDINATE;
    symbol->coordinate = last;
    symbol->part = index;
    symbol->value =
        value_scalar(graph_leaf(e->make.graph, GRAPH_POINT, whole->point.first + index - 1));
    symbol->companion =
        value_scalar(graph_leaf(e->make.graph, GRAPH_VELOCITY, whole->tangent.first + index - 1));
    return true;
}

/* Layout of a vector of `size` components at index `first`, or of `count` > 0 of them, `stride`
 * apart. */
static struct noe_array_layout vectors(int count, int size, int first, int stride) {
    if (count > 0) return (struct noe_array_layout){2, count, size, first, stride};
    return (struct noe_array_layout){1, size, 1, first, 1};
}

/* Layout of square matrices. An array has matrices of 3 rows. */
static struct noe_array_layout matrices(int count, int rows, int first, int stride) {
    if (count > 0) return (struct noe_array_layout){3, count, 9, first, stride};
    return (struct noe_array_layout){2, rows, rows, first, rows};
}

/* Form of a statement that declares a group: the first coordinate is a matrix, the second a
 * position. */
struct group_form {
    const char *text;
    int ncoordinates;
    int rows;    /* rows of the matrix */
    int tangent; /* components of the velocity of one coordinate */
};

/* Reads the names and their common size. *count is 0 if they are not arrays. */
static bool read_group(struct elaborate *e, const struct tree_statement *statement,
                       const struct group_form *form, const struct tree_item *item[], int *count) {
    const struct tree_item *at = statement->item;
    const int wanted = 2 * form->ncoordinates;
    int found = 0, rank = 0;
    long size[2] = {1, 1};
    for (; at; at = at->next, found++) {
        const int first_rank = rank;
        const long first_size = size[0];
        if (found == wanted)
            return elaborate_fail(e, &at->name, "too many names: expected '%s'", form->text);
        item[found] = at;
        if (!read_sizes(e, at, 1, &rank, size)) return false;
        if (found > 0 && (rank != first_rank || size[0] != first_size))
            return elaborate_fail(e, &at->name, "the names of one statement have the same size");
    }
    if (found < wanted)
        return elaborate_fail(e, &statement->keyword, "too few names: expected '%s'", form->text);
    *count = rank ? (int)size[0] : 0;
    return true;
}

static bool declare_group(struct elaborate *e, const struct tree_statement *statement,
                          const struct noe_space *space, const struct group_form *form) {
    const int ncoordinates = form->ncoordinates;
    const struct tree_item *item[4];
    int count = 0;
    if (!read_group(e, statement, form, item, &count)) return false;
    if ((count > 0 ? count : 1) > (COORDINATES_MAX - e->model->np) / space->point)
        return elaborate_fail(e, &item[0]->name, "a model has at most %d coordinates",
                              COORDINATES_MAX);
    const int point = e->model->np, tangent = e->model->n;
    for (int i = 0; i < ncoordinates; i++) {
        const struct noe_array_layout at = i == 0
                                               ? matrices(count, form->rows, point, space->point)
                                               : vectors(count, 3, point + POSITION, space->point);
        const struct noe_array_layout velocity =
            vectors(count, form->tangent, tangent + form->tangent * i, space->tangent);
        if (!add_coordinate(e, &item[i]->name, &item[ncoordinates + i]->name, &at, &velocity))
            return false;
    }
    for (int i = 0; i < ncoordinates; i++)
        if (!add_velocity(e, &item[ncoordinates + i]->name, ncoordinates - 1 - i)) return false;
    return add_factors(e, space, count > 0 ? count : 1);
}

bool elaborate_rotation(struct elaborate *e, const struct tree_statement *statement) {
    return declare_group(e, statement, noe_space_find("so3"),
                         &(const struct group_form){"rotation R, W", 1, 3, 3});
}

bool elaborate_pose(struct elaborate *e, const struct tree_statement *statement) {
    return declare_group(e, statement, noe_space_find("se3"),
                         &(const struct group_form){"pose R, x, W, V", 2, 3, 3});
}

/* True if the token is `name`, blanks in the token left aside. */
static bool is_group(const struct lex_token *token, const char *name) {
    for (int i = 0; i < token->length; i++) {
        if (token->start[i] == ' ' || token->start[i] == '\t') continue;
        if (token->start[i] != *name++) return false;
    }
    return *name == '\0';
}

static bool fail_unknown_group(struct elaborate *e, const struct lex_token *token) {
    char known[256] = "", shown[LEX_QUOTE_MAX];
    size_t used = 0;
    for (int i = 0; registry_spaces[i] && used < sizeof known; i++)
        if (registry_spaces[i]->group)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                                     registry_spaces[i]->group);
    return elaborate_fail(e, token, "unknown group %s; known: %s", lex_show(token, shown), known);
}

bool elaborate_group(struct elaborate *e, const struct tree_statement *statement) {
    const struct noe_space *space = NULL;
    for (int i = 0; registry_spaces[i]; i++)
        if (registry_spaces[i]->group && is_group(&statement->word, registry_spaces[i]->group))
            space = registry_spaces[i];
    if (!space) return fail_unknown_group(e, &statement->word);
    struct group_form form = {"group g, xi : NAME", 1, 1, space->tangent};
    while (form.rows * form.rows < space->point) form.rows++;
    return declare_group(e, statement, space, &form);
}
