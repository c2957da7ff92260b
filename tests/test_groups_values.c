/* Methods on groups: the states of the discrete methods themselves, computed elsewhere to 34 digits
 * and more, and what is kept in long runs. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "methods.h"
#include "spaces/product.h"

/* A start on a group: turned by the rotation vector `turn`, with body velocities v. */
struct start {
    const struct noe_system *system;
    double turn[3], v[FREEDOMS_MAX];
};

static const struct start heavy = {&heavy_top, {0.3, -0.2, 0.5}, {1, -0.5, 2}};
static const struct start freely = {&rigid_body, {0}, {1, 0.5, -0.8}};

struct value {
    const struct start *start;
    const char *method;
    double h;
    long steps;
    double p[3];
};

static const struct value values[] = {
    {&heavy, "gauss stages=1", 0.1, 10, {1.141726589654778, 1.774539627247508, 4.739873321939881}},
    {&heavy, "gauss stages=2", 0.1, 10, {1.132695248978593, 1.811119970825320, 4.725401984172000}},
    {&heavy,
     "lobatto stages=3",
     0.1,
     10,
     {1.132677693782592, 1.811212043165916, 4.725365864753752}},
    {&heavy,
     "gauss stages=2 retraction=exp",
     0.1,
     10,
     {1.132706482454164, 1.811084563670315, 4.725416320740053}},
    {&freely,
     "gauss stages=2",
     0.1,
     20,
     {1.860629517019575, -1.965750123494967, -3.027190818626243}},
    {&freely,
     "lobatto stages=3 retraction=exp",
     0.1,
     20,
     {1.860630630815306, -1.965746910365499, -3.027192220533796}},
};

static void start_run(struct run *run, const struct start *start, const char *method, double h) {
    const struct noe_space *so3 = noe_space_find("so3");
    struct test_case test = {.system = start->system};
    real turn[3];
    product_identity(start->system, test.q);
    for (int i = 0; i < 3; i++) turn[i] = start->turn[i];
    so3->retract(1, 1, test.q, test.q, turn);
    for (int i = 0; i < start->system->n; i++) test.v[i] = start->v[i];
    run_start(run, &test, method, h);
}

static void test_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const struct value *row = &values[i];
        struct run run;
        struct noe_error error;
        double worst = 0, size = 0;
        start_run(&run, row->start, row->method, row->h);
        if (noe_steps(run.work, row->steps, &error) != NOE_OK) fail_msg("%s", error.text);
        const struct noe_state *now = noe_now(run.work);
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fabs((double)now->p[k] - row->p[k]));
            size = fmax(size, fabs(row->p[k]));
        }
        if (!(worst <= 2e-13 * size))
            fail_msg("%s on %s: momentum (%.16g, %.16g, %.16g) is off by %.2e", row->method,
                     row->start->system->name, (double)now->p[0], (double)now->p[1],
                     (double)now->p[2], worst);
        run_end(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
