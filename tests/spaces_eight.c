/* The spaces in eight SIMD lanes. */
/* SPDX-License-Identifier: MIT */
#ifndef NOE_QUAD
#define NOE_LANES    8
#define SPACES_LANES spaces_eight
int spaces_eight(const char *name, int tau, const double *x, double *result);
#include "spaces_lanes.h"
#else
typedef int spaces_eight_are_for_doubles;
#endif
