/* Panels of the statistics of an ensemble over time. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_MEMBERS_TIME_H
#define OUTPUT_MEMBERS_TIME_H

#include "plot/figure.h"

/* How many columns a number has: the next one's begin so many later. */
int members_time_stride(const struct noe_table *table);
/* Of the number whose columns begin at `column`: quantiles, density, histogram at the end. */
enum noe_status members_time_fan(struct picture *picture, const struct noe_table *table, int column,
                                 struct noe_error *error);
enum noe_status members_time_density(struct picture *picture, const struct noe_table *table,
                                     int column, struct noe_error *error);
enum noe_status members_time_histogram(struct picture *picture, const struct noe_table *table,
                                       int column, struct noe_error *error);
/* A staircase over `cells` equal parts from `least` to `most`; `share` are counts. */
enum noe_status members_time_stairs(struct picture *picture, const char *title, const char *label,
                                    int cells, const double *share, const double range[2],
                                    struct noe_error *error);

#endif
