/* Panels of rotations and poses: body axes on the sphere, angular velocity, spatial angular
 * momentum. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "output/table.h"
#include "plot/plot_rigid_body.h"

enum { ARROWS = FIGURE_CURVES / 2 }; /* each has a near side and a far side */

/* Input of the panels, with scratch for three numbers per row and one more. */
struct sight {
    const struct plot_rigid_bodies *bodies;
    struct figure *picture;
    const struct noe_table *table;
    real *row[4];
};

static real at(const struct sight *sight, int column, size_t row) {
    return table_column(sight->table, column)[row];
}

/* out = R m, where m is the vector that begins at `column`. */
static void turn(const struct sight *sight, const struct rigid_body *body, int column, size_t row,
                 real out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        for (int j = 0; j < 3; j++)
            out[i] += at(sight, body->rotation + 3 * i + j, row) * at(sight, column + j, row);
    }
}

static real path_length(const struct sight *sight, const struct rigid_body *body, int axis) {
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

/* The body axis that moves least, which is the spin axis of a fast top; the third axis if none
 * stands out. */
static int calm_axis(const struct sight *sight, const struct rigid_body *body) {
    real min = (real)0.7 * path_length(sight, body, 2);
    int calm = 2;
    for (int axis = 0; axis < 2; axis++) {
        const real length = path_length(sight, body, axis);
        if (!(length < min)) continue;
        min = length;
        calm = axis;
    }
    return calm;
}

/* A vector that moves on the sphere. Its components are `stride` columns apart. */
struct arrow {
    int column, stride;
    char label[FIGURE_LABEL];
};

static double arrow_length(const struct sight *sight, const struct arrow *arrow, size_t row) {
    double square = 0;
    for (int i = 0; i < 3; i++)
        square += pow((double)at(sight, arrow->column + i * arrow->stride, row), 2);
    return sqrt(square);
}

/* True if the vector has constant length and moves. */
static bool is_direction(const struct sight *sight, const struct arrow *arrow) {
    const double length = arrow_length(sight, arrow, 0);
    double moved = 0;
    for (size_t r = 1; r < sight->table->nrows; r++) {
        if (!(fabs(arrow_length(sight, arrow, r) - length) <= 1e-6 * length)) return false;
        for (int i = 0; i < 3; i++) {
            const int column = arrow->column + i * arrow->stride;
            moved = fmax(moved, fabs((double)(at(sight, column, r) - at(sight, column, 0))));
        }
    }
    return moved > 1e-2 * length;
}

/* True if the column begins a recorded 3-vector that belongs to no body and is not a costate. */
static bool begins_vector(const struct sight *sight, int column, struct arrow *arrow) {
    char *const *name = sight->table->column + column;
    const char *index = strrchr(name[0], '[');
    const int stem = index ? (int)(index - name[0]) : 0;
    if (!index || strcmp(index, "[1]") != 0 || column + 3 > sight->table->ncolumns ||
        plot_rigid_body_own(sight->bodies, column) || strncmp(name[0], "costate.", 8) == 0)
        return false;
    *arrow = (struct arrow){column, 1, ""};
    snprintf(arrow->label, sizeof arrow->label, "%.*s", stem, name[0]);
    const bool has_three =
        strncmp(name[2], name[0], (size_t)stem) == 0 && strcmp(name[2] + stem, "[3]") == 0;
    const bool has_more = column + 3 < sight->table->ncolumns &&
                          strncmp(name[3], name[0], (size_t)stem) == 0 &&
                          strcmp(name[3] + stem, "[4]") == 0;
    return has_three && !has_more;
}

/* Recorded directions, or else one axis per body. Returns their number. */
static int find_arrows(const struct sight *sight, struct arrow arrow[ARROWS]) {
    int count = 0;
    for (int c = 0; c < sight->table->ncolumns && count < ARROWS; c++)
        count += begins_vector(sight, c, &arrow[count]) && is_direction(sight, &arrow[count]);
    for (int i = 0; count == i && i < sight->bodies->count && i < ARROWS; i++) {
        const struct rigid_body *body = &sight->bodies->body[i];
        const int axis = calm_axis(sight, body);
        arrow[count].column = body->rotation + axis;
        arrow[count].stride = 3;
        snprintf(arrow[count].label, sizeof arrow->label, "%s e%d", body->name, axis + 1);
        count++;
    }
    return count;
}

/* Projected path: horizontal and vertical in `row[0]` and `row[1]`, depth in `row[2]`. */
static void project(struct sight *sight, const struct arrow *arrow) {
    for (size_t r = 0; r < sight->table->nrows; r++) {
        double point[3], seen[3];
        const double length = arrow_length(sight, arrow, r);
        for (int i = 0; i < 3; i++)
            point[i] = (double)at(sight, arrow->column + i * arrow->stride, r) / length;
        figure_sphere(point, seen);
        for (int i = 0; i < 3; i++) sight->row[i][r] = seen[i];
    }
}

/* The part of the path on the near or the far side of the sphere. The rest are gaps. */
static enum noe_status add_side(struct sight *sight, struct figure_panel *panel, const char *label,
                                bool is_front, struct noe_error *error) {
    for (size_t r = 0; r < sight->table->nrows; r++)
        sight->row[3][r] = (sight->row[2][r] >= 0) == is_front ? sight->row[1][r] : (real)NAN;
    const int before = panel->ncurves;
    const enum noe_status status =
        figure_add_curve(panel, label, sight->table->nrows, sight->row[0], sight->row[3], error);
    if (panel->ncurves == before) return status;
    struct figure_curve *curve = &panel->curve[before];
    curve->is_behind = !is_front;
    curve->continues = before > 0 && strcmp(curve[-1].label, label) == 0;
    return status;
}

static enum noe_status add_sphere(struct sight *sight, struct noe_error *error) {
    struct arrow arrow[ARROWS];
    const int count = find_arrows(sight, arrow);
    char title[FIGURE_WORDS] = "Paths of directions on the sphere";
    if (count == 1) snprintf(title, sizeof title, "Path of %s on the sphere", arrow[0].label);
    struct figure_panel *panel = figure_add_panel(sight->picture, title, "", "");
    if (!panel) return NOE_OK;
    panel->is_sphere = panel->has_equal_axes = panel->marks_end = true;
    enum noe_status status = NOE_OK;
    for (int i = 0; i < count && status == NOE_OK; i++) {
        project(sight, &arrow[i]);
        status = add_side(sight, panel, arrow[i].label, true, error);
        if (status == NOE_OK) status = add_side(sight, panel, arrow[i].label, false, error);
    }
    return status;
}

static enum noe_status add_velocities(struct sight *sight, int time, const char *time_label,
                                      struct noe_error *error) {
    struct figure_panel *panel =
        figure_add_panel(sight->picture, "Angular velocity in the body's axes", time_label, "");
    const int count = 3 * sight->bodies->count;
    const int min = (count + FIGURE_CURVES - 1) / FIGURE_CURVES;
    const int step = min + (min % 3 == 0); /* avoid picking the same component of all vectors */
    enum noe_status status = NOE_OK;
    if (panel && step > 1)
        snprintf(panel->title, sizeof panel->title,
                 "Angular velocity in the body's axes, one in %d of %d", step, count);
    for (int i = 0; i < count && status == NOE_OK; i += step) {
        const int column = sight->bodies->body[i / 3].angular + i % 3;
        status = figure_add_curve(panel, sight->table->column[column], sight->table->nrows,
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
            const struct rigid_body *body = &sight->bodies->body[b];
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

/* Largest deviation from the initial value. */
static double drift(size_t n, const real *x) {
    real max = 0;
    for (size_t i = 0; i < n; i++) max = noe_max(max, noe_abs(x[i] - x[0]));
    return (double)max;
}

static enum noe_status add_momentum(struct sight *sight, int time, const char *time_label,
                                    struct noe_error *error) {
    const char *title = sight->bodies->count == 1 ? "Angular momentum in space"
                                                  : "Angular momentum in space of all bodies";
    struct figure_panel *panel = figure_add_panel(sight->picture, title, time_label, "");
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
        status = figure_add_curve(panel, label, sight->table->nrows,
                                  table_column(sight->table, time), sight->row[i], error);
    }
    return status;
}

enum noe_status plot_rigid_body_add_panels(const struct plot_rigid_bodies *bodies,
                                           struct figure *picture, const struct noe_table *table,
                                           int time, const char *time_label,
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
