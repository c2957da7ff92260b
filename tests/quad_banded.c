/* Banded matrices in quadruple precision. */
/* SPDX-License-Identifier: MIT */
#include "test_banded.c"
