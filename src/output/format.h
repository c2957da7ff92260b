/* The list of output formats. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_FORMAT_H
#define OUTPUT_FORMAT_H

#include "noether.h"

/* The formats of this build: index 0 .. format_count()-1; NULL beyond them. */
int format_count(void);
const struct noe_format *format_at(int index);

#endif
