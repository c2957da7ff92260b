/* The unit sphere in a gnuplot script. */
/* SPDX-License-Identifier: MIT */
#ifndef PLOT_GNUPLOT_SPHERE_H
#define PLOT_GNUPLOT_SPHERE_H

#include <stdio.h>

/* Outline, parallels and meridians, as the data block $sphere. */
void gnuplot_sphere_data(FILE *script);
/* The coordinate axes, labelled where they leave the sphere. */
void gnuplot_sphere_axes(FILE *script);

#endif
