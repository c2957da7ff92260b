/* The names of the columns of a recorded trajectory. */
/* SPDX-License-Identifier: MIT */
#include "study/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Every component of a value of the given shape: name, name[1], name[1][2]. */
static void add_components(struct columns *columns, const char *prefix, const char *name,
                           const char *suffix, const int shape[3]) {
    char index[48] = "";
    for (int i = 1; i <= shape[1]; i++)
        for (int j = 1; j <= shape[2]; j++) {
            if (shape[0] == 1) snprintf(index, sizeof index, "[%d]", i);
            if (shape[0] == 2) snprintf(index, sizeof index, "[%d][%d]", i, j);
            add(columns, prefix, name, index, suffix);
        }
}

static void add_coordinates(struct columns *columns, const struct noe_model *model,
                            const char *prefix, const char *suffix) {
    for (int i = 0; i < model->ncoordinates; i++) {
        const struct noe_coordinate *coordinate = &model->coordinate[i];
        const int shape[3] = {coordinate->rank, coordinate->rows, coordinate->cols};
        add_components(columns, prefix, coordinate->name, suffix, shape);
    }
}

static void add_quantities(struct columns *columns, const struct noe_system *system,
                           enum noe_quantity_kind kind) {
    for (int i = 0; i < system->nquantities; i++) {
        const struct noe_quantity *quantity = &system->quantity[i];
        const int rank = quantity->cols > 1 ? 2 : quantity->rows > 1 ? 1 : 0;
        const int shape[3] = {rank, quantity->rows, quantity->cols};
        if (quantity->kind == kind) add_components(columns, "", quantity->name, "", shape);
    }
}

char **columns_create(const struct noe_model *model, int *count) {
    struct columns columns = {0};
    add(&columns, "", "t", "", "");
    add_coordinates(&columns, model, "", "");
    add_coordinates(&columns, model, "", "'");
    add_coordinates(&columns, model, "p.", "");
    add(&columns, "", "energy", "", "");
    add_quantities(&columns, model->system, NOE_INVARIANT);
    add_quantities(&columns, model->system, NOE_OBSERVE);
    *count = columns.count;
    if (!columns.failed) return columns.name;
    columns_free(columns.name, columns.count);
    return NULL;
}

void columns_free(char **names, int count) {
    for (int i = 0; names && i < count; i++) free(names[i]);
    free(names);
}
