/* Optimal control: known minima, orders, agreement with the integrator's steps, boundary
 * conditions of every kind. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model_text.h"
#include "study/control/control.h"

#define CART                                                                                       \
    "param mp = 1, mc = 0.5, l = 0.1, g = 9.81, m = mp + mc, J = mp*l^2\n"                         \
    "coord alpha, x\ncontrol u in [-1000, 1000]\n"                                                 \
    "L = J/2*alpha'^2 - mp*l*alpha'*x'*sin(alpha) + m/2*x'^2 - mp*g*l*sin(alpha)\n"                \
    "force x = u\nminimize u^2/2\nuntil 0.5\n"
#define SWING_UP                                                                                   \
    CART "start alpha = -pi/2\nfinal alpha = pi/2, x = 0, alpha' = 0, x' = 0\n"                    \
         "guess x = 0.05*sin(4*pi*t)\n"

#define SPACECRAFT                                                                                 \
    "param J = diag(1, 2.8, 2), angle = 2.5\nrotation R, W\ncontrol u[3] in [-50, 50]\n"           \
    "L = dot(W, J*W)/2\nforce R = u\nminimize dot(u, u)/2\nstart W = [0.1, 0.2, -0.1]\n"           \
    "final R = expm(angle*[1, 1, 0]/sqrt(2)), W = [0, 0, 0]\nuntil 5\n"

#define VEHICLE                                                                                    \
    "pose R, x, W, V\ncontrol tau[3] in [-50, 50], f in [-5, 5]\n"                                 \
    "L = dot(W, diag(1, 2, 3)*W)/2 + dot(V, diag(4, 5, 6)*V)/2 - 0.3*dot(e3, R*e1)\n"              \
    "force R = tau, x = [f, 0, 0]\nminimize dot(tau, tau)/2 + f^2/2 terminal dot(W, W)\n"          \
    "until 4\n"

struct solved {
    struct noe_model *model;
    struct control control;
    struct control_solution solution;
};

static void open_problem(struct solved *solved, const char *text, const char *method, long N) {
    struct noe_error error = {0};
    solved->model = model_text_open(text, false);
    if (control_open(&solved->control, solved->model, method, solved->model->run.until, N, NULL,
                     &error) != NOE_OK)
        fail_msg("%s", error.text);
    assert_int_equal(control_solution_make(&solved->solution, &solved->control), NOE_OK);
}

static void close_problem(struct solved *solved) {
    control_solution_clear(&solved->solution);
    control_clear(&solved->control);
    noe_model_free(solved->model);
}

static void solve_from_guess(struct solved *solved) {
    struct noe_error error = {0};
    const enum noe_status status =
        control_solve(&solved->control, 1e-11, 500, &solved->solution, &error);
    if (status == NOE_NO_LIBRARY) skip();
    if (status != NOE_OK) fail_msg("%s", error.text);
    assert_true(solved->solution.kkt_error < 1e-9);
    assert_true(solved->solution.violation < 1e-11);
}

static void solve(struct solved *solved, const char *text, const char *method, long N) {
    open_problem(solved, text, method, N);
    control_guess(&solved->control, 0, 1, solved->solution.x);
    solve_from_guess(solved);
}

/* The cost alone. */
static double cost_of(const char *text, const char *method, long N) {
    struct solved solved;
    solve(&solved, text, method, N);
    const double cost = solved.solution.cost;
    close_problem(&solved);
    return cost;
}

static void assert_close(double seen, double expected, double tolerance) {
    if (!(fabs(seen - expected) <= tolerance))
        fail_msg("%.17g is %.3g away from %.17g", seen, seen - expected, expected);
}

/* --- The swing-up. */

static const double continuous = 21.043649926588; /* by Pontryagin's principle */

static void swing_up_costs(void **state) {
    (void)state;
    assert_close(cost_of(SWING_UP, "midpoint", 10), 14.0139070299060586, 1e-12);
    assert_close(cost_of(SWING_UP, "midpoint", 50), 21.1245792939938788, 1e-12);
}

/* Measured: 1.997 and 4.05. */
static void costs_converge(void **state) {
    (void)state;
    const double a = cost_of(SWING_UP, "midpoint", 100) - continuous;
    const double b = cost_of(SWING_UP, "midpoint", 200) - continuous;
    const double c = cost_of(SWING_UP, "gauss stages=2", 60) - continuous;
    const double d = cost_of(SWING_UP, "gauss stages=2", 120) - continuous;
    assert_close(log2(a / b), 2, 0.1);
    assert_close(log2(c / d), 4, 0.1);
    assert_close(c, -2.34e-4, 1e-5);
    assert_close(d, -1.41e-5, 1e-6);
}

static double spread_of(const char *text, const char *method, long N) {
    struct solved solved;
    solve(&solved, text, method, N);
    const double spread = solved.solution.hamiltonian_spread;
    close_problem(&solved);
    return spread;
}

/* The derivative with respect to the length of an interval is Pontryagin's function, to the
 * method's order: measured 1.991, 3.95, 1.985, 4.08. */
static void hamiltonian_is_conserved(void **state) {
    (void)state;
    static const struct {
        const char *text, *method;
        long N;
        double order;
    } test[] = {{SWING_UP, "midpoint", 200, 2},
                {SWING_UP, "gauss stages=2", 100, 4},
                {SPACECRAFT, "midpoint", 20, 2},
                {SPACECRAFT, "gauss stages=2", 10, 4}};
    for (size_t i = 0; i < sizeof test / sizeof *test; i++) {
        const double coarse = spread_of(test[i].text, test[i].method, test[i].N);
        const double fine = spread_of(test[i].text, test[i].method, 2 * test[i].N);
        assert_close(log2(coarse / fine), test[i].order, test[i].order == 2 ? 0.03 : 0.17);
    }
}

/* --- The optimal path consists of steps of the integrator. */

/* Measured: 1.2e-14. */
static void optimal_paths_are_integrator_steps(void **state) {
    (void)state;
    static const struct {
        const char *text, *method;
        long N;
    } test[] = {
        {SWING_UP, "midpoint", 50},
        {SWING_UP, "gauss stages=2", 20},
        {SWING_UP, "lobatto stages=3", 40},
        {SWING_UP, "verlet", 200},
        {SWING_UP, "euler-a", 400},
        {SWING_UP, "rk4", 50},
        {SWING_UP, "explicit-euler", 400},
        {SWING_UP, "discrete-gradient kind=avf", 50},
        {SPACECRAFT, "midpoint", 20},
        {SPACECRAFT, "gauss stages=2", 10},
        {SPACECRAFT, "lobatto stages=3", 10},
        {SPACECRAFT, "verlet", 20},
        {SPACECRAFT, "euler-a retraction=exp", 20},
        {SPACECRAFT, "lgvi", 20},
        {SPACECRAFT, "midpoint retraction=exp", 20},
        {SPACECRAFT, "gauss stages=2 retraction=skew", 10},
        {VEHICLE "final x = [1, 1, 0.5], V = [0, 0, 0]\n", "midpoint", 20},
        {VEHICLE "final x = [1, 1, 0.5], V = [0, 0, 0]\n", "verlet", 20},
        {VEHICLE "final x = [1, 1, 0.5], V = [0, 0, 0]\n", "midpoint retraction=exp", 30},
        {VEHICLE "final x = [1, 1, 0.5], V = [0, 0, 0]\n", "lgvi symmetric=yes", 20},
    };
    for (size_t i = 0; i < sizeof test / sizeof *test; i++) {
        struct solved solved;
        solve(&solved, test[i].text, test[i].method, test[i].N);
        const double error =
            (double)control_follow(&solved.control, solved.solution.x, test[i].method, 1);
        if (!(error < 2.5e-14)) fail_msg("%s: the steps end %g away", test[i].method, error);
        close_problem(&solved);
    }
}

/* --- Costates. */

static double perturbed_cost(const char *text, double e) {
    char whole[2000];
    snprintf(whole, sizeof whole, text, e);
    return cost_of(whole, "midpoint", 20);
}

/* The costate of the start is the derivative of the cost with respect to the start. Measured:
 * 2.4e-8. */
static void costates_are_derivatives(void **state) {
    (void)state;
    static const char *const test[] = {
        CART "start alpha = -pi/2 + (%.9g)\nfinal alpha = pi/2, x = 0, alpha' = 0, x' = 0\n"
             "guess x = 0.05*sin(4*pi*t)\n",
        "param J = diag(1, 2.8, 2)\nrotation R, W\ncontrol u[3] in [-50, 50]\n"
        "L = dot(W, J*W)/2 - R[1][3]\nforce R = u\nminimize dot(u, u)/2\n"
        "start R = expm([0.3, -0.2, 0.5])*expm([%.9g, 0, 0])\n"
        "final R = expm([1, 1, 0]), W = [0, 0, 0]\nuntil 5\n"};
    for (size_t i = 0; i < 2; i++) {
        char text[2000];
        struct solved solved;
        real costate[12];
        snprintf(text, sizeof text, test[i], 0.0);
        solve(&solved, text, "midpoint", 20);
        control_costate(&solved.control, &solved.solution, 0, costate);
        const double e = 1e-4, seen = (double)costate[0];
        const double slope = (perturbed_cost(test[i], e) - perturbed_cost(test[i], -e)) / (2 * e);
        assert_close(seen, slope, 1e-7 * (1 + fabs(slope)));
        /* Costates match node by node: the end of an interval and the start of the next. */
        for (long k = 1; k <= 20; k++) {
            control_costate(&solved.control, &solved.solution, k, costate);
            for (int j = 0; j < 4; j++) assert_true(real_is_finite(costate[j]));
        }
        close_problem(&solved);
    }
}

/* --- Boundary conditions. */

/* From rest to rest over a distance of 1 with a force of at most 1 takes the time 2. */
static void minimum_time(void **state) {
    (void)state;
    struct solved solved;
    solve(&solved,
          "coord q\ncontrol u in [-1, 1]\nL = q'^2/2\nforce q = u\nminimize 1\n"
          "final q = 1, q' = 0\nfree until in [0.5, 10]\n",
          "midpoint", 40);
    assert_close(solved.solution.cost, 2, 1e-8);
    assert_close((double)control_time(&solved.control, solved.solution.x, 40), 2, 1e-8);
    close_problem(&solved);
}

#define PUMP                                                                                       \
    "coord q, y\ncontrol u in [-3, 3]\n"                                                           \
    "L = q'^2/2 + y'^2/2 + cos(q) + 0.3*q'*y'*cos(q)\n"                                            \
    "force q = u - 0.1*q', y = 1 + 0.2*q - 0.5*y'\n"                                               \
    "minimize u^2/2 - q'*sin(t)\nstart q = 0.1, q' = 0.3\nuntil 2*pi\n"

static void periodic_coordinates(void **state) {
    (void)state;
    struct solved solved;
    solve(&solved, PUMP "periodic q, q', y'\n", "gauss stages=2", 20);
    const double *x = solved.solution.x, *last = x + 20 * solved.control.stride;
    assert_close(last[0], x[0], 1e-12);
    assert_close(x[1], 0, 0);
    assert_true(fabs(last[1]) > 1);
    for (int i = 0; i < 2; i++) assert_close(last[2 + i], x[2 + i], 1e-12);
    close_problem(&solved);

    solve(&solved, PUMP "periodic q, y'\n", "midpoint", 20);
    x = solved.solution.x;
    last = x + 20 * solved.control.stride;
    const double *v = last + 4, *start_v = x + solved.control.nx - 3;
    assert_close(last[0], x[0], 1e-12);
    assert_close(start_v[0], 0.3, 0);
    assert_true(fabs(v[0] - 0.3) > 1e-3);
    assert_close(v[1], start_v[1], 1e-12);
    assert_close(x[3], start_v[1] + 0.3 * start_v[0] * cos(x[0]), 1e-12); /* p of y at the start */
    close_problem(&solved);
}

/* A rotation by 180 degrees takes the path of minimal effort and ends exactly there. */
static void a_rotation_by_pi(void **state) {
    (void)state;
    struct solved solved;
    real R[9];
    solve(&solved,
          "rotation R, W\ncontrol u[3] in [-50, 50]\nL = dot(W, W)\nforce R = u\n"
          "minimize dot(u, u)/2\nfinal R = diag(-1, -1, 1), W = [0, 0, 0]\nuntil 2\n",
          "midpoint", 40);
    control_point(&solved.control, solved.solution.x, 40, R);
    for (int i = 0; i < 9; i++)
        assert_true((double)R[i] == (i == 0 || i == 4 ? -1 : i == 8 ? 1 : 0));
    /* One axis: a double integrator with inertia 2, 12 angle^2/T^3 J^2/2, to order 2. */
    assert_close(solved.solution.cost, 2 * 6 * 2 * M_PI * M_PI / 8, 0.13);
    close_problem(&solved);
}

static void position_without_attitude(void **state) {
    (void)state;
    struct solved solved;
    real g[12];
    solve(&solved, VEHICLE "final x = [1, 1, 0.5], V = [0, 0, 0]\n", "midpoint", 20);
    control_point(&solved.control, solved.solution.x, 20, g);
    assert_close((double)g[9], 1, 1e-14);
    assert_close((double)g[10], 1, 1e-14);
    assert_close((double)g[11], 0.5, 1e-14);
    assert_true(fabs((double)g[0] - 1) > 0.01); /* the attitude is free */
    close_problem(&solved);
}

/* A guess that is off by almost half a revolution everywhere leads to the same minimum. */
static void initial_guesses_far_away(void **state) {
    (void)state;
    const double cost = cost_of(SPACECRAFT, "midpoint", 20);
    assert_close(cost_of(SPACECRAFT "guess R = expm([0, 0, 3*sin(pi*t/5)])\n", "midpoint", 20),
                 cost, 1e-9);
}

/* --- Constraints. */

/* The swing-up with the pendulum as a particle on a circle. */
#define ON_A_CIRCLE                                                                                \
    "param mp = 1, mc = 0.5, l = 0.1, g = 9.81\n"                                                  \
    "coord X, Y, x\ncontrol u in [-1000, 1000]\n"                                                  \
    "L = mp/2*(X'^2 + Y'^2) + mc/2*x'^2 - mp*g*Y\nconstraint (X - x)^2 + Y^2 = l^2\n"              \
    "force x = u\nminimize u^2/2\nuntil 0.5\nstart Y = -l\n"                                       \
    "let a = -pi/2 + 2*pi*t - 0.9*sin(4*pi*t)\n"                                                   \
    "guess x = 0.07*sin(4*pi*t), X = 0.07*sin(4*pi*t) + l*cos(a), Y = l*sin(a)\n"

/* Measured: order 2.01; deviation 2.6e-15 from the integrator's steps. */
static void constraints_hold(void **state) {
    (void)state;
    double error[2];
    for (int i = 0; i < 2; i++) {
        struct solved solved;
        const long N = i ? 200 : 100;
        solve(&solved, ON_A_CIRCLE "final X = 0, Y = l, x = 0, X' = 0, Y' = 0, x' = 0\n",
              "midpoint", N);
        const double *x = solved.solution.x;
        for (long k = 0; k <= N; k++) {
            const double *q = x + k * solved.control.stride;
            assert_close((q[0] - q[2]) * (q[0] - q[2]) + q[1] * q[1], 0.01, 1e-14);
        }
        error[i] = solved.solution.cost - continuous;
        const double away = (double)control_follow(&solved.control, x, "midpoint", 1);
        assert_true(away < 5e-15);
        close_problem(&solved);
    }
    assert_close(log2(error[0] / error[1]), 2, 0.1);
}

/* A last node that is given in part satisfies the constraints of position and velocity. */
static void constraints_at_the_end(void **state) {
    (void)state;
    struct solved solved;
    solve(&solved, ON_A_CIRCLE "final X = 0.05, x' = 0.2\n", "midpoint", 50);
    const double *q = solved.solution.x + 50 * solved.control.stride, *v = q + 6;
    assert_close((q[0] - q[2]) * (q[0] - q[2]) + q[1] * q[1], 0.01, 1e-13);
    assert_close((q[0] - q[2]) * (v[0] - v[2]) + q[1] * v[1], 0, 1e-12);
    assert_close(v[2], 0.2, 0);
    close_problem(&solved);
}

/* --- Bounds and costs. */

static void bounds_hold(void **state) {
    (void)state;
    struct solved solved;
    solve(&solved,
          "coord q, y\ncontrol u[2] in [-3, 3]\nL = (q'^2 + y'^2)/2\nforce q = u[1], y = u[2]\n"
          "minimize dot(u, u)/2\nstart q = -1, y' = 1\nfinal q = 1, y = 0, q' = 0, y' = 0\n"
          "bound q^2 + y^2 in [0.25, 100], q' in [-5, 0.9], y in [-2, 0.55]\n"
          "guess y = 0.5*sin(pi*t/3)\nuntil 3\n",
          "midpoint", 60);
    const double *x = solved.solution.x;
    double min = INFINITY, fastest = 0, highest = 0;
    for (long k = 0; k < 60; k++) {
        const double *a = x + k * solved.control.stride, *b = a + solved.control.stride;
        const double q = (a[0] + b[0]) / 2, y = (a[1] + b[1]) / 2;
        min = fmin(min, q * q + y * y);
        fastest = fmax(fastest, a[4]);
        highest = fmax(highest, a[1]);
    }
    assert_close(min, 0.25, 1e-7);
    assert_close(fastest, 0.9, 1e-7);
    assert_close(highest, 0.55, 1e-7);
    close_problem(&solved);
}

/* A running cost that depends on time, and a terminal cost alone. min of int u^2/2 + (v - 1)^2
 * c/2 with v' = u: v(T) = c T/(1 + c T). The optimum of int t u^2/2 dt is u = a/t. */
static void running_and_terminal_costs(void **state) {
    (void)state;
    struct solved solved;
    solve(&solved,
          "coord q\ncontrol u in [-9, 9]\nL = q'^2/2\nforce q = u\n"
          "minimize u^2/2 terminal 3*(q' - 1)^2/2\nuntil 2\n",
          "gauss stages=2", 10);
    assert_close(solved.solution.x[solved.control.nx - 2], 6.0 / 7, 1e-10);
    close_problem(&solved);

    const double exact = 1 / (2 * log(3)); /* v from 0 to 1 over [1, 3] with u = 1/(t log 3) */
    const char text[] = "coord q\ncontrol u in [-9, 9]\nL = q'^2/2\nforce q = u\n"
                        "minimize t*u^2/2\nfinal q' = 1\nfrom 1\nuntil 3\n";
    const double coarse = cost_of(text, "midpoint", 20) - exact;
    const double fine = cost_of(text, "midpoint", 40) - exact;
    assert_close(log2(coarse / fine), 2, 0.02);
}

/* --- Grids. */

static void refinement_keeps_the_minimum(void **state) {
    (void)state;
    struct solved coarse, fine;
    solve(&coarse, SWING_UP, "midpoint", 50);
    open_problem(&fine, SWING_UP, "midpoint", 100);
    control_guess_from(&fine.control, &coarse.control, coarse.solution.x, fine.solution.x);
    solve_from_guess(&fine);
    const double cost = cost_of(SWING_UP, "midpoint", 100);
    assert_close(fine.solution.cost, cost, 1e-11);
    close_problem(&fine);
    close_problem(&coarse);
}

static void random_starts_are_reproducible(void **state) {
    (void)state;
    struct solved solved;
    open_problem(&solved, SWING_UP, "midpoint", 10);
    const size_t bytes = (size_t)solved.control.nx * sizeof(double);
    double *first = malloc(bytes), *x = solved.solution.x;
    control_guess(&solved.control, 7, 3, x);
    memcpy(first, x, bytes);
    control_guess(&solved.control, 8, 3, x);
    assert_true(memcmp(first, x, bytes) != 0);
    control_guess(&solved.control, 7, 4, x);
    assert_true(memcmp(first, x, bytes) != 0);
    control_guess(&solved.control, 7, 3, x);
    assert_memory_equal(first, x, bytes);
    free(first);
    close_problem(&solved);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swing_up_costs),
        cmocka_unit_test(costs_converge),
        cmocka_unit_test(hamiltonian_is_conserved),
        cmocka_unit_test(optimal_paths_are_integrator_steps),
        cmocka_unit_test(costates_are_derivatives),
        cmocka_unit_test(minimum_time),
        cmocka_unit_test(periodic_coordinates),
        cmocka_unit_test(a_rotation_by_pi),
        cmocka_unit_test(position_without_attitude),
        cmocka_unit_test(initial_guesses_far_away),
        cmocka_unit_test(constraints_hold),
        cmocka_unit_test(constraints_at_the_end),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(running_and_terminal_costs),
        cmocka_unit_test(refinement_keeps_the_minimum),
        cmocka_unit_test(random_starts_are_reproducible),
    };
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
