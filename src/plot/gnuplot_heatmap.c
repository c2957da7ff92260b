/* Heat maps in a gnuplot script. */
/* SPDX-License-Identifier: MIT */
#include "plot/gnuplot_heatmap.h"

#include <math.h>

/* The colour map viridis of Smith and van der Walt (2015): perceptually uniform, also in
 * greyscale. */
static const char palette[] =
    "set palette defined (0 '#440154', 1 '#482878', 2 '#3e4989', 3 '#31688e', 4 '#26828e', "
    "5 '#1f9e89', 6 '#35b779', 7 '#6ece58', 8 '#b5de2b', 9 '#fde725')\n";

/* Half the width of a cell. */
static double half(int cells, double first, double last) {
    return cells > 1 ? (last - first) / (2 * (cells - 1)) : 0.5;
}

static double place(int cells, double first, double last, int i) {
    return cells > 1 ? first + (last - first) * i / (cells - 1) : first;
}

void gnuplot_heatmap_data(FILE *script, int p, const struct figure_image *image) {
    if (!image->value) return;
    fprintf(script, "$image%d << END\n", p);
    for (int j = 0; j < image->rows; j++)
        for (int i = 0; i < image->cols; i++) {
            const double value = image->value[j * image->cols + i];
            fprintf(script, "%.9g %.9g ", place(image->cols, image->left, image->right, i),
                    place(image->rows, image->low, image->high, j));
            if (isfinite(value))
                fprintf(script, "%.9g\n", value);
            else
                fputs("NaN\n", script);
        }
    fputs("END\n", script);
}

/* Colour range from the smallest to the largest value, widened if all are equal. */
static void write_range(FILE *script, const struct figure_image *image) {
    double min = INFINITY, max = -INFINITY;
    for (int i = 0; i < image->rows * image->cols; i++) {
        if (!isfinite(image->value[i])) continue;
        min = fmin(min, image->value[i]);
        max = fmax(max, image->value[i]);
    }
    if (!(min <= max)) min = max = 0;
    const double around = max > min ? 0 : fmax(fabs(max), 1) * 1e-3;
    fprintf(script, "set cbrange [%.9g:%.9g]\n", min - around, max + around);
}

void gnuplot_heatmap_frame(FILE *script, const struct figure_image *image, double right, double low,
                           double high) {
    const double x = half(image->cols, image->left, image->right);
    const double y = half(image->rows, image->low, image->high);
    fputs(palette, script);
    write_range(script, image);
    fprintf(script,
            "set offsets 0,0,0,0\nset xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n"
            "set colorbox vertical user origin screen %.4f,%.4f size screen 0.011,%.4f\n",
            image->left - x, image->right + x, image->low - y, image->high + y, right + 0.006, low,
            high - low);
}

void gnuplot_heatmap_write(FILE *script, int p, bool has_more) {
    fprintf(script, " $image%d using 1:2:3 title '' with image @cells%s", p, has_more ? "," : "");
}
