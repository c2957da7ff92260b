/* Names of the columns of a recorded trajectory. */
/* SPDX-License-Identifier: MIT */
#include "study/trajectory_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/coordinate_names.h"
#include "spaces/product.h"

struct columns {
    char **name;
    int count;
    bool failed;
};

static void add(struct columns *columns, const char *prefix, const char *name, const char *index,
                const char *suffix) {
    const size_t size = strlen(prefix) + strlen(name) + strlen(index) + strlen(suffix) + 1;
    char *text = malloc(size);
    char **names = realloc(columns->name, ((size_t)columns->count + 1) * sizeof *names);
    if (names) columns->name = names;
    if (!names || !text) {
        free(text);
        columns->failed = true;
        return;
    }
    snprintf(text, size, "%s%s%s%s", prefix, name, index, suffix);
    names[columns->count++] = text;
}

/* Components of q or v, under the name of the coordinate or of its velocity. */
static void add_coordinates(struct columns *columns, const struct noe_model *model, int count,
                            bool of_velocity, const char *prefix) {
    const bool is_velocity = of_velocity && !*prefix; /* false for a momentum */
    for (int i = 0, at = 0, index = 0; i < count; i++) {
        char indices[48];
        at = coordinate_find(model->ncoordinates, model->coordinate, of_velocity, i, at, &index);
        const struct noe_coordinate *coordinate = &model->coordinate[at];
        const struct noe_array_layout *place =
            of_velocity ? &coordinate->tangent : &coordinate->point;
        const bool has_own = is_velocity && coordinate->velocity;
        coordinate_index_text(place->rank, place->cols, index, sizeof indices, indices);
        add(columns, prefix, has_own ? coordinate->velocity : coordinate->name, indices,
            is_velocity && !has_own ? "'" : "");
    }
}

static void add_quantities(struct columns *columns, const struct noe_system *system,
                           enum noe_quantity_kind kind) {
    for (int i = 0; i < system->nquantities; i++) {
        const struct noe_quantity *quantity = &system->quantity[i];
        const int rank = quantity->cols > 1 ? 2 : quantity->rows > 1 ? 1 : 0;
        if (quantity->kind != kind) continue;
        for (int k = 0; k < quantity->rows * quantity->cols; k++) {
            char indices[48];
            coordinate_index_text(rank, quantity->cols, k, sizeof indices, indices);
            add(columns, "", quantity->name, indices, "");
        }
    }
}

static bool is_taken(const struct noe_model *model, const char *name) {
    for (int i = 0; i < model->ncoordinates; i++) {
        const struct noe_coordinate *coordinate = &model->coordinate[i];
        if (strcmp(coordinate->name, name) == 0) return true;
        if (coordinate->velocity && strcmp(coordinate->velocity, name) == 0) return true;
    }
    for (int i = 0; i < model->system->nquantities; i++)
        if (strcmp(model->system->quantity[i].name, name) == 0) return true;
    return false;
}

/* lambda[1], lambda[2] and so on. An underscore is appended while the model uses the name
 * itself. */
static void add_multipliers(struct columns *columns, const struct noe_model *model) {
    char name[64] = "lambda";
    for (size_t length = strlen(name); length + 1 < sizeof name && is_taken(model, name);)
        name[length++] = '_';
    for (int i = 0; i < model->nconstraints; i++) {
        char index[24];
        snprintf(index, sizeof index, "[%d]", i + 1);
        add(columns, "", name, index, "");
    }
}

char **columns_create(const struct noe_model *model, const struct noe_method_info *method,
                      bool has_reference, int *count) {
    const unsigned finds_step = NOE_ENERGY | NOE_ADAPTIVE;
    struct columns columns = {0};
    const int n = model->system->n, np = product_point_size(model->system);
    add(&columns, "", "t", "", "");
    add_coordinates(&columns, model, np, false, "");
    add_coordinates(&columns, model, n, true, "");
    add_coordinates(&columns, model, n, true, "p.");
    add_multipliers(&columns, model);
    add(&columns, "", "energy", "", "");
    add_quantities(&columns, model->system, NOE_INVARIANT);
    add_quantities(&columns, model->system, NOE_OBSERVE);
    if ((method->traits & finds_step) == finds_step) {
        add(&columns, "", "step", "", "");
        add(&columns, "", "discrete_energy", "", "");
        add(&columns, "", "discrete_energy_error", "", "");
    }
    if (has_reference) {
        add(&columns, "", "trajectory_error", "", "");
        add(&columns, "", "exact_energy", "", "");
    }
    *count = columns.count;
    if (!columns.failed) return columns.name;
    columns_free(columns.name, columns.count);
    return NULL;
}

char **columns_create_control(const struct noe_model *model,
                              const struct noe_transcription *transcription, int *count) {
    const struct noe_transcription *t = transcription;
    struct columns columns = {0};
    add(&columns, "", "t", "", "");
    add_coordinates(&columns, model, t->np, false, "");
    add_coordinates(&columns, model, t->n, true, "");
    add_coordinates(&columns, model, t->n, true, "p.");
    for (int c = 0; c < t->ncontrols; c++)
        for (int i = 0; i < t->control[c].rows; i++) {
            char indices[48];
            coordinate_index_text(t->control[c].rank, 1, i, sizeof indices, indices);
            add(&columns, "", t->control[c].name, indices, "");
        }
    add_coordinates(&columns, model, t->n, true, "costate.");
    add_coordinates(&columns, model, t->n, true, "costate.p.");
    *count = columns.count;
    if (!columns.failed) return columns.name;
    columns_free(columns.name, columns.count);
    return NULL;
}

void columns_free(char **names, int count) {
    for (int i = 0; names && i < count; i++) free(names[i]);
    free(names);
}
