/* Steps on groups by every path: generic and specialised steps and SIMD lanes of every width
 * give the same bits, and lanes agree with a scalar run. */
/* SPDX-License-Identifier: MIT */
#include "paths.h"
#include "spaces/product.h"

#define TOP                                                                                        \
    "param J = [[1, 0.1, 0], [0.1, 2, 0.2], [0, 0.2, 2.5]], a = [0.3, -0.4, 1]\n"                  \
    "rotation R, W\nL = dot(W, J*W)/2 - 2.5*dot(e3, R*a)\n"                                        \
    "start R = expm([0.3, -0.5, 0.8]), W = [0.6, -0.5, 0.7]\n"
#define BODY                                                                                       \
    "param J = diag(1.2, 1.7, 2.1), M = diag(2, 2.4, 3), a = [0.3, -0.2, 0.5]\n"                   \
    "pose R, x, W, V\nlet y = x + R*a\n"                                                           \
    "L = dot(W, J*W)/2 + dot(V, M*V)/2 - dot(y, y) - dot(y, y)^2/4 - 1.5*x[3]\n"                   \
    "start R = expm([-0.4, 0.9, 0.2]), x = [0.4, -0.3, 0.2], W = [0.6, -0.5, 0.4],\n"              \
    "  V = [0.3, 0.2, -0.4]\n"
#define CARRIER                                                                                    \
    "param J = diag(2, 3, 4)\ncoord a\nrotation R, W\ncoord b\n"                                   \
    "L = dot(W, J*W)/2*(1 + sin(a)^2/4) + (2 + R[1][1]*cos(b))/2*(a'^2 + b'^2)\n"                  \
    "  + a'*dot(W, [R[3][1], cos(b), 0.5])/3 - R[2][3]*cos(a - b)\n"                               \
    "force a = -0.1*a', R = [0, b, a']\n"                                                          \
    "start R = expm([1, 0.2, -0.3]), W = [0.3, -0.8, 0.5], a = 0.7, a' = 0.4, b = -1.1\n"
#define FREE                                                                                       \
    "rotation R, W\nL = dot(W, diag(2, 3, 4)*W)/2\n"                                               \
    "start R = expm([0.3, -0.5, 0.8]), W = [1, 0.5, -0.8]\n"
#define VEHICLE                                                                                    \
    "pose R, x, W, V\nL = dot(W, diag(1.09, 2.16, 2.68)*W)/2 + dot(V, diag(3.72, 7.42, "           \
    "4.29)*V)/2\n"                                                                                 \
    "start R = expm([-0.4, 0.9, 0.2]), W = [0.6, -0.5, 0.4], V = [0.3, 0.2, -0.4]\n"
#define PENDULUM                                                                                   \
    "coord a, b\nL = a'^2/2*(2 + cos(b)) + b'^2 + a'*b'*sin(a) - cos(a) - b^4\n"                   \
    "force b = -0.1*b'\nstart a = 0.5, b' = 0.3\n"
#define PLANE                                                                                      \
    "coord x, y\nL = (x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3 - (x^2 + y^2)^2/8\n"          \
    "start x = 0.4, y = -0.2, x' = 0.3, y' = 0.5\n"

#define SLEDGE                                                                                     \
    "group g, xi : se(2)\nlet y = g*[0.3, -0.2, 1]\n"                                              \
    "L = 2.1*xi[1]^2/2 + xi[2]^2 + 1.2*xi[3]^2 - y[1]^2 - y[2]^2 - (y[1]^2 + y[2]^2)^2/4\n"        \
    "start g = [[0.6, -0.8, 0.4], [0.8, 0.6, -0.3], [0, 0, 1]], xi = [0.6, 0.5, -0.4]\n"
#define GLIDER                                                                                     \
    "group g, xi : se(2)\nL = 2.68*xi[1]^2/2 + 3.72*xi[2]^2/2 + 7.42*xi[3]^2/2\n"                  \
    "start g = [[0.6, -0.8, 0.4], [0.8, 0.6, -0.3], [0, 0, 1]], xi = [0.6, 0.5, -0.4]\n"

/* A step that is chosen by an estimate of the error has the round-off of that, and ends at another
 * time (measured: 3.2e-11). */
static const struct paths_row rows[] = {
    {TOP, "lgvi-energy guard=anchored", 0},
    {TOP, "energy-midpoint guard=anchored", 0},
    {PENDULUM, "discrete-gradient", 0},
    {PENDULUM, "discrete-gradient kind=equivariant", 0},
    {PENDULUM, "discrete-gradient kind=itoh-abe points=4", 0},
    {PLANE, "discrete-gradient", 0},
    {PLANE, "energy-momentum", 0},
    {PLANE, "energy-momentum kind=collocation", 0},
    {TOP, "gauss stages=2", 0},
    {TOP, "midpoint retraction=exp", 0},
    {TOP, "lgvi", 0},
    {TOP, "euler-b retraction=skew", 0},
    {TOP, "rkmk", 0},
    {TOP, "generalized-alpha", 0},
    {TOP, "implicit-euler", 0},
    {BODY, "gauss stages=1 retraction=exp", 0},
    {BODY, "verlet", 0},
    {BODY, "lgvi", 0},
    {BODY, "lgvi symmetric=yes", 0},
    {BODY, "rk4", 0},
    {BODY, "dopri5 tolerance=1e-6", 7e-11},
    {BODY, "generalized-alpha rho=0.6 start=forward", 0},
    {BODY, "euler-b convention=thesis", 0},
    {CARRIER, "lobatto stages=2", 0},
    {CARRIER, "euler-a", 0},
    {CARRIER, "verlet retraction=new", 0},
    {CARRIER, "midpoint", 0},
    {CARRIER, "generalized-alpha retraction=cay", 0},
    {CARRIER, "implicit-euler", 0},
    {CARRIER, "euler-a convention=thesis retraction=exp", 0},
    {FREE, "mln", 0},
    {FREE, "flv", 0},
    {FREE, "kr", 0},
    {PENDULUM, "generalized-alpha", 0},
    {PENDULUM, "dopri5", 7e-11},
    {VEHICLE, "tln", 0},
    {VEHICLE, "tln attitude=start", 0},
    {FREE, "tln attitude=start", 0},
    {VEHICLE, "flv", 0},
    {VEHICLE, "lv", 0},
    {VEHICLE, "sw", 0},
    {VEHICLE, "swp", 0},
    {SLEDGE, "midpoint", 0},
    {SLEDGE, "lgvi", 0},
    {GLIDER, "flv", 0},
    {GLIDER, "swp", 0},
};
/* Member `index` starts rotated about an axis and with other velocities. */
static void begin(const struct noe_model *model, int index, real *q, real *v) {
    real x[FREEDOMS_MAX];
    for (int i = 0; i < model->system->n; i++) {
        x[i] = 0.05 * index * (1 + i % 3);
        v[i] = model->v[i] * (1 + 0.02 * index);
    }
    product_retract(model->system, 1, q, model->q, x);
}

static const struct paths paths = {rows, sizeof rows / sizeof *rows, 0.05, begin};

static void test_specialised(void **state) {
    (void)state;
    paths_check_specialised(&paths);
}

static void test_lanes(void **state) {
    (void)state;
    paths_check_lanes(&paths);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_specialised),
        cmocka_unit_test(test_lanes),
    };
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
