/* Objective functions stated in text, and runs that minimise them. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_OBJECTIVE_H
#define TESTS_OBJECTIVE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loaded.h"
#include "model_text.h"
#include "noether_optimise.h"

#define OBJECTIVE_VALLEY                                                                           \
    "coord x, y\nminimize (1 - x)^2 + 100*(y - x^2)^2 + sin(x*y)/4\nstart x = -1.2, y = 1\n"

enum { OBJECTIVE_KEPT = 4000, OBJECTIVE_NUMBERS = 16 };

/* The first iterates. */
struct objective_trace {
    int count, np;
    double value[OBJECTIVE_KEPT], gradient[OBJECTIVE_KEPT];
    double q[OBJECTIVE_KEPT][OBJECTIVE_NUMBERS];
};

struct objective_found {
    enum noe_status status;
    struct noe_descent_result result;
    struct noe_error error;
    double q[OBJECTIVE_NUMBERS];
};

struct objective {
    struct noe_model *model;
    struct noe_objective *function;
};

/* Fails the test if the text is wrong. */
struct objective objective_open(const char *text);
void objective_close(struct objective *objective);
/* At most 3000 iterations; `trace` may be NULL. */
struct objective_found objective_minimise(const struct noe_objective *function, const char *method,
                                          double tolerance, const noe_real *start,
                                          struct objective_trace *trace);

#endif
