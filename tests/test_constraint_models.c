/* Constraints stated in models: g, psi, reactions, their derivatives and pattern. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model_text.h"
#include "study/differences.h"

/* Rheonomic and scleronomic, with a force and a mass that depend on everything. */
#define LINKAGE                                                                                    \
    "param l = 1.3, k = 2\n"                                                                       \
    "coord x[2], a, b\n"                                                                           \
    "L = (1 + sin(a)^2)/2*a'^2 + dot(x', x')/2 + b'*x[1]'*cos(a) + b'^2 - k*a^2*b\n"               \
    "force a = -0.1*a'*b, b = x[1]*t\n"                                                            \
    "constraint dot(x, x) = l^2 + 0.1*sin(t)\n"                                                    \
    "constraint sin(a) - x[2]*b*cos(t) = 0.05\n"

/* Nonlinear in the velocities (Appell and Hamel), affine in them, and one that is holonomic. */
#define ROLLING                                                                                    \
    "coord x, y, z, s\n"                                                                           \
    "L = (x'^2 + y'^2 + z'^2)/2*(1 + x^2) + s'^2/2 - z\n"                                          \
    "nonholonomic z'^2 = x'^2 + y'^2*cos(s)\n"                                                     \
    "constraint x*y = s\n"                                                                         \
    "nonholonomic s' - y*x' + t*x = sin(z)\n"

/* A spherical joint in space between two bodies, and a third on R^3 that rolls. */
#define JOINTS                                                                                     \
    "param J = diag(2, 3, 4), a = [0.3, -0.2, 0.5], b = [0, 0.4, 0.1]\n"                           \
    "pose R, x, W, V\nrotation S, U\ncoord y[3]\n"                                                 \
    "L = dot(W, J*W)/2 + dot(V, V) + dot(U, J*U)/2 + dot(y', y')/2 - x[3]*S[1][2]\n"               \
    "constraint x + R*a = y + S*b\n"                                                               \
    "nonholonomic y[1]' = dot(S*U, e2)*(1 + R[1][3])\n"                                            \
    "nonholonomic y[2]' + dot(U, a) = V[2]*x[1]\n"                                                 \
    "start R = expm([-0.4, 0.9, 0.2]), S = expm([0.7, 0.1, -0.2])\n"

static const char *const models[] = {LINKAGE, ROLLING, JOINTS};
enum { MODELS = sizeof models / sizeof *models };

enum { NUMBERS = 64 };

/* Somewhere off the constraints; rotations as they start. */
static void choose_place(const struct noe_model *model, noe_real *q, noe_real *v) {
    const struct noe_system *system = model->system;
    const int count = system->factors ? 3 + 9 + 9 + 3 : system->n;
    for (int k = 0; k < count; k++) {
        const bool is_rotation = system->factors && (k < 9 || (k >= 12 && k < 21));
        q[k] = is_rotation ? model->q[k] : (noe_real)0.4 + (noe_real)0.11 * k;
    }
    for (int k = 0; k < NUMBERS; k++) v[k] = (noe_real)-0.7 + (noe_real)0.17 * k;
}

/* Measured: 3.2e-12, 3.2e-12 and 1.7e-11. */
static void derivatives_are_those_of_the_constraints(void **state) {
    (void)state;
    for (int i = 0; i < 2 * MODELS; i++) {
        struct noe_model *model = model_text_open(models[i / 2], i % 2);
        const struct noe_system *system = model->system;
        struct differences differences = {0};
        noe_real q[NUMBERS], v[NUMBERS];
        choose_place(model, q, v);
        assert_int_equal(differences_check(&differences, system, 0.3, q, v, NULL), NOE_OK);
        assert_true(differences.gradient_error < 7e-12);
        assert_true(differences.hessian_error < 7e-12);
        assert_true(differences.constraint_error < 3.5e-11);
        noe_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_the_constraints),
    };
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
