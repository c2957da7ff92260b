/* Models of every kind for which the steppers differ. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_MODELS_H
#define TESTS_MODELS_H

#include <stddef.h>

extern const char *const test_models[];
extern const size_t test_models_count;

#endif
