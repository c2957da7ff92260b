/* Panels of the statistics of an ensemble over time. */
/* SPDX-License-Identifier: MIT */
#include "plot/plot_ensemble_time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "base/status.h"
#include "output/table.h"

/* Columns of a quantity in this order, followed by its bins. */
enum { MEAN, DEVIATION, LEAST, MOST, Q05, Q25, MEDIAN, Q75, Q95, BINS };
enum { IMAGE_COLS = 240, IMAGE_ROWS = 120 };

int plot_ensemble_time_stride(const struct noe_table *table) {
    for (int c = 2; c < table->ncolumns; c++) {
        const size_t length = strlen(table->column[c]);
        if (length > 5 && strcmp(table->column[c] + length - 5, " mean") == 0) return c - 1;
    }
    return table->ncolumns - 1;
}

enum noe_status plot_ensemble_time_check(const struct noe_table *table, int column,
                                         struct noe_error *error) {
    static const char *const endings[BINS] = {" mean", NULL, " min"};
    const int stride = plot_ensemble_time_stride(table), left = table->ncolumns - column;
    bool is_whole = stride > BINS && left >= stride;
    for (int i = 0; i < BINS && is_whole; i++) {
        const char *name = table->column[column + i], *ending = endings[i] ? endings[i] : "";
        const size_t length = strlen(name), kept = strlen(ending);
        is_whole = length > kept && strcmp(name + length - kept, ending) == 0;
    }
    if (is_whole) return NOE_OK;
    return status_set(error, NOE_BAD_INPUT,
                      "the table is incomplete: each quantity of an ensemble has mean, deviation, "
                      "extremes, quantiles and the same number of bins, and '%.80s' has %d of %d "
                      "columns",
                      table->column[column], left < stride ? left : stride,
                      stride > BINS ? stride : BINS + 1);
}

static void take_label(const struct noe_table *table, int column, char label[FIGURE_LABEL]) {
    const char *name = table->column[column];
    snprintf(label, FIGURE_LABEL, "%.*s", (int)(strlen(name) - strlen(" mean")), name);
}

static void take_column(const struct noe_table *table, int column, double *values) {
    const real *from = table_column(table, column);
    for (size_t i = 0; i < table->nrows; i++) values[i] = (double)from[i];
}

enum noe_status plot_ensemble_time_fan(struct figure *picture, const struct noe_table *table,
                                       int column, struct noe_error *error) {
    static const struct {
        const char *label;
        int low, high, see_through;
    } bands[] = {{"all", LEAST, MOST, 0xe0}, {"90 %", Q05, Q95, 0xb8}, {"50 %", Q25, Q75, 0x80}};
    char label[FIGURE_LABEL];
    const size_t n = table->nrows;
    double *x = malloc(3 * n * sizeof *x), *low = x + n, *high = low + n;
    if (!x) return status_set(error, NOE_NO_MEMORY, "out of memory");
    take_label(table, column, label);
    struct figure_panel *panel = figure_add_panel(picture, label, "t", label);
    enum noe_status status = NOE_OK;
    take_column(table, 0, x);
    for (size_t b = 0; panel && b < sizeof bands / sizeof *bands && status == NOE_OK; b++) {
        take_column(table, column + bands[b].low, low);
        take_column(table, column + bands[b].high, high);
        status =
            figure_add_band(panel, bands[b].label, bands[b].see_through, n, x, low, high, error);
    }
    free(x);
    for (int i = 0; panel && i < 2 && status == NOE_OK; i++) {
        const int at = column + (i ? MEAN : MEDIAN), before = panel->ncurves;
        status = figure_add_curve(panel, i ? "mean" : "median", n, table_column(table, 0),
                                  table_column(table, at), error);
        if (panel->ncurves > before) panel->curve[before].style = i;
    }
    return status;
}

/* The row whose time is nearest to t. Times increase. */
static size_t nearest_row(const struct noe_table *table, real t, size_t from) {
    const real *time = table_column(table, 0);
    while (from + 1 < table->nrows && noe_abs(time[from + 1] - t) <= noe_abs(time[from] - t))
        from++;
    return from;
}

/* One column of the heat map: number of members per bin relative to the largest. */
static void fill_column(const struct noe_table *table, int column, size_t row,
                        struct figure_image *image, int i) {
    const int cells = plot_ensemble_time_stride(table) - BINS;
    const double min = (double)table_column(table, column + LEAST)[row];
    const double max = (double)table_column(table, column + MOST)[row];
    const double step = (image->high - image->low) / (image->rows - 1);
    double largest = 0;
    for (int j = 0; j < image->rows; j++) {
        const double y = image->low + j * step;
        const bool is_inside = y >= min - step / 2 && y <= max + step / 2;
        const double place = max > min ? (y - min) / (max - min) * cells : 0;
        const int cell = place >= cells ? cells - 1 : place > 0 ? (int)place : 0;
        const double value =
            is_inside ? (double)table_column(table, column + BINS + cell)[row] : NAN;
        image->value[j * image->cols + i] = value > 0 ? value : NAN;
        if (value > largest) largest = value;
    }
    for (int j = 0; j < image->rows; j++) image->value[j * image->cols + i] /= largest;
}

enum noe_status plot_ensemble_time_density(struct figure *picture, const struct noe_table *table,
                                           int column, struct noe_error *error) {
    char label[FIGURE_LABEL], title[FIGURE_WORDS];
    take_label(table, column, label);
    const real *time = table_column(table, 0);
    struct figure_image image = {.cols =
                                     (int)(table->nrows < IMAGE_COLS ? table->nrows : IMAGE_COLS),
                                 .rows = IMAGE_ROWS,
                                 .left = (double)time[0],
                                 .right = (double)time[table->nrows - 1],
                                 .low = INFINITY,
                                 .high = -INFINITY};
    for (size_t r = 0; r < table->nrows; r++) {
        image.low = fmin(image.low, (double)table_column(table, column + LEAST)[r]);
        image.high = fmax(image.high, (double)table_column(table, column + MOST)[r]);
    }
    if (!(image.high > image.low) || !isfinite(image.high - image.low)) return NOE_OK;
    snprintf(title, sizeof title, "%s: density over its largest at each time", label);
    struct figure_panel *panel = figure_add_panel(picture, title, "t", label);
    if (!panel) return NOE_OK;
    image.value = malloc((size_t)(image.cols * image.rows) * sizeof *image.value);
    if (!image.value) return status_set(error, NOE_NO_MEMORY, "out of memory");
    size_t row = 0;
    for (int i = 0; i < image.cols; i++) {
        const real part = image.cols > 1 ? (real)i / (real)(image.cols - 1) : 0;
        row = nearest_row(table, time[0] + (time[table->nrows - 1] - time[0]) * part, row);
        fill_column(table, column, row, &image, i);
    }
    panel->image = image;
    return NOE_OK;
}

enum noe_status plot_ensemble_time_stairs(struct figure *picture, const char *title,
                                          const char *label, int cells, const double *share,
                                          const double range[2], struct noe_error *error) {
    struct figure_panel *panel = figure_add_panel(picture, title, label, "");
    if (!panel) return NOE_OK;
    const size_t n = 2 * (size_t)cells;
    double *x = calloc(3 * n, sizeof *x), *low = x + n, *high = low + n;
    if (!x) return status_set(error, NOE_NO_MEMORY, "out of memory");
    const bool is_point = !(range[1] > range[0]);
    const double around = is_point ? fmax(fabs(range[0]), 1) * 1e-3 : 0;
    const double min = range[0] - around, width = (range[1] - range[0] + 2 * around) / cells;
    for (int i = 0; i < cells; i++) {
        x[2 * i] = min + i * width;
        x[2 * i + 1] = min + (i + 1) * width;
        high[2 * i] = high[2 * i + 1] = share[is_point ? (i == cells / 2 ? 0 : 1) : i];
    }
    const enum noe_status status = figure_add_band(panel, label, 0x60, n, x, low, high, error);
    free(x);
    return status;
}

enum noe_status plot_ensemble_time_histogram(struct figure *picture, const struct noe_table *table,
                                             int column, struct noe_error *error) {
    const size_t last = table->nrows - 1;
    const int cells = plot_ensemble_time_stride(table) - BINS;
    const double range[2] = {(double)table_column(table, column + LEAST)[last],
                             (double)table_column(table, column + MOST)[last]};
    char label[FIGURE_LABEL], title[FIGURE_WORDS];
    if (cells < 2 || !isfinite(range[0]) || !isfinite(range[1])) return NOE_OK;
    double *share = malloc((size_t)cells * sizeof *share);
    if (!share) return status_set(error, NOE_NO_MEMORY, "out of memory");
    for (int i = 0; i < cells; i++) share[i] = (double)table_column(table, column + BINS + i)[last];
    take_label(table, column, label);
    snprintf(title, sizeof title, "members by %s at t = %g", label,
             (double)table_column(table, 0)[last]);
    const enum noe_status status =
        plot_ensemble_time_stairs(picture, title, label, cells, share, range, error);
    free(share);
    return status;
}
