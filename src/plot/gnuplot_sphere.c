/* The unit sphere in a gnuplot script. */
/* SPDX-License-Identifier: MIT */
#include "plot/gnuplot_sphere.h"

#include <math.h>

#include "plot/figure.h"

/* A circle on the unit sphere about an axis, at height `level`. The hidden part is a gap. */
static void write_circle(FILE *script, const double axis[3][3], double level) {
    enum { POINTS = 96 };
    const double radius = sqrt(1 - level * level);
    for (int i = 0; i <= POINTS; i++) {
        const double angle = 2 * M_PI * i / POINTS;
        double point[3], seen[3];
        for (int k = 0; k < 3; k++)
            point[k] =
                radius * (cos(angle) * axis[0][k] + sin(angle) * axis[1][k]) + level * axis[2][k];
        figure_sphere(point, seen);
        if (seen[2] < -1e-9)
            fputs("NaN NaN\n", script);
        else
            fprintf(script, "%.6g %.6g\n", seen[0], seen[1]);
    }
    fputs("\n", script);
}

void gnuplot_sphere_data(FILE *script) {
    const double upright[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    fputs("$sphere << END\n", script);
    for (int i = 0; i <= 96; i++)
        fprintf(script, "%.6g %.6g\n", cos(2 * M_PI * i / 96), sin(2 * M_PI * i / 96));
    fputs("\n", script);
    for (int i = -2; i <= 2; i++) write_circle(script, upright, sin(i * M_PI / 6));
    for (int i = 0; i < 6; i++) {
        const double c = cos(i * M_PI / 6), s = sin(i * M_PI / 6);
        const double meridian[3][3] = {{0, 0, 1}, {c, s, 0}, {-s, c, 0}};
        write_circle(script, meridian, 0);
    }
    fputs("END\n", script);
}

void gnuplot_sphere_axes(FILE *script) {
    for (int i = 0; i < 3; i++) {
        const double out[3] = {1.16 * (i == 0), 1.16 * (i == 1), 1.16 * (i == 2)};
        double end[3];
        figure_sphere(out, end);
        fprintf(script, "set arrow %d from %.4f,%.4f to %.4f,%.4f nohead lc rgb '#777777'\n", i + 1,
                end[0] / 1.16, end[1] / 1.16, end[0], end[1]);
        fprintf(script, "set label %d 'e%d' at %.4f,%.4f center tc rgb '#555555'\n", 10 + i, i + 1,
                end[0] * 1.07, end[1] * 1.07);
    }
}
