/* The tests of generated functions in quadruple precision. */
/* SPDX-License-Identifier: MIT */
#include "test_codegen.c"
