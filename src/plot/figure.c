/* A figure: panels of curves made from a table, independent of the program that draws it. */
/* SPDX-License-Identifier: MIT */
#include "plot/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "output/table.h"
#include "plot/column_expression.h"
#include "plot/decimate.h"

enum { DENSE_PATH = 100, DENSE_GRAPH = 400 };
enum { MARKED_MOST = 40 }; /* largest number of points with individual markers */
enum { POINTS_MOST = 4000, PATH_MOST = 20000, DOTS_MOST = 20000, SCATTER_MOST = 100000 };

void figure_clear(struct figure *picture) {
    for (int p = 0; p < FIGURE_PANELS; p++) {
        free(picture->panel[p].image.value);
        for (int c = 0; c < FIGURE_CURVES_MAX; c++) {
            free(picture->panel[p].curve[c].x);
            free(picture->panel[p].curve[c].y);
            free(picture->panel[p].curve[c].low);
        }
    }
    *picture = (struct figure){0};
}

const char *figure_across(const struct noe_table *table) {
    const int time = table_column_find(table, "t");
    return table->column[time >= 0 ? time : 0];
}

struct figure_panel *figure_add_panel(struct figure *picture, const char *title,
                                      const char *x_label, const char *y_label) {
    if (picture->npanels == FIGURE_PANELS) return NULL;
    struct figure_panel *panel = &picture->panel[picture->npanels++];
    snprintf(panel->title, sizeof panel->title, "%s", title);
    snprintf(panel->x_label, sizeof panel->x_label, "%s", x_label);
    snprintf(panel->y_label, sizeof panel->y_label, "%s", y_label);
    return panel;
}

/* Copies the points as doubles. Infinite values become gaps. Returns the number of visible
 * points. */
static size_t take_points(struct figure_curve *curve, size_t n, const real *x, const real *y) {
    size_t seen = 0;
    for (size_t i = 0; i < n; i++) {
        const double a = (double)x[i], b = (double)y[i];
        const bool is_seen = isfinite(a) && isfinite(b);
        curve->x[i] = isfinite(a) ? a : NAN;
        curve->y[i] = is_seen ? b : NAN;
        seen += is_seen;
    }
    return seen;
}

/* Bounding box of the visible points: left, right, bottom, top. */
static void find_rectangle(const struct figure_curve *curve, double rectangle[4]) {
    rectangle[0] = rectangle[2] = INFINITY;
    rectangle[1] = rectangle[3] = -INFINITY;
    for (size_t i = 0; i < curve->n; i++) {
        if (isnan(curve->y[i])) continue;
        rectangle[0] = fmin(rectangle[0], curve->x[i]);
        rectangle[1] = fmax(rectangle[1], curve->x[i]);
        rectangle[2] = fmin(rectangle[2], curve->y[i]);
        rectangle[3] = fmax(rectangle[3], curve->y[i]);
    }
}

static bool goes_right(const struct figure_curve *curve) {
    for (size_t i = 1; i < curve->n; i++)
        if (!(curve->x[i] >= curve->x[i - 1])) return false;
    return true;
}

/* True if the line is many times longer than the figure is wide. */
static bool is_dense(const struct figure_curve *curve, bool is_path) {
    double rectangle[4], length = 0;
    find_rectangle(curve, rectangle);
    const double width = rectangle[1] - rectangle[0];
    const double max = fmax(fabs(rectangle[2]), fabs(rectangle[3]));
    const double range = rectangle[3] - rectangle[2];
    const double height = range > 1e-9 * max ? range : 0; /* round-off looks like a line */
    for (size_t i = 1; i < curve->n; i++) {
        const double dx = width > 0 ? (curve->x[i] - curve->x[i - 1]) / width : 0;
        const double dy = height > 0 ? (curve->y[i] - curve->y[i - 1]) / height : 0;
        const double part = hypot(dx, dy);
        if (part > 0) length += part;
    }
    return length > (is_path ? DENSE_PATH : DENSE_GRAPH);
}

/* Decimates a path by collinearity. False if too many points are left; then it keeps all. */
static bool decimate_as_path(struct figure_curve *curve, double width, double height) {
    const size_t size = curve->n * sizeof *curve->x;
    double *x = malloc(size), *y = malloc(size);
    if (x && y) {
        memcpy(x, curve->x, size);
        memcpy(y, curve->y, size);
        const size_t n = decimate_path(curve->n, x, y, width, height);
        if (n <= PATH_MOST) {
            memcpy(curve->x, x, n * sizeof *x);
            memcpy(curve->y, y, n * sizeof *y);
            curve->n = n;
        }
    }
    free(x);
    free(y);
    return curve->n <= PATH_MOST;
}

/* A graph over x keeps its envelope and a path keeps its shape. A path that is too intricate
 * becomes a point cloud. */
static void thin(struct figure_curve *curve) {
    if (goes_right(curve)) {
        curve->n = decimate_envelope(curve->n, curve->x, curve->y, POINTS_MOST);
        return;
    }
    double rectangle[4];
    find_rectangle(curve, rectangle);
    const double width = rectangle[1] - rectangle[0], height = rectangle[3] - rectangle[2];
    curve->as_dots = decimate_is_coarse(curve->n, curve->x, curve->y, width, height);
    if (!curve->as_dots && curve->n > POINTS_MOST)
        curve->as_dots = !decimate_as_path(curve, width, height);
    if (!curve->as_dots) return;
    const double x_end = curve->x[curve->n - 1], y_end = curve->y[curve->n - 1];
    curve->n = decimate_dots(curve->n, curve->x, curve->y, rectangle, DOTS_MOST);
    curve->x[curve->n] = x_end; /* there is room for one more point, which may mark the end */
    curve->y[curve->n++] = y_end;
}

enum noe_status figure_add_curve(struct figure_panel *panel, const char *label, size_t n,
                                 const real *x, const real *y, struct noe_error *error) {
    if (!panel) return NOE_OK;
    if (panel->ncurves == (panel->has_log_axes ? FIGURE_CURVES_MAX : FIGURE_CURVES)) {
        panel->nleft_out++;
        return NOE_OK;
    }
    struct figure_curve curve = {.n = n, .style = panel->ncurves};
    snprintf(curve.label, sizeof curve.label, "%s", label);
    curve.x = malloc((n + 1) * sizeof *curve.x);
    curve.y = malloc((n + 1) * sizeof *curve.y);
    const bool has_room = curve.x && curve.y;
    if (!has_room || take_points(&curve, n, x, y) == 0) {
        free(curve.x);
        free(curve.y);
        return has_room ? NOE_OK : status_set(error, NOE_NO_MEMORY, "out of memory");
    }
    if (panel->is_scatter) {
        double rectangle[4];
        find_rectangle(&curve, rectangle);
        curve.n = decimate_dots(curve.n, curve.x, curve.y, rectangle, SCATTER_MOST);
        curve.as_dots = panel->is_path = true;
    } else if (!panel->has_log_axes) {
        const bool is_path = !goes_right(&curve);
        panel->is_path |= is_path;
        thin(&curve);
        curve.is_dense = is_dense(&curve, is_path);
    }
    panel->curve[panel->ncurves++] = curve;
    return NOE_OK;
}

enum noe_status figure_add_band(struct figure_panel *panel, const char *label, int see_through,
                                size_t n, const double *x, const double *low, const double *high,
                                struct noe_error *error) {
    const size_t stretch = n / POINTS_MOST + 1, max = n / stretch + 1; /* points that become one */
    if (!panel || panel->ncurves == FIGURE_CURVES) return NOE_OK;
    struct figure_curve curve = {.see_through = see_through};
    snprintf(curve.label, sizeof curve.label, "%s", label);
    curve.x = malloc(max * sizeof *curve.x);
    curve.y = malloc(max * sizeof *curve.y);
    curve.low = malloc(max * sizeof *curve.low);
    if (curve.x && curve.y && curve.low) panel->curve[panel->ncurves++] = curve;
    for (size_t i = 0; curve.x && curve.y && curve.low && i < n; i++) {
        const size_t at = i / stretch;
        const bool is_first = i % stretch == 0;
        if (is_first) curve.x[at] = x[i];
        curve.low[at] = is_first ? low[i] : fmin(curve.low[at], low[i]);
        curve.y[at] = is_first ? high[i] : fmax(curve.y[at], high[i]);
        panel->curve[panel->ncurves - 1].n = at + 1;
    }
    if (curve.x && curve.y && curve.low) return NOE_OK;
    free(curve.x);
    free(curve.y);
    free(curve.low);
    return status_set(error, NOE_NO_MEMORY, "out of memory");
}

/* View direction: azimuth 35 degrees from the first axis, elevation 25 degrees. */
void figure_sphere(const double point[3], double seen[3]) {
    static const double ca = 0.8191520442889918, sa = 0.5735764363510461;
    static const double ch = 0.9063077870366499, sh = 0.42261826174069944;
    const double away = ca * point[0] + sa * point[1];
    seen[0] = ca * point[1] - sa * point[0];
    seen[1] = ch * point[2] - sh * away;
    seen[2] = sh * point[2] + ch * away;
}

/* Appends ", first 8 of 15" to the title of a panel without room for all its curves. */
static void state_left_out(struct figure_panel *panel) {
    const size_t length = strlen(panel->title);
    if (panel->nleft_out > 0)
        snprintf(panel->title + length, sizeof panel->title - length, "%sfirst %d of %d",
                 length ? ", " : "", panel->ncurves, panel->ncurves + panel->nleft_out);
}

enum noe_status figure_finish(struct figure *picture, const struct noe_table *table,
                              const char *name, struct noe_error *error) {
    int kept = 0;
    for (int p = 0; p < picture->npanels; p++)
        if (picture->panel[p].ncurves > 0 || picture->panel[p].image.value)
            picture->panel[kept++] = picture->panel[p];
    for (int p = kept; p < picture->npanels; p++) picture->panel[p] = (struct figure_panel){0};
    picture->npanels = kept;
    for (int p = 0; p < kept; p++) state_left_out(&picture->panel[p]);
    if (kept == 0)
        return status_set(error, NOE_BAD_INPUT, "there is nothing to plot: no value is finite");
    snprintf(picture->title, sizeof picture->title, "%s",
             table->model_title ? table->model_title : name);
    if (table->method)
        snprintf(picture->subtitle, sizeof picture->subtitle, "%s, %s", table->method,
                 table->settings ? table->settings : "");
    if (table->message)
        snprintf(picture->warning, sizeof picture->warning, "incomplete: %s", table->message);
    return NOE_OK;
}

static size_t longest_curve(const struct figure_panel *panel) {
    size_t max = 0;
    for (int c = 0; c < panel->ncurves; c++)
        if (panel->curve[c].n > max) max = panel->curve[c].n;
    return max;
}

void figure_use_log(struct figure *picture, bool along_x, bool along_y) {
    for (int p = 0; p < picture->npanels; p++) {
        struct figure_panel *panel = &picture->panel[p];
        double min = INFINITY;
        for (int c = 0; c < panel->ncurves; c++)
            for (size_t i = 0; i < panel->curve[c].n; i++)
                if (panel->curve[c].y[i] > 0) min = fmin(min, panel->curve[c].y[i]);
        panel->has_equal_axes = false;
        panel->has_log_x = along_x;
        panel->has_log_y = along_y && min < INFINITY;
        panel->y_floor = min;
        panel->has_log_axes = along_x && along_y && longest_curve(panel) <= MARKED_MOST;
    }
}

/* True if both expressions are components of one vector, so that both axes have the same unit. */
static bool share_vector(const char *x, const char *y) {
    const size_t stem = strcspn(x, "[");
    return x[stem] == '[' && strncmp(x, y, stem + 1) == 0 && !strpbrk(x, "+-*/^(") &&
           !strpbrk(y, "+-*/^(");
}

static enum noe_status add_expression(struct figure_panel *panel, const struct noe_table *table,
                                      const real *x, const char *text, struct noe_error *error) {
    real *y;
    enum noe_status status = column_values(table, text, &y, error);
    if (status != NOE_OK) return status;
    status = figure_add_curve(panel, text, table->nrows, x, y, error);
    free(y);
    return status;
}

enum noe_status figure_of(struct figure *picture, const struct noe_table *table, const char *name,
                          const char *x, const char *y, struct noe_error *error) {
    struct column_list list = {0};
    real *across = NULL;
    *picture = (struct figure){0};
    enum noe_status status = column_list_read(&list, table, y, error);
    if (status == NOE_OK) status = column_values(table, x, &across, error);
    if (status == NOE_OK) {
        const int step = (list.count + FIGURE_CURVES - 1) / FIGURE_CURVES;
        char title[FIGURE_WORDS] = "";
        if (step > 1) snprintf(title, sizeof title, "every %d-th of %d curves", step, list.count);
        struct figure_panel *panel =
            figure_add_panel(picture, title, x, list.count == 1 ? list.text[0] : "");
        panel->has_equal_axes = panel->marks_end = list.count == 1 && share_vector(x, list.text[0]);
        for (int i = 0; i < list.count && status == NOE_OK; i += step)
            status = add_expression(panel, table, across, list.text[i], error);
    }
    if (status == NOE_OK) status = figure_finish(picture, table, name, error);
    free(across);
    column_list_clear(&list);
    return status;
}
