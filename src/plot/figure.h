/* A figure: panels of curves made from a table, independent of the program that draws it. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_FIGURE_H
#define PLOT_FIGURE_H

#include "base/status.h"

/* A panel shows up to FIGURE_CURVES curves in different colours, or more if its axes are
 * logarithmic. */
enum {
    FIGURE_PANELS = 8,
    FIGURE_CURVES = 8,
    FIGURE_CURVES_MAX = 32,
    FIGURE_WORDS = 240,
    FIGURE_LABEL = 80
};

struct figure_curve {
    char label[FIGURE_LABEL];
    size_t n;
    double *x, *y;
    double *low;     /* lower edge of a band whose upper edge is y; NULL: a line */
    int see_through; /* transparency of a band, 0 to 255 */
    int style;       /* index of the colour, and of the dash pattern when the colours are used up */
    bool as_dots;
    bool is_dense;  /* drawn with thin lines because it would cover the panel */
    bool is_behind; /* on the far side of a sphere */
    bool continues; /* shares colour and legend with the previous curve */
};

/* A heat map over a rectangle, row by row from below. NaN is left white. left, right, low and high
 * are the centres of the outermost cells. */
struct figure_image {
    int cols, rows;
    double left, right, low, high;
    double *value; /* NULL: no heat map */
};

struct figure_panel {
    char title[FIGURE_WORDS], x_label[80], y_label[80];
    bool is_path; /* a path in the plane, not a graph over the horizontal axis */
    bool has_equal_axes, has_log_x, has_log_y, marks_end;
    bool has_log_axes;         /* both axes are logarithmic, and every point has a marker */
    bool is_scatter;           /* curves are unordered points */
    bool hides_legend;         /* colours only distinguish curves */
    bool is_sphere;            /* curves are paths on the unit sphere in parallel projection */
    double y_floor;            /* lower end of a logarithmic axis */
    struct figure_image image; /* drawn below the curves */
    int ncurves, nleft_out;    /* nleft_out: curves for which there was no room */
    struct figure_curve curve[FIGURE_CURVES_MAX];
};

struct figure {
    char title[FIGURE_WORDS], subtitle[FIGURE_WORDS], warning[FIGURE_WORDS];
    bool has_one_legend; /* all panels show the same curves, so one legend serves all */
    int npanels;
    struct figure_panel panel[FIGURE_PANELS];
};

/* Plots the expressions of the list `y` against the expression `x` (see column_expression.h).
 * `name` is the title if the table has none. */
enum noe_status figure_of(struct figure *picture, const struct noe_table *table, const char *name,
                          const char *x, const char *y, struct noe_error *error);
void figure_clear(struct figure *picture);
/* Default expression of the horizontal axis: time, or the first column. */
const char *figure_across(const struct noe_table *table);

/* Gives every panel logarithmic axes. Values that are not positive are left out. */
void figure_use_log(struct figure *picture, bool along_x, bool along_y);

/* Adds a panel with its title and labels; NULL if there is no room. */
struct figure_panel *figure_add_panel(struct figure *picture, const char *title,
                                      const char *x_label, const char *y_label);
/* Adds the curve y over x to a panel, decimated to the resolution of a figure. A curve without a
 * finite point, or without room in the panel, is left out. */
enum noe_status figure_add_curve(struct figure_panel *panel, const char *label, size_t n,
                                 const noe_real *x, const noe_real *y, struct noe_error *error);
/* Adds the band between `low` and `high` over nondecreasing x to a panel. */
enum noe_status figure_add_band(struct figure_panel *panel, const char *label, int see_through,
                                size_t n, const double *x, const double *low, const double *high,
                                struct noe_error *error);
/* Parallel projection of a point of space: horizontal, vertical, and distance towards the
 * viewer. */
void figure_sphere(const double point[3], double seen[3]);
/* Removes panels without curves, and states curves that were left out for want of room. Fails if no
 * panel is left. */
enum noe_status figure_finish(struct figure *picture, const struct noe_table *table,
                              const char *name, struct noe_error *error);

#endif
