/* The picture of a minimisation: value, gradient and configuration over the iterations. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_ITERATES_H
#define OUTPUT_ITERATES_H

#include "plot/figure.h"

/* Is the table the record of a minimisation? */
bool iterates_are(const struct noe_table *table);
enum noe_status iterates_make(struct picture *picture, const struct noe_table *table,
                              const char *name, struct noe_error *error);

#endif
