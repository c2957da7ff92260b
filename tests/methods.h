/* Running a method on a system, for the tests of methods in every precision. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_METHODS_H
#define TESTS_METHODS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/real.h"
#include "noether.h"
#include "systems.h"

/* A system with a start from which its motion is nonlinear. */
struct test_case {
    const struct noe_system *system;
    real q[4], v[4];
};
extern const struct test_case test_cases[];
extern const int test_case_count;

/* Calls `visit` for every method and for every setting of its integer option that is allowed and
 * not above `most`, with every test case that the method serves. */
void for_each_method(int most, void (*visit)(const char *method, const struct noe_method *row,
                                             const struct test_case *test));

struct run {
    struct noe_problem problem;
    struct noe_work *work;
};

/* A run at its start; fails the test if there is none. */
void run_start(struct run *run, const struct test_case *test, const char *method, real h);
void run_end(struct run *run);

/* Largest difference of (q,p) between two states. */
real state_distance(const struct noe_system *system, const struct noe_state *a,
                    const struct noe_state *b);
/* The order seen between the two finest steps whose errors lie above `floor`; runs to time 1. */
double observed_order(const struct test_case *test, const char *method, double floor);

#endif
