/* Steps with constraints by every path: specialised steppers and SIMD lanes of every width give
 * the same bits, and lanes agree with a scalar run. */
/* SPDX-License-Identifier: MIT */
#include "paths.h"
#include "spaces/product.h"

#define LINKS                                                                                      \
    "coord a[3], b[3]\nL = dot(a', a')/2 + dot(b', b') - 9.81*(a[3] + 2*b[3])\n"                   \
    "constraint dot(a, a) = 1\nconstraint dot(b - a, b - a) = 1\n"                                 \
    "start a = [0.6, 0, -0.8], b = [0.6, 0.6, -1.6], a' = [0, 1, 0], b' = [0, 1, 0]\n"
#define SLEIGH                                                                                     \
    "param J = 0.5, a = 0.5\ncoord x, y, f\nL = (x'^2 + y'^2)/2 + J/2*f'^2\n"                      \
    "nonholonomic y'*cos(f) - x'*sin(f) = a*f'\nstart f' = 1, x' = 0.4, y' = a\n"
#define BLADE                                                                                      \
    "coord x, y, f\nL = (x'^2 + y'^2)/2 + f'*(y'*cos(f) - x'*sin(f))/2 + 3/8*f'^2\n"               \
    "nonholonomic y'*cos(f) = x'*sin(f)\nconstraint x^2 + y^2 + f^2 = 1\n"                         \
    "start x = 1, f' = 1\n"
#define BODY                                                                                       \
    "rotation R, W\nL = W[1]^2 + 3/2*W[2]^2 + 3/4*W[3]^2 + 0.4*W[1]*W[3] - R[3][3] - R[3][1]/2\n"  \
    "nonholonomic W[3] = 0\nstart W = [1, -0.5, 0]\n"
#define PARTICLE                                                                                   \
    "coord x, y, z\nL = (x'^2 + (1 + y^2)*y'^2 + z'^2)/2 - x^2 - y^2 + x'*y'*z/3\n"                \
    "nonholonomic z' = y*x'\nstart x = 1, y = 0.5, x' = 0.3, y' = -0.2, z' = 0.15\n"
#define TOP                                                                                        \
    "param J = diag(0.3, 0.5, 0.4)\nrotation R, W\ncoord x[3]\n"                                   \
    "L = dot(W, J*W)/2 + dot(x', x') - 2*x[3]\nconstraint [0, 1, 0] = transpose(R)*x\n"            \
    "start x = [0, 1, 0], W = [0.6, 0.5, -0.7], x' = [0.7, 0, 0.6]\n"

/* The multipliers of generalized-alpha have a round-off error of eps q/h^2. */
static const struct paths_row rows[] = {
    {LINKS, "lobatto stages=2", 0},
    {SLEIGH, "lobatto stages=2 multiplier=recompute", 0},
    {SLEIGH, "lobatto stages=3", 0},
    {BLADE, "lobatto stages=2", 0},
    {BODY, "lobatto stages=2 multiplier=recompute", 0},
    {TOP, "lobatto stages=2 retraction=exp", 0},
    {LINKS, "midpoint", 0},
    {TOP, "midpoint", 0},
    {LINKS, "generalized-alpha", 5e-13},
    {TOP, "generalized-alpha", 5e-13},
    {SLEIGH, "dla", 0},
    {PARTICLE, "dla", 0},
};

/* The constraints are linear in the velocities, so members start with multiples of one velocity. */
static void begin(const struct noe_model *model, int index, real *q, real *v) {
    const struct noe_system *system = model->system;
    memcpy(q, model->q, (size_t)product_point_size(system) * sizeof *q);
    for (int i = 0; i < system->n; i++) v[i] = model->v[i] * (1 + 0.02 * index);
}

static const struct paths paths = {rows, sizeof rows / sizeof *rows, 0.02, begin};

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
