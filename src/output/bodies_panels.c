/* The panels of rotations and poses: axes on the sphere, angular velocity, momentum in space. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/real.h"
#include "output/bodies.h"
#include "output/table.h"

/* What the panels are made from, with room for three numbers a row and one more. */
struct sight {
    const struct bodies *bodies;
    struct picture *picture;
    const struct noe_table *table;
    real *row[4];
};

static real at(const struct sight *sight, int column, size_t row) {
    return table_column(sight->table, column)[row];
}

/* out = R m, where m is the vector that begins at `column`. */
static void turn(const struct sight *sight, const struct body *body, int column, size_t row,
                 real out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        for (int j = 0; j < 3; j++)
            out[i] += at(sight, body->rotation + 3 * i + j, row) * at(sight, column + j, row);
    }
}

static real path_length(const struct sight *sight, const struct body *body, int axis) {
    real length = 0;
    for (size_t r = 1; r < sight->table->nrows; r++) {
        real square = 0;
        for (int i = 0; i < 3; i++) {
            const int column = body->rotation + 3 * i + axis;
            const real step = at(sight, column, r) - at(sight, column, r - 1);
            square += step * step;
        }
        length += noe_sqrt(square);
    }
    return length;
}

/* The axis about which a spinning body spins travels least; the third, if none stands out. */
static int calm_axis(const struct sight *sight, const struct body *body) {
    real least = (real)0.7 * path_length(sight, body, 2);
    int calm = 2;
    for (int axis = 0; axis < 2; axis++) {
        const real length = path_length(sight, body, axis);
        if (!(length < least)) continue;
        least = length;
        calm = axis;
    }
    return calm;
}

/* The path of R e_axis as seen: across and up in `row[0]` and `row[1]`, how near in `row[2]`. */
static void project(struct sight *sight, const struct body *body, int axis) {
    for (size_t r = 0; r < sight->table->nrows; r++) {
        double point[3], seen[3];
        for (int i = 0; i < 3; i++) point[i] = (double)at(sight, body->rotation + 3 * i + axis, r);
        picture_sphere(point, seen);
        for (int i = 0; i < 3; i++) sight->row[i][r] = seen[i];
    }
}

/* The side of the path that faces the reader, or the other one; the rest are gaps. */
static enum noe_status add_side(struct sight *sight, struct picture_panel *panel, const char *label,
                                bool is_front, struct noe_error *error) {
    for (size_t r = 0; r < sight->table->nrows; r++)
        sight->row[3][r] = (sight->row[2][r] >= 0) == is_front ? sight->row[1][r] : (real)NAN;
    const int before = panel->ncurves;
    const enum noe_status status =
        picture_add_curve(panel, label, sight->table->nrows, sight->row[0], sight->row[3], error);
    if (panel->ncurves > before) panel->curve[before].is_behind = !is_front;
    return status;
}

static enum noe_status add_sphere(struct sight *sight, struct noe_error *error) {
    const int count = sight->bodies->count;
    struct picture_panel *panel =
        picture_add_panel(sight->picture, "Paths of axes of the bodies on the sphere", "", "");
    if (!panel) return NOE_OK;
    panel->is_sphere = panel->has_equal_axes = panel->marks_end = true;
    enum noe_status status = NOE_OK;
    for (int i = 0; i < count && 2 * i < PICTURE_CURVES && status == NOE_OK; i++) {
        const struct body *body = &sight->bodies->body[i];
        const int axis = calm_axis(sight, body);
        char label[96];
        snprintf(label, sizeof label, "%s e%d", body->name, axis + 1);
        project(sight, body, axis);
        status = add_side(sight, panel, label, true, error);
        if (status == NOE_OK) status = add_side(sight, panel, label, false, error);
    }
    if (count == 1 && panel->ncurves > 0)
        snprintf(panel->title, sizeof panel->title, "Path of the body's axis %s on the sphere",
                 panel->curve[0].label);
    return status;
}

static enum noe_status add_velocities(struct sight *sight, int time, const char *time_label,
                                      struct noe_error *error) {
    struct picture_panel *panel =
        picture_add_panel(sight->picture, "Angular velocity in the body's axes", time_label, "");
    const int count = 3 * sight->bodies->count;
    const int step = (count + PICTURE_CURVES - 1) / PICTURE_CURVES;
    enum noe_status status = NOE_OK;
    if (panel && step > 1)
        snprintf(panel->title, sizeof panel->title,
                 "Angular velocity in the body's axes, one in %d of %d", step, count);
    for (int i = 0; i < count && status == NOE_OK; i += step) {
        const int column = sight->bodies->body[i / 3].angular + i % 3;
        status = picture_add_curve(panel, sight->table->column[column], sight->table->nrows,
                                   table_column(sight->table, time),
                                   table_column(sight->table, column), error);
    }
    return status;
}

/* Sum of R pi + x cross R gamma over the bodies, into row[0..2]. */
static void find_momentum(struct sight *sight) {
    for (size_t r = 0; r < sight->table->nrows; r++) {
        real total[3] = {0};
        for (int b = 0; b < sight->bodies->count; b++) {
            const struct body *body = &sight->bodies->body[b];
            real spin[3], drive[3] = {0}, x[3] = {0};
            turn(sight, body, body->momentum, r, spin);
            if (body->position >= 0) {
                turn(sight, body, body->linear_momentum, r, drive);
                for (int i = 0; i < 3; i++) x[i] = at(sight, body->position + i, r);
            }
            for (int i = 0; i < 3; i++) {
                const int j = (i + 1) % 3, k = (i + 2) % 3;
                total[i] += spin[i] + x[j] * drive[k] - x[k] * drive[j];
            }
        }
        for (int i = 0; i < 3; i++) sight->row[i][r] = total[i];
    }
}

/* The largest distance from the value at the start. */
static double drift(size_t n, const real *x) {
    real most = 0;
    for (size_t i = 0; i < n; i++) most = noe_max(most, noe_abs(x[i] - x[0]));
    return (double)most;
}

static enum noe_status add_momentum(struct sight *sight, int time, const char *time_label,
                                    struct noe_error *error) {
    const char *title = sight->bodies->count == 1 ? "Angular momentum in space"
                                                  : "Angular momentum in space of all bodies";
    struct picture_panel *panel = picture_add_panel(sight->picture, title, time_label, "");
    enum noe_status status = NOE_OK;
    double size = 0;
    find_momentum(sight);
    for (int i = 0; i < 3; i++)
        size = fmax(size, (double)real_norm(sight->table->nrows, sight->row[i]));
    for (int i = 0; i < 3 && status == NOE_OK; i++) {
        char label[80];
        const double moved = drift(sight->table->nrows, sight->row[i]);
        const int length = snprintf(label, sizeof label, "along e%d", i + 1);
        if (moved < 1e-3 * size)
            snprintf(label + length, sizeof label - (size_t)length, ", kept to %.1e", moved);
        status = picture_add_curve(panel, label, sight->table->nrows,
                                   table_column(sight->table, time), sight->row[i], error);
    }
    return status;
}

enum noe_status bodies_add_panels(const struct bodies *bodies, struct picture *picture,
                                  const struct noe_table *table, int time, const char *time_label,
                                  struct noe_error *error) {
    if (bodies->count == 0) return NOE_OK;
    real *room = malloc(4 * table->nrows * sizeof *room);
    if (!room) return status_set(error, NOE_NO_MEMORY, "out of memory");
    struct sight sight = {.bodies = bodies, .picture = picture, .table = table};
    for (int i = 0; i < 4; i++) sight.row[i] = room + (size_t)i * table->nrows;
    enum noe_status status = add_sphere(&sight, error);
    if (status == NOE_OK) status = add_velocities(&sight, time, time_label, error);
    if (status == NOE_OK) status = add_momentum(&sight, time, time_label, error);
    free(room);
    return status;
}
