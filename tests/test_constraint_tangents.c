/* Tangent maps of steps with constraints: against finite differences of order four along curves
 * of states that satisfy the constraints, and their effect on the symplectic form. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "loaded.h"
#include "noether_model.h"
#include "spaces/product.h"
#include "study/verify/method_report.h"

enum { SIZE = 2 * FREEDOMS_MAX, SHIFTS = 5, BEFORE = 2 }; /* steps before the measured one */

/* A curve of starts with parameter s. */
static const char *const models[] = {
    /* Two points on rods, one of which changes its length, with masses that depend on position. */
    "param A = [sin(c), 0, -cos(c)], E = [cos(2*c), sin(2*c), 0], U = [0, 1 + c, 0]\n"
    "param N = [-sin(2*c), cos(2*c), 0.3]\n"
    "coord a[3], b[3]\n"
    "L = dot(a', a')*(1 + a[3]^2/4)/2 + dot(b', b') + a[1]'*b[2]'/3 - 9.81*(a[3] + 2*b[3])\n"
    "constraint dot(a, a) = 1\nconstraint dot(b - a, b - a) = 1 + 0.1*sin(t)\n"
    "start a = A, b = A + E, a' = U, b' = U + (0.5 + c)*N + 0.05*E\n",
    /* A top as a body and a fixed point. */
    "param J = diag(0.3, 0.5, 0.4), S = expm(c*[0.3, 0.7, -0.4]), O = [0.6 + c, 0.5, -0.7*c]\n"
    "rotation R, W\ncoord x[3]\n"
    "L = dot(W, J*W)/2 + dot(x', x') - 2*x[3] + x[1]*x[2]'/4\n"
    "constraint [0, 1, 0] = transpose(R)*x\n"
    "start R = S, x = S*[0, 1, 0], W = O, x' = S*cross(O, [0, 1, 0])\n",
};

static const char *const methods[] = {"midpoint", "midpoint retraction=exp", "lobatto stages=2",
                                      "lobatto stages=3"};

/* The model at the parameter c of the curve. */
static void open_at(struct loaded *loaded, const char *model, const char *method, double c) {
    char text[1200];
    snprintf(text, sizeof text, "param c = %.17g\n%smethod %s\nstep 0.05\n", c, model, method);
    loaded_open(loaded, text);
}

/* (q,p) minus (q0,p0), left-trivialised. */
static void take_difference(const struct noe_system *system, const real *z0, const real *z,
                            real *dz) {
    const int n = system->n, np = product_point_size(system);
    point_difference(system, dz, z0, z);
    for (int k = 0; k < n; k++) dz[n + k] = z[np + k] - z0[np + k];
}

/* d/dc by finite differences of order four, from states at c - 2e .. c + 2e. */
static void take_slope(const struct noe_system *system, const real z[SHIFTS][POINT_MAX + SIZE],
                       double e, real *slope) {
    real dz[SHIFTS][SIZE];
    for (int i = 0; i < SHIFTS; i++) take_difference(system, z[2], z[i], dz[i]);
    for (int k = 0; k < 2 * system->n; k++)
        slope[k] = (8 * (dz[3][k] - dz[1][k]) - (dz[4][k] - dz[0][k])) / (12 * e);
}

static void note_state(const struct noe_system *system, const struct noe_state *now, real *z) {
    const int np = product_point_size(system);
    memcpy(z, now->q, (size_t)np * sizeof *z);
    memcpy(z + np, now->p, (size_t)system->n * sizeof *z);
}

/* The tangent map of a step maps the derivative of a curve of states to that of their ends. */
static double derivative_error(const char *model, const char *method, double c) {
    const double e = 1e-3;
    real before[SHIFTS][POINT_MAX + SIZE], after[SHIFTS][POINT_MAX + SIZE], M[SIZE * SIZE];
    real dz[SIZE], dz1[SIZE];
    double largest = 0;
    int n = 0;
    for (int i = 0; i < SHIFTS; i++) {
        struct loaded run;
        struct noe_error error;
        open_at(&run, model, method, c + (i - 2) * e);
        const struct noe_system *system = run.model->system;
        note_state(system, loaded_steps(&run, BEFORE), before[i]);
        if (noe_work_step_linearised(run.run.work, M, &error) != NOE_OK) fail_msg("%s", error.text);
        note_state(system, noe_work_state(run.run.work), after[i]);
        loaded_close(&run);
    }
    struct loaded middle;
    open_at(&middle, model, method, c);
    loaded_steps(&middle, BEFORE);
    assert_int_equal(noe_work_step_linearised(middle.run.work, M, NULL), NOE_OK);
    n = middle.model->system->n;
    take_slope(middle.model->system, before, e, dz);
    take_slope(middle.model->system, after, e, dz1);
    for (int i = 0; i < 2 * n; i++) {
        real sum = -dz1[i];
        for (int j = 0; j < 2 * n; j++) sum += M[i * 2 * n + j] * dz[j];
        largest = fmax(largest, fabs((double)sum));
    }
    loaded_close(&middle);
    return largest;
}

static void test_differences(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            const double off = derivative_error(models[i], methods[k], 0.6);
            if (!(off <= 1.2e-10)) /* measured 5.8e-11 */
                fail_msg("model %zu, %s: off by %.2e", i, methods[k], off);
        }
}

/* The symplectic form is conserved along states that satisfy the constraints. */
static void test_symplectic_form(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            struct loaded run;
            struct method_report card = {0};
            open_at(&run, models[i], methods[k], 0.6);
            const struct convergence_task task = {.system = run.model->system,
                                                  .method = methods[k],
                                                  .until = 1,
                                                  .q = run.model->q,
                                                  .v = run.model->v};
            assert_int_equal(method_report_method(&card, &task, &run.run.problem, NULL), NOE_OK);
            if (!(card.symplecticity_defect <= 3e-15))
                fail_msg("model %zu, %s: form off by %.2e", i, methods[k],
                         (double)card.symplecticity_defect);
            loaded_close(&run);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_symplectic_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
