/* Default figure of a trajectory. The names of columns determine their meaning: q and q' are a
 * coordinate and its velocity, and p.q is its momentum. */
/* SPDX-License-Identifier: MIT */
#include "plot/plot_trajectory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "output/table.h"
#include "plot/plot_optimise.h"
#include "plot/plot_rigid_body.h"

enum { NAME_BYTES = 256, SEGMENTS = 10, PHASES_MOST = 4 };

/* Columns of a coordinate and its velocity, and its index among the components of a point. A point
 * of the plane or of space has 2 or 3 components; all other coordinates count as scalars with 1. */
struct coordinate {
    int column, velocity;
    int component, dimension;
};

struct overview {
    struct figure *picture;
    const struct noe_table *table;
    int time, energy;         /* columns; -1: missing */
    int step, discrete_error; /* columns of energy-adaptive methods; -1: missing */
    int ncoordinates, npoints;
    struct coordinate *coordinate;
    int nquantities, *quantity; /* columns of all other recorded quantities */
    bool has_controls;          /* the quantities are controls, followed by costates */
    struct plot_rigid_bodies bodies;
    real *change; /* scratch, one number per row */
    struct noe_error *error;
    enum noe_status status;
};

static const real *values_of(const struct overview *overview, int column) {
    return table_column(overview->table, column);
}

static const char *name_of(const struct overview *overview, int column) {
    return overview->table->column[column];
}

static const char *time_label(const struct overview *overview) {
    const char *name = name_of(overview, overview->time);
    return strcmp(name, "t") == 0 ? "t (in the model's unit of time)" : name;
}

static void add_curve(struct overview *overview, struct figure_panel *panel, const char *label,
                      const real *x, const real *y) {
    if (overview->status == NOE_OK)
        overview->status =
            figure_add_curve(panel, label, overview->table->nrows, x, y, overview->error);
}

/* Length of a name without its last index: "y[2][3]" gives that of "y[2]". */
static size_t stem_length(const char *name) {
    const char *bracket = strrchr(name, '[');
    return bracket ? (size_t)(bracket - name) : strlen(name);
}

static bool share_stem(const char *a, const char *b) {
    const size_t length = stem_length(a);
    return a[length] == '[' && length == stem_length(b) && strncmp(a, b, length) == 0;
}

/* Groups neighbouring coordinates whose names differ in the last index only into points. */
static void find_points(struct overview *overview) {
    struct coordinate *all = overview->coordinate;
    for (int first = 0, end; first < overview->ncoordinates; first = end) {
        const char *name = name_of(overview, all[first].column);
        for (end = first + 1; end < overview->ncoordinates; end++)
            if (!share_stem(name, name_of(overview, all[end].column))) break;
        const int count = end - first;
        const bool is_point = count == 2 || count == 3;
        overview->npoints += is_point;
        for (int i = first; i < end; i++) {
            all[i].component = is_point ? i - first : 0;
            all[i].dimension = is_point ? count : 1;
        }
    }
}

static int find_with(const struct noe_table *table, const char *prefix, const char *name,
                     const char *suffix) {
    char text[NAME_BYTES];
    snprintf(text, sizeof text, "%s%s%s", prefix, name, suffix);
    return table_column_find(table, text);
}

/* True if a velocity or momentum belongs to a coordinate in an earlier column. */
static bool belongs_to_coordinate(const struct noe_table *table, int column) {
    const char *name = table->column[column];
    char base[NAME_BYTES];
    snprintf(base, sizeof base, "%s", strncmp(name, "p.", 2) == 0 ? name + 2 : name);
    const size_t length = strlen(base);
    if (length > 0 && base[length - 1] == '\'') base[length - 1] = 0;
    return strcmp(base, name) != 0 && table_column_find(table, base) >= 0;
}

static void sort_columns(struct overview *overview) {
    const struct noe_table *table = overview->table;
    const int time = table_column_find(table, "t");
    overview->time = time < 0 ? 0 : time;
    overview->energy = table_column_find(table, "energy");
    overview->discrete_error = table_column_find(table, "discrete_energy_error");
    overview->step = overview->discrete_error < 0 ? -1 : table_column_find(table, "step");
    const int discrete = overview->step < 0 ? -1 : table_column_find(table, "discrete_energy");
    for (int c = 0; c < table->ncolumns; c++) {
        if (c == overview->time || c == overview->energy) continue;
        if (c == overview->step || c == discrete || c == overview->discrete_error) continue;
        if (strncmp(table->column[c], "costate.", 8) == 0) {
            overview->has_controls = true;
            continue;
        }
        const int moved = find_with(table, "", table->column[c], "'");
        const int velocity = moved >= 0 ? moved : plot_rigid_body_velocity(&overview->bodies, c);
        if (velocity >= 0)
            overview->coordinate[overview->ncoordinates++] =
                (struct coordinate){.column = c, .velocity = velocity};
        else if (!belongs_to_coordinate(table, c) && !plot_rigid_body_own(&overview->bodies, c))
            overview->quantity[overview->nquantities++] = c;
    }
    find_points(overview);
}

/* Configuration or velocity against time; only the first component if there are many points. */
static void add_motion(struct overview *overview, const char *title, bool of_velocity) {
    const bool takes_first = overview->npoints > 2;
    int count = 0, taken = 0;
    for (int i = 0; i < overview->ncoordinates; i++)
        count += !takes_first || overview->coordinate[i].component == 0;
    const int step = (count + FIGURE_CURVES - 1) / FIGURE_CURVES;
    char words[FIGURE_WORDS];
    snprintf(words, sizeof words, "%s%s", title, takes_first ? ", first components" : "");
    const size_t length = strlen(words);
    if (step > 1) snprintf(words + length, sizeof words - length, ", one in %d of %d", step, count);
    struct figure_panel *panel =
        figure_add_panel(overview->picture, words, time_label(overview), "");
    for (int i = 0; i < overview->ncoordinates; i++) {
        const struct coordinate *coordinate = &overview->coordinate[i];
        if ((takes_first && coordinate->component > 0) || taken++ % step != 0) continue;
        const int column = of_velocity ? coordinate->velocity : coordinate->column;
        if (count == 1)
            snprintf(panel->y_label, sizeof panel->y_label, "%s", name_of(overview, column));
        add_curve(overview, panel, name_of(overview, column), values_of(overview, overview->time),
                  values_of(overview, column));
    }
}

/* Phase portraits (q, q') of the first coordinates. */
static void add_phase(struct overview *overview) {
    const int count = overview->ncoordinates, step = (count + PHASES_MOST - 1) / PHASES_MOST;
    const struct coordinate *first = overview->coordinate;
    char title[FIGURE_WORDS] = "Phase portrait";
    if (step > 1) snprintf(title, sizeof title, "Phase portrait, one in %d of %d", step, count);
    struct figure_panel *panel = figure_add_panel(
        overview->picture, title, count == 1 ? name_of(overview, first->column) : "coordinate",
        count == 1 ? name_of(overview, first->velocity) : "velocity");
    for (int i = 0; i < count; i += step) {
        const struct coordinate *coordinate = &overview->coordinate[i];
        add_curve(overview, panel, name_of(overview, coordinate->column),
                  values_of(overview, coordinate->column),
                  values_of(overview, coordinate->velocity));
    }
}

static real spread(size_t n, const real *x) {
    real low = x[0], high = x[0];
    for (size_t i = 1; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    return high - low;
}

/* Name of component k of the points: that of the only point, or with a generic index. */
static void name_component(const struct overview *overview, int k, char *text, size_t size) {
    const struct coordinate *first = NULL;
    bool is_array = true;
    for (int i = 0; i < overview->ncoordinates; i++) {
        const struct coordinate *at = &overview->coordinate[i];
        if (at->dimension == 1 || at->component != k) continue;
        if (!first) first = at;
        const char *a = name_of(overview, first->column), *b = name_of(overview, at->column);
        is_array &= strcspn(a, "[") == strcspn(b, "[") && strncmp(a, b, strcspn(a, "[")) == 0;
    }
    const char *name = name_of(overview, first->column);
    if (overview->npoints == 1)
        snprintf(text, size, "%s", name);
    else if (is_array)
        snprintf(text, size, "%.*s[i][%d]", (int)strcspn(name, "["), name, k + 1);
    else
        snprintf(text, size, "component %d", k + 1);
}

/* For a single point of space: the component that varies least, which is left out. */
static int find_missing(const struct overview *overview) {
    int min = 2;
    real smallest = -1;
    for (int i = 0; overview->npoints == 1 && i < overview->ncoordinates; i++) {
        const struct coordinate *at = &overview->coordinate[i];
        if (at->dimension != 3) continue;
        const real width = spread(overview->table->nrows, values_of(overview, at->column));
        if (smallest >= 0 && !(width <= smallest)) continue;
        smallest = width;
        min = at->component;
    }
    return min;
}

/* Paths of all points projected on two of their components, usually the first two. */
static void add_paths(struct overview *overview) {
    const int missing = find_missing(overview);
    const int right = missing == 0 ? 1 : 0, high = missing == 2 ? 1 : 2;
    const int step = (overview->npoints + FIGURE_CURVES - 1) / FIGURE_CURVES;
    char title[FIGURE_WORDS], across[NAME_BYTES], up[NAME_BYTES];
    snprintf(title, sizeof title, "%s", overview->npoints == 1 ? "Path" : "Paths");
    if (step > 1) snprintf(title, sizeof title, "Paths, one in %d of %d", step, overview->npoints);
    name_component(overview, right, across, sizeof across);
    name_component(overview, high, up, sizeof up);
    struct figure_panel *panel = figure_add_panel(overview->picture, title, across, up);
    panel->has_equal_axes = panel->marks_end = true;
    for (int i = 0, k = 0; i + 1 < overview->ncoordinates; i++) {
        const struct coordinate *x = &overview->coordinate[i];
        if (x->dimension == 1 || x->component > 0 || k++ % step != 0) continue;
        const char *name = name_of(overview, x->column);
        char label[NAME_BYTES];
        snprintf(label, sizeof label, "%.*s", (int)stem_length(name), name);
        add_curve(overview, panel, label, values_of(overview, x[right].column),
                  values_of(overview, x[high].column));
    }
}

/* Path in the plane of two scalar coordinates, which may have different units. */
static void add_plane(struct overview *overview) {
    const struct coordinate *x = overview->coordinate, *y = x + 1;
    struct figure_panel *panel = figure_add_panel(
        overview->picture, "Path", name_of(overview, x->column), name_of(overview, y->column));
    const size_t n = overview->table->nrows;
    const real width = spread(n, values_of(overview, x->column));
    const real height = spread(n, values_of(overview, y->column));
    panel->has_equal_axes = width < 2 * height && height < 2 * width;
    panel->marks_end = true;
    add_curve(overview, panel, "", values_of(overview, x->column), values_of(overview, y->column));
}

/* change = c - c(0). A logarithmic axis is used for a small change that grows by orders of
 * magnitude, measured by the largest magnitudes in SEGMENTS parts of the run. */
static bool find_change(struct overview *overview, int column, double *floor) {
    const size_t n = overview->table->nrows;
    const real *c = values_of(overview, column);
    real max = 0, min = 0;
    for (int s = 0; s < SEGMENTS; s++) {
        const size_t first = n * (size_t)s / SEGMENTS, end = n * (size_t)(s + 1) / SEGMENTS;
        real largest = 0;
        for (size_t i = first; i < end; i++) {
            overview->change[i] = c[i] - c[0];
            largest = noe_max(largest, noe_abs(overview->change[i]));
        }
        if (largest > max) max = largest;
        if (largest > 0 && (min == 0 || largest < min)) min = largest;
    }
    *floor = (double)noe_max(min / 30, max * (real)1e-12);
    return max > 100 * min && max < (real)0.1 * real_norm(n, c);
}

/* A logarithmic axis shows magnitudes. Zeros are gaps. */
static void take_sizes(struct overview *overview) {
    for (size_t i = 0; i < overview->table->nrows; i++) {
        const real size = noe_abs(overview->change[i]);
        overview->change[i] = size > 0 ? size : (real)NAN;
    }
}

static void add_energy(struct overview *overview) {
    char title[FIGURE_WORDS];
    snprintf(title, sizeof title, "Energy change, E(0) = %.9g",
             (double)values_of(overview, overview->energy)[0]);
    struct figure_panel *panel =
        figure_add_panel(overview->picture, title, time_label(overview), "E - E(0)");
    panel->has_log_y = find_change(overview, overview->energy, &panel->y_floor);
    if (panel->has_log_y) {
        take_sizes(overview);
        snprintf(panel->y_label, sizeof panel->y_label, "|E - E(0)|");
    }
    add_curve(overview, panel, "E", values_of(overview, overview->time), overview->change);
}

/* For energy-adaptive methods: the step size over time, and the deviation of the discrete energy
 * from its initial value plus the work. */
static void add_steps(struct overview *overview) {
    const real *time = values_of(overview, overview->time);
    const real *error = values_of(overview, overview->discrete_error);
    const size_t n = overview->table->nrows;
    const real largest = real_norm(n, error);
    size_t small = 0;
    struct figure_panel *panel =
        figure_add_panel(overview->picture, "Step", time_label(overview), "h");
    add_curve(overview, panel, "h", time, values_of(overview, overview->step));
    for (size_t i = 0; i < n; i++) {
        overview->change[i] = error[i];
        small += noe_abs(error[i]) < (real)1e-3 * largest;
    }
    panel = figure_add_panel(overview->picture, "Error of the discrete energy",
                             time_label(overview), "less the work of forces");
    panel->has_log_y = largest > (real)1e-12 && 4 * small > n; /* steps with the size held, too */
    if (panel->has_log_y) {
        take_sizes(overview);
        panel->y_floor = 1e-17;
    }
    add_curve(overview, panel, "error", time, overview->change);
}

/* Largest magnitude of a quantity. The components of a vector share one value. */
static real size_of(const struct overview *overview, int column) {
    real size = 0;
    for (int i = 0; i < overview->nquantities; i++) {
        const int other = overview->quantity[i];
        if (other == column || share_stem(name_of(overview, column), name_of(overview, other)))
            size = noe_max(size, real_norm(overview->table->nrows, values_of(overview, other)));
    }
    return size;
}

/* True if the text of the model, if known, declares `invariant name`. */
static bool is_invariant(const struct overview *overview, int column) {
    static const char word[] = "invariant";
    const char *at = overview->table->model_text, *name = name_of(overview, column);
    const size_t length = strcspn(name, "[");
    while (at && (at = strstr(at, word))) {
        at += sizeof word - 1;
        const char *stated = at + strspn(at, " \t");
        const bool is_name = stated > at && strncmp(stated, name, length) == 0;
        if (is_name && strchr(" \t=", stated[length])) return true;
    }
    return false;
}

/* True for an invariant, and for a quantity that varies by less than a thousandth of its magnitude.
 * Such a quantity is shown by its change. */
static bool is_kept(const struct overview *overview, int column) {
    return is_invariant(overview, column) ||
           spread(overview->table->nrows, values_of(overview, column)) <=
               (real)1e-3 * size_of(overview, column);
}

/* True for columns of multipliers. Recorded expressions follow the energy column, and multipliers
 * precede it. */
static bool is_multiplier(const struct overview *overview, int column) {
    return column < overview->energy;
}

enum kind { CONTROLS, MULTIPLIERS, VARYING, KEPT };

static enum kind kind_of(const struct overview *overview, int column) {
    if (overview->has_controls) return CONTROLS;
    if (is_multiplier(overview, column)) return MULTIPLIERS;
    return is_kept(overview, column) ? KEPT : VARYING;
}

static void add_quantities(struct overview *overview, const char *title, enum kind kind) {
    const bool of_kept = kind == KEPT;
    struct figure_panel *panel = NULL;
    for (int i = 0; i < overview->nquantities; i++) {
        const int column = overview->quantity[i];
        if (kind_of(overview, column) != kind) continue;
        if (!panel) panel = figure_add_panel(overview->picture, title, time_label(overview), "");
        double floor;
        if (of_kept) find_change(overview, column, &floor);
        add_curve(overview, panel, name_of(overview, column), values_of(overview, overview->time),
                  of_kept ? overview->change : values_of(overview, column));
    }
    if (panel && panel->ncurves == 1)
        snprintf(panel->y_label, sizeof panel->y_label, "%s", panel->curve[0].label);
}

static void add_panels(struct overview *overview) {
    const bool has_coordinates = overview->ncoordinates > 0;
    const bool has_bodies = overview->bodies.count > 0;
    if (has_bodies && overview->status == NOE_OK)
        overview->status =
            plot_rigid_body_add_panels(&overview->bodies, overview->picture, overview->table,
                                       overview->time, time_label(overview), overview->error);
    if (has_coordinates && !(has_bodies && overview->npoints > 0))
        add_motion(overview, "Configuration", false);
    if (overview->npoints > 0) add_paths(overview);
    if (has_coordinates && overview->npoints < 2 && !has_bodies) add_phase(overview);
    if (!has_bodies && overview->npoints == 0 && overview->ncoordinates == 2) add_plane(overview);
    if (overview->energy >= 0) add_energy(overview);
    if (overview->step >= 0) add_steps(overview);
    add_quantities(overview, "Controls", CONTROLS);
    add_quantities(overview, "Multipliers of constraints", MULTIPLIERS);
    add_quantities(overview, "Recorded quantities", VARYING);
    add_quantities(overview, "Change of what is nearly kept", KEPT);
    const bool has_gap = overview->picture->npanels % 2 == 1; /* empty cell of the grid */
    if (has_coordinates && has_gap && !has_bodies) add_motion(overview, "Velocity", true);
}

enum noe_status plot_trajectory_make(struct figure *picture, const struct noe_table *table,
                                     const char *name, struct noe_error *error) {
    *picture = (struct figure){0};
    if (plot_optimise_are(table)) return plot_optimise_make(picture, table, name, error);
    const size_t n = (size_t)table->ncolumns;
    struct overview overview = {.picture = picture,
                                .table = table,
                                .coordinate = malloc(n * sizeof *overview.coordinate),
                                .quantity = malloc(n * sizeof *overview.quantity),
                                .change = malloc(table->nrows * sizeof *overview.change),
                                .error = error};
    plot_rigid_body_find(&overview.bodies, table);
    if (overview.coordinate && overview.quantity && overview.change && !overview.bodies.failed) {
        sort_columns(&overview);
        add_panels(&overview);
    } else {
        overview.status = status_set(error, NOE_NO_MEMORY, "out of memory");
    }
    free(overview.coordinate);
    free(overview.quantity);
    free(overview.change);
    plot_rigid_body_clear(&overview.bodies);
    return overview.status == NOE_OK ? figure_finish(picture, table, name, error) : overview.status;
}
