/* The spaces in four SIMD lanes. */
/* SPDX-License-Identifier: MIT */
#ifndef NOE_QUAD
#define NOE_LANES    4
#define SPACES_LANES spaces_four
int spaces_four(const char *name, int tau, const double *x, double *result);
#include "spaces_lanes.h"
#else
typedef int spaces_four_are_for_doubles;
#endif
