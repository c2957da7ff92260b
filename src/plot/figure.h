/* A picture: panels of curves, made from a trajectory; what draws it is another matter. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_FIGURE_H
#define PLOT_FIGURE_H

#include "base/status.h"

/* A panel shows FIGURE_CURVES curves, one a colour; with logarithmic axes more. */
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
    double *low;     /* a band from here up to y; NULL: a line */
    int see_through; /* of a band: 0 to 255 */
    int style;       /* its colour, and its dashes where there are more curves than colours */
    bool as_dots;
    bool is_dense;  /* so long that its lines would cover the panel */
    bool is_behind; /* on the far side of a sphere */
    bool continues; /* it is one with the curve before: colour, legend */
};

/* Colours over a rectangle, row by row from below; NaN is left white. Places are the middles of the
 * outermost cells. */
struct figure_image {
    int cols, rows;
    double left, right, low, high;
    double *value; /* NULL: the panel has none */
};

struct figure_panel {
    char title[FIGURE_WORDS], x_label[80], y_label[80];
    bool is_path; /* not a graph over the horizontal axis */
    bool has_equal_axes, has_log_x, has_log_y, marks_end;
    bool has_log_axes;         /* both; each point of a curve is marked */
    bool is_scatter;           /* curves are points without an order */
    bool hides_legend;         /* colours only tell curves apart */
    bool is_sphere;            /* curves are paths on the unit sphere, seen from afar */
    double y_floor;            /* with a logarithmic axis: where it starts */
    struct figure_image image; /* below the curves */
    int ncurves;
    struct figure_curve curve[FIGURE_CURVES_MAX];
};

struct figure {
    char title[FIGURE_WORDS], subtitle[FIGURE_WORDS], warning[FIGURE_WORDS];
    bool has_one_legend; /* all panels show the same curves: words beside them, once */
    int npanels;
    struct figure_panel panel[FIGURE_PANELS];
};

/* The expressions of the list `y` against the expression `x` (see column.h). `name` stands for a
 * title where the trajectory has none. */
enum noe_status figure_of(struct figure *picture, const struct noe_table *table, const char *name,
                          const char *x, const char *y, struct noe_error *error);
void figure_clear(struct figure *picture);
/* What goes to the right if nothing else is said: time, or the first column. */
const char *figure_across(const struct noe_table *table);

/* Gives every panel logarithmic axes; what is not positive is left out. */
void figure_use_log(struct figure *picture, bool along_x, bool along_y);

/* For the makers of pictures: the next panel, with its words; NULL if there is no room. */
struct figure_panel *figure_add_panel(struct figure *picture, const char *title,
                                      const char *x_label, const char *y_label);
/* Gives a panel the curve y over x, thinned to what a picture can show. A curve without a finite
 * point is left out, and so is one for which there is no room. */
enum noe_status figure_add_curve(struct figure_panel *panel, const char *label, size_t n,
                                 const noe_real *x, const noe_real *y, struct noe_error *error);
/* Gives a panel the band between `low` and `high` over x, which never decreases. */
enum noe_status figure_add_band(struct figure_panel *panel, const char *label, int see_through,
                                size_t n, const double *x, const double *low, const double *high,
                                struct noe_error *error);
/* A point of space as seen from afar: across, up, and how near it is. */
void figure_sphere(const double point[3], double seen[3]);
/* Drops panels without curves; it is an error if none is left. */
enum noe_status figure_finish(struct figure *picture, const struct noe_table *table,
                              const char *name, struct noe_error *error);

#endif
