/* Models on rotations and poses: derivatives along g exp(e s), traits, starts, notes. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model_text.h"
#include "study/columns.h"
#include "study/differences.h"

#define HEAVY_TOP                                                                                  \
    "param J = diag(15.234375, 0.46875, 15.234375), m = 15, X = [0, 1, 0], g = 9.81\n"             \
    "rotation R, W\n"                                                                              \
    "L = dot(W, J*W)/2 - m*g*dot(e3, R*X)\n"                                                       \
    "start R = expm([0.3, -0.5, 0.8]), W = [0.4, 1.5, -0.7]\n"                                     \
    "invariant vertical = dot(e3, R*J*W)\n"

/* A body whose potential couples rotation and position, with a force in its own frame. */
#define BODY                                                                                       \
    "param J = [[2, 0.1, 0.2], [0.1, 3, -0.3], [0.2, -0.3, 4]], M = diag(5, 6, 7), "               \
    "D = [[0.1, 0.4, 0], [0, 0.2, 0.3], [-0.2, 0, 0.5]], a = [0.3, -0.2, 0.5]\n"                   \
    "pose R, x, W, V\n"                                                                            \
    "let s = x + R*a\n"                                                                            \
    "L = dot(W, J*W)/2 + dot(V, M*V)/2 + dot(W, D*V) - 3/norm(s - [2, 1, 4])\n"                    \
    "  - dot(x, x)*R[1][2]/2 + sin(x[2])*dot(R*W, e1)\n"                                           \
    "force R = -0.1*W + cross(a, transpose(R)*x), x = -0.2*norm(V)*V + R[3]*t\n"                   \
    "start R = expm([-0.4, 0.9, 0.2]), x = [0.5, -0.3, 0.2], W = [1, -0.5, 0.3], V = [0.2, 1, "    \
    "-1]\n"

/* SO(3) x R^2: the mass matrix depends on both. */
#define CARRIER                                                                                    \
    "param J = diag(2, 3, 4)\n"                                                                    \
    "coord a\nrotation R, W\ncoord b\n"                                                            \
    "L = dot(W, J*W)/2*(1 + sin(a)^2/4) + (2 + R[1][1]*cos(b))/2*(a'^2 + b'^2)\n"                  \
    "  + a'*dot(W, [R[3][1], cos(b), 0.5])/3 + b'*W[2]*sin(a) - R[2][3]*cos(a - b)\n"              \
    "force a = -0.1*a'*W[1], R = [0, b, a']\n"                                                     \
    "start R = expm([1, 0.2, -0.3]), W = [0.3, -0.8, 0.5], a = 0.7, a' = 0.4, b = -1.1, b' = "     \
    "0.6\n"

/* Two bodies of two mass points each, attracting one another. */
#define TWO_BODIES                                                                                 \
    "param n = 2, m = [1.5, 2.5], J = [diag(0.2, 0.3, 0.4), diag(0.5, 0.6, 0.7)], "                \
    "arm = [[0.2, 0, 0.1], [0, 0.3, -0.1]]\n"                                                      \
    "pose R[n], x[n], W[n], V[n]\n"                                                                \
    "L = sum(i = 1..n, dot(W[i], J[i]*W[i])/2 + m[i]/2*dot(V[i], V[i]))\n"                         \
    "  + sum(i = 1..2, j = 1..2, 1/norm(x[1] + (2*i - 3)*R[1]*arm[1]\n"                            \
    "    - x[2] - (2*j - 3)*R[2]*arm[2]))\n"                                                       \
    "start R[2] = expm([0.3, 0.4, -0.6]), x = [[0, 0, 0], [1, 0.5, -0.4]],\n"                      \
    "  W[1] = [0.1, 0.2, 0.3], W[2] = [-0.4, 0, 0.5], V[2] = [0, 0.7, 0.2]\n"                      \
    "invariant P = sum(i = 1..n, m[i]*(R[i]*V[i]))\n"

static const char *const models[] = {HEAVY_TOP, BODY, CARRIER, TWO_BODIES};
enum { MODELS = sizeof models / sizeof *models };

/* Measured: 2e-12 and 4e-12. */
static void derivatives_are_those_along_the_group(void **state) {
    (void)state;
    for (int i = 0; i < 2 * MODELS; i++) {
        struct noe_model *model = model_text_open(models[i / 2], i % 2);
        struct differences differences = {0};
        assert_int_equal(
            differences_check(&differences, model->system, 0.3, model->q, model->v, NULL), NOE_OK);
        print_message("%d %g %g\n", i, (double)differences.gradient_error,
                      (double)differences.hessian_error);
        assert_true(differences.gradient_error < 1e-11);
        assert_true(differences.hessian_error < 1e-9);
        noe_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_along_the_group),
    };
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
