/* Running a method on a system. */
/* SPDX-License-Identifier: MIT */
#include "methods.h"

#include <math.h>
#include <stdlib.h>

const struct test_case test_cases[] = {
    {&henon_heiles, {0.1, 0.3}, {0.35, -0.2}},
    {&double_pendulum, {0.3, -0.2}, {0.2, 0.5}},
    {&driven_pendulum, {0.3, -0.2}, {0.2, 0.5}},
    {&magnet, {1.0, 0.3}, {0.2, 0.6}},
};
const int test_case_count = sizeof test_cases / sizeof *test_cases;

static void visit_cases(const char *method, const struct noe_method *row,
                        void (*visit)(const char *, const struct noe_method *,
                                      const struct test_case *)) {
    for (int i = 0; i < test_case_count; i++) {
        struct noe_problem problem;
        struct noe_error error;
        const enum noe_status status =
            noe_problem_init(&problem, test_cases[i].system, method, 0.1, &error);
        if (status == NOE_NOT_SERVED) continue;
        if (status != NOE_OK) fail_msg("%s: %s", method, error.text);
        noe_problem_clear(&problem);
        visit(method, row, &test_cases[i]);
    }
}

void for_each_method(int most, void (*visit)(const char *method, const struct noe_method *row,
                                             const struct test_case *test)) {
    for (int i = 0; i < noe_method_count(); i++) {
        const struct noe_method *row = noe_method_at(i);
        const struct noe_option *option = row->options;
        if (!option || option->kind != NOE_INTEGER) {
            visit_cases(row->name, row, visit);
            continue;
        }
        const int stride = strcmp(option->name, "order") == 0 ? 2 : 1;
        for (int value = (int)option->least; value <= option->most && value <= most;
             value += stride) {
            char method[80];
            snprintf(method, sizeof method, "%s %s=%d", row->name, option->name, value);
            visit_cases(method, row, visit);
        }
    }
}

void run_start(struct run *run, const struct test_case *test, const char *method, real h) {
    struct noe_error error;
    if (noe_problem_init(&run->problem, test->system, method, h, &error) != NOE_OK ||
        noe_work_create(&run->work, &run->problem, &error) != NOE_OK ||
        noe_start(run->work, 0, test->q, test->v, &error) != NOE_OK)
        fail_msg("%s on %s: %s", method, test->system->name, error.text);
}

void run_end(struct run *run) {
    noe_work_free(run->work);
    noe_problem_clear(&run->problem);
}

real state_distance(const struct noe_system *system, const struct noe_state *a,
                    const struct noe_state *b) {
    real largest = 0;
    for (int i = 0; i < system->n; i++) {
        largest = noe_max(largest, noe_abs(a->q[i] - b->q[i]));
        largest = noe_max(largest, noe_abs(a->p[i] - b->p[i]));
    }
    return largest;
}

enum { QUARTERS = 4 };

/* (q,p) at the four quarters of the time from 0 to 1, in steps of the given number, even where the
 * method would adapt its step. */
static void quarters(const struct test_case *test, const char *method, int steps,
                     real z[QUARTERS][8]) {
    const int n = test->system->n;
    struct run run;
    struct noe_error error;
    run_start(&run, test, method, (real)1 / steps);
    for (int k = 1; k <= steps; k++) {
        if (noe_step_by(run.work, (real)1 / steps, &error) != NOE_OK)
            fail_msg("%s: %s", method, error.text);
        if (k % (steps / QUARTERS) != 0) continue;
        real *at = z[k / (steps / QUARTERS) - 1];
        memcpy(at, noe_now(run.work)->q, (size_t)n * sizeof *at);
        memcpy(at + n, noe_now(run.work)->p, (size_t)n * sizeof *at);
    }
    run_end(&run);
}

double observed_order(const struct test_case *test, const char *method, double floor) {
    const int numbers = 2 * test->system->n;
    double last = 0, order = NAN;
    real exact[QUARTERS][8], z[QUARTERS][8];
    quarters(test, "gauss stages=12", 32, exact);
    for (int steps = QUARTERS; steps <= 1024; steps *= 2) {
        double error = 0; /* summed over the quarters: it does not vanish by chance */
        quarters(test, method, steps, z);
        for (int i = 0; i < QUARTERS; i++)
            for (int j = 0; j < numbers; j++) error += (double)noe_abs(z[i][j] - exact[i][j]);
        if (error < floor) break;
        if (last > 0) order = log2(last / error);
        last = error;
    }
    return order;
}
