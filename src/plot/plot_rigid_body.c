/* Rotations and poses in a table, identified by the names of its columns. */
/* SPDX-License-Identifier: MIT */
#include "plot/plot_rigid_body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/table.h"

enum { NAME_BYTES = 256 };

/* Momenta form one range of columns, preceded by the velocities in the same order. */
struct momenta {
    int first, count;
};

static struct momenta find_momenta(const struct noe_table *table) {
    struct momenta momenta = {0};
    for (int c = 0; c < table->ncolumns; c++) {
        if (strncmp(table->column[c], "p.", 2) != 0) continue;
        if (momenta.count++ == 0) momenta.first = c;
    }
    return momenta;
}

static int find_entry(const struct noe_table *table, const char *stem, const char *index) {
    char text[NAME_BYTES + 16];
    snprintf(text, sizeof text, "%s%s", stem, index);
    return table_column_find(table, text);
}

/* True if the matrix that begins at a column is a planar pose: its last row is (0, 0, 1)
 * throughout, and it moves in the plane. */
static bool is_planar_pose(const struct noe_table *table, int first) {
    const noe_real *value = table->values + (size_t)first * table->nrows;
    bool moves = false;
    for (size_t r = 0; r < table->nrows; r++) {
        const noe_real *at = value + r;
        const size_t n = table->nrows;
        if (at[6 * n] != 0 || at[7 * n] != 0 || at[8 * n] != 1) return false;
        moves = moves || at[2 * n] != 0 || at[5 * n] != 0;
    }
    return moves;
}

/* The momentum p.S[1] belongs to a rotation S if there is a column S[1][1]. It belongs to the
 * position S of the preceding body if there is a column S[1] without a derivative. */
static void look_at(struct plot_rigid_bodies *bodies, const struct noe_table *table, int column,
                    int velocity) {
    char stem[NAME_BYTES];
    snprintf(stem, sizeof stem, "%s", table->column[column] + 2);
    char *index = strrchr(stem, '[');
    if (!index || strcmp(index, "[1]") != 0) return;
    *index = 0;
    const int rotation = find_entry(table, stem, "[1][1]");
    const int position = find_entry(table, stem, "[1]");
    if (rotation >= 0 && find_entry(table, stem, "[3][3]") == rotation + 8) {
        if (is_planar_pose(table, rotation)) return;
        struct rigid_body body = {.rotation = rotation,
                                  .angular = velocity,
                                  .momentum = column,
                                  .position = -1,
                                  .linear = -1,
                                  .linear_momentum = -1};
        snprintf(body.name, sizeof body.name, "%.60s", stem);
        bodies->body[bodies->count++] = body;
    } else if (position >= 0 && bodies->count > 0 && find_entry(table, stem, "[1]'") < 0) {
        struct rigid_body *body = &bodies->body[bodies->count - 1];
        body->position = position;
        body->linear = velocity;
        body->linear_momentum = column;
    }
}

void plot_rigid_body_find(struct plot_rigid_bodies *bodies, const struct noe_table *table) {
    const struct momenta momenta = find_momenta(table);
    *bodies = (struct plot_rigid_bodies){
        .body = malloc(((size_t)momenta.count + 1) * sizeof *bodies->body)};
    bodies->failed = !bodies->body;
    if (momenta.first < momenta.count || bodies->failed) return;
    for (int i = 0; i < momenta.count; i++)
        look_at(bodies, table, momenta.first + i, momenta.first - momenta.count + i);
}

void plot_rigid_body_clear(struct plot_rigid_bodies *bodies) {
    free(bodies->body);
    *bodies = (struct plot_rigid_bodies){0};
}

static bool is_within(int column, int first, int count) {
    return first >= 0 && column >= first && column < first + count;
}

bool plot_rigid_body_own(const struct plot_rigid_bodies *bodies, int column) {
    for (int i = 0; i < bodies->count; i++) {
        const struct rigid_body *body = &bodies->body[i];
        if (is_within(column, body->rotation, 9) || is_within(column, body->angular, 3) ||
            is_within(column, body->momentum, 3) || is_within(column, body->position, 3) ||
            is_within(column, body->linear, 3) || is_within(column, body->linear_momentum, 3))
            return true;
    }
    return false;
}

int plot_rigid_body_velocity(const struct plot_rigid_bodies *bodies, int column) {
    for (int i = 0; i < bodies->count; i++) {
        const struct rigid_body *body = &bodies->body[i];
        if (is_within(column, body->position, 3)) return body->linear + column - body->position;
    }
    return -1;
}
