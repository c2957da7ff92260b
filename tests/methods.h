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
#include "methods/method.h"
#include "noether.h"
#include "systems.h"

enum {
    POINT_MAX = NOE_POINT_MAX,
    FREEDOMS_MAX = NOE_TANGENT_MAX,
    STATE_MAX = POINT_MAX + FREEDOMS_MAX
};

/* A system with a start from which its motion is nonlinear. */
struct test_case {
    const struct noe_system *system;
    real q[POINT_MAX], v[FREEDOMS_MAX];
};
extern const struct test_case test_cases[];
extern const int test_case_count;
/* Generic systems on the groups of the registry that have no test case above: systems_registry.c.
 */
const struct test_case *registry_cases(int *count);
/* True for these. A method may have more properties than it claims there, if the group is simple.
 */
bool is_registry_case(const struct test_case *test);
/* Systems with constraints. The start satisfies the constraints. */
extern const struct test_case constrained_cases[];
extern const int constrained_case_count;

/* The momentum of a system's symmetry; NULL if it has none. */
typedef real momentum_map(const real *q, const real *p);
momentum_map *momentum_of(const struct noe_system *system);

/* Calls `visit` for every method and every test case that it supports. The settings are every
 * allowed value of its integer option up to `max`, on groups up to 4, every kind, and on groups
 * every retraction and convention. `row` is the row that supports the case. If the environment
 * variable NOETHER_TEST_METHODS has names of methods, separated by spaces, only these are
 * visited. */
void for_each_method(int max, void (*visit)(const char *method, const struct variant *row,
                                            const struct test_case *test));

struct run {
    struct noe_problem problem;
    struct noe_work *work;
};

/* A run at its start; fails the test if the run cannot start. */
void run_start(struct run *run, const struct test_case *test, const char *method, real h);
void run_end(struct run *run);

/* Largest difference of (q,p) between two states. */
real state_distance(const struct noe_system *system, const struct noe_state *a,
                    const struct noe_state *b);
/* g1 = g0 moved by e along one direction of the tangents. */
void move_point(const struct noe_system *system, real *g1, const real *g0, int direction, real e);
/* x with g1 = g0 tau(x). */
void point_difference(const struct noe_system *system, real *x, const real *g0, const real *g1);
/* B(p), n x n: zero on R^n. */
void poisson_matrix(const struct noe_system *system, const real *p, real *B);
/* The order observed between the two smallest step sizes whose errors lie above `floor`; runs to
 * time 1. */
double observed_order(const struct test_case *test, const char *method, double floor);
/* The Jacobian that the method assembles against finite differences of its residual. */
void check_jacobian(const char *method, const struct variant *row, const struct test_case *test);

#endif
