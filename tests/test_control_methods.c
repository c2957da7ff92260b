/* Optimal control with every method of the registry: it is solved, or refused with the methods that
 * serve; orders of the transcriptions. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model_text.h"
#include "study/control/control.h"

/* From rest to rest along one coordinate, about one axis, and along one screw. On groups these
 * motions are those of one or two coordinates. %g is a coefficient of friction. */
#define VECTOR                                                                                     \
    "coord q\ncontrol u in [-100, 100]\nL = q'^2/2\nforce q = u - (%g)*q'\n"                       \
    "minimize u^2/2\nfinal q = 1, q' = 0\nuntil 2\n"
#define ROTATION                                                                                   \
    "rotation R, W\ncontrol u[3] in [-100, 100]\nL = dot(W, diag(2, 3, 1)*W)/2\n"                  \
    "force R = u - (%g)*W\nminimize dot(u, u)/2\nfinal R = expm([0, 0, 1]), W = [0, 0, 0]\n"       \
    "until 2\n"
#define POSE                                                                                       \
    "pose R, x, W, V\ncontrol u[3] in [-100, 100], f[3] in [-100, 100]\n"                          \
    "L = dot(W, diag(1, 2, 3)*W)/2 + dot(V, diag(1, 4, 5)*V)/2\n"                                  \
    "force R = u - (%g)*W, x = f - (%g)*V\nminimize (dot(u, u) + dot(f, f))/2\n"                   \
    "final R = expm([1, 0, 0]), x = [1, 0, 0], W = [0, 0, 0], V = [0, 0, 0]\nuntil 2\n"

static const struct {
    const char *text;
    int coordinates;
} systems[] = {{VECTOR, 1}, {ROTATION, 1}, {POSE, 2}};
enum { SYSTEMS = sizeof systems / sizeof *systems };

/* The minimum of int u^2/2 for q'' = u - c q' from rest to rest over the distance 1 in the time T
 * is e_1.G^-1 e_1/2 with the controllability Gramian G = int z z^T, z = ((1 - e^-cs)/c, e^-cs). */
static double exact_cost(double c, double T) {
    if (c == 0) return 6 / (T * T * T);
    const double one = (1 - exp(-c * T)) / c, two = (1 - exp(-2 * c * T)) / (2 * c);
    const double G11 = (T - 2 * one + two) / (c * c), G12 = (one - two) / c, G22 = two;
    return G22 / (G11 * G22 - G12 * G12) / 2;
}

struct solved {
    struct noe_model *model;
    struct control control;
    struct control_solution solution;
};

/* Compiling the blocks would take longer than solving these problems. */
static const struct noe_model_settings interpreted = {.interpret = true};

static enum noe_status open_problem(struct solved *solved, const char *text, const char *method,
                                    long N, struct noe_error *error) {
    solved->model = model_text_open(text, true);
    solved->solution = (struct control_solution){0};
    return control_open(&solved->control, solved->model, method, solved->model->run.until, N,
                        &interpreted, error);
}

static void close_problem(struct solved *solved) {
    control_solution_clear(&solved->solution);
    control_clear(&solved->control);
    noe_model_free(solved->model);
}

static void solve(struct solved *solved, const char *method) {
    struct noe_error error = {0};
    assert_int_equal(control_solution_make(&solved->solution, &solved->control), NOE_OK);
    control_guess(&solved->control, 0, 1, solved->solution.x);
    const enum noe_status status =
        control_solve(&solved->control, 1e-11, 500, &solved->solution, &error);
    if (status == NOE_NO_LIBRARY) skip();
    if (status != NOE_OK) fail_msg("%s: %s", method, error.text);
    assert_true(solved->solution.kkt_error < 1e-9);
}

/* --- The registry. */

/* True if the list behind the last colon of a message has the word. */
static bool lists(const char *message, const char *word) {
    const char *at = strrchr(message, ':');
    const size_t length = strlen(word);
    while (at && *at) {
        at += strspn(at, ":, ");
        const size_t next = strcspn(at, ", ");
        if (next == length && strncmp(at, word, length) == 0) return true;
        at += next;
    }
    return false;
}

static int order_of(const struct solved *solved, const char *method) {
    struct noe_problem problem;
    assert_int_equal(noe_problem_init(&problem, solved->model->system, method, 1, NULL), NOE_OK);
    const int order = problem.order;
    noe_problem_clear(&problem);
    return order;
}

/* The cost is that of the continuous problem up to the error of the method, and the steps of the
 * integrator with these controls lead along the same nodes. Measured: 0.069 with order 1, 0.0063
 * with others; 4.5e-16. */
static void check_solution(struct solved *solved, const char *method, double exact) {
    solve(solved, method);
    const double error = fabs(solved->solution.cost / exact - 1);
    const double away = (double)control_follow(&solved->control, solved->solution.x, method, 1);
    if (!(away < 1e-15)) fail_msg("%s: the steps end %g away", method, away);
    const double most = order_of(solved, method) > 1 ? 0.0126 : 0.14;
    if (!(error < most)) fail_msg("%s: the cost is off by %g", method, error);
}

/* Every message lists the methods that serve, and these only. */
static void check_message(const char *message, const bool *is_served) {
    for (int i = 0; i < noe_method_count(); i++) {
        const char *name = noe_method_at(i)->name;
        if (lists(message, name) != is_served[i]) fail_msg("%s: %s", name, message);
    }
}

static void check_methods(const char *pattern, int coordinates, double friction) {
    enum { METHODS_MAX = 100 };
    static char message[METHODS_MAX][480];
    bool is_served[METHODS_MAX] = {false};
    char text[2000];
    assert_true(noe_method_count() <= METHODS_MAX);
    snprintf(text, sizeof text, pattern, friction, friction);
    for (int i = 0; i < noe_method_count(); i++) {
        const char *method = noe_method_at(i)->name;
        struct solved solved;
        struct noe_error error = {0};
        const enum noe_status status = open_problem(&solved, text, method, 20, &error);
        is_served[i] = status == NOE_OK;
        snprintf(message[i], sizeof message[i], "%s", error.text);
        if (is_served[i])
            check_solution(&solved, method, coordinates * exact_cost(friction, 2));
        else
            assert_int_equal(status, NOE_NOT_SERVED);
        close_problem(&solved);
    }
    for (int i = 0; i < noe_method_count(); i++)
        if (!is_served[i]) check_message(message[i], is_served);
}

static void every_method_is_served_or_refused(void **state) {
    (void)state;
    for (int i = 0; i < SYSTEMS; i++)
        for (int is_damped = 0; is_damped < 2; is_damped++)
            check_methods(systems[i].text, systems[i].coordinates, is_damped ? 0.8 : 0);
}

/* --- Orders. */

#define PENDULUM                                                                                   \
    "coord a, x\ncontrol u in [-50, 50]\n"                                                         \
    "L = a'^2/2 + 0.5*a'*x'*cos(a) + x'^2 + cos(a)\nforce x = u - 0.2*x'\n"                        \
    "minimize u^2/2 + a^2\nstart a = 0.4\nfinal a = 0, x = 1, a' = 0, x' = 0\nuntil 3\n"
#define SPACECRAFT                                                                                 \
    "rotation R, W\ncontrol u[3] in [-50, 50]\n"                                                   \
    "L = dot(W, diag(1, 2.8, 2)*W)/2 - 0.3*R[3][3]\nforce R = u - 0.2*W\nminimize dot(u, u)/2\n"   \
    "start W = [0.1, 0.2, -0.1]\nfinal R = expm([1.2, 1, 0.3]), W = [0, 0, 0]\nuntil 3\n"
#define VEHICLE                                                                                    \
    "pose R, x, W, V\ncontrol u[3] in [-50, 50], f[3] in [-50, 50]\n"                              \
    "L = dot(W, diag(1, 2, 3)*W)/2 + dot(V, diag(4, 5, 6)*V)/2 - 0.3*dot(e3, R*e1)\n"              \
    "force R = u, x = f - 0.5*V\nminimize (dot(u, u) + dot(f, f))/2\n"                             \
    "final R = expm([0.5, 0.4, 0.3]), x = [1, 1, 0.5], W = [0, 0, 0], V = [0, 0, 0]\nuntil 2\n"

/* The cost, and the distance of the end from that of the continuous motion. */
static void measure(const char *text, const char *method, long N, double seen[2]) {
    struct solved solved;
    struct noe_error error = {0};
    if (open_problem(&solved, text, method, N, &error) != NOE_OK) fail_msg("%s", error.text);
    solve(&solved, method);
    seen[0] = solved.solution.cost;
    real distance;
    control_replay(&solved.control, solved.solution.x, &distance);
    seen[1] = (double)distance;
    close_problem(&solved);
}

struct order_test {
    const char *method;
    long N;
    double cost, state; /* orders */
};

/* Measured: within 0.08 of the orders. */
static void check_orders(const char *text, size_t count, const struct order_test *test) {
    double reference[2], coarse[2], fine[2];
    measure(text, "gauss", 80, reference);
    for (size_t i = 0; i < count; i++) {
        measure(text, test[i].method, test[i].N, coarse);
        measure(text, test[i].method, 2 * test[i].N, fine);
        const double cost = log2((coarse[0] - reference[0]) / (fine[0] - reference[0]));
        const double state = log2(coarse[1] / fine[1]);
        if (!(fabs(cost - test[i].cost) < 0.15 && fabs(state - test[i].state) < 0.15))
            fail_msg("%s: cost of order %g, state %g", test[i].method, cost, state);
    }
}

/* Controls that are constant on intervals have costs of order 2 at best. */
static void orders_on_vectors(void **state) {
    (void)state;
    static const struct order_test test[] = {{"rk4", 20, 2, 4},
                                             {"explicit-euler", 80, 1, 1},
                                             {"implicit-euler", 80, 1, 1},
                                             {"verlet", 20, 2, 2}};
    check_orders(PENDULUM, sizeof test / sizeof *test, test);
}

static void orders_on_rotations(void **state) {
    (void)state;
    static const struct order_test test[] = {{"verlet", 20, 2, 2},
                                             {"verlet retraction=exp", 20, 2, 2},
                                             {"euler-a", 80, 1, 1},
                                             {"euler-b", 80, 1, 1},
                                             {"midpoint retraction=exp", 20, 2, 2},
                                             {"midpoint retraction=skew", 20, 2, 2},
                                             {"gauss retraction=exp", 10, 4, 4}};
    check_orders(SPACECRAFT, sizeof test / sizeof *test, test);
}

static void orders_on_poses(void **state) {
    (void)state;
    static const struct order_test test[] = {{"verlet", 10, 2, 2},
                                             {"verlet retraction=chord", 10, 2, 2},
                                             {"euler-a", 120, 1, 1},
                                             {"gauss retraction=exp", 6, 4, 4}};
    check_orders(VEHICLE, sizeof test / sizeof *test, test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_is_served_or_refused),
        cmocka_unit_test(orders_on_vectors),
        cmocka_unit_test(orders_on_rotations),
        cmocka_unit_test(orders_on_poses),
    };
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
