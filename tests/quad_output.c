/* The tests of output in quadruple precision, linked with the quad library. */
/* SPDX-License-Identifier: MIT */
#include "test_output.c"
