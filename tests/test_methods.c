/* Every method of the registry: its order and each of its traits are measured. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "engine/advance.h"
#include "loaded.h"
#include "methods/method.h"
#include "spaces/product.h"

static int claimed_order(const char *method, const struct test_case *test) {
    struct noe_problem problem;
    assert_int_equal(noe_problem_init(&problem, test->system, method, 0.1, NULL), NOE_OK);
    const int order = problem.order;
    noe_problem_clear(&problem);
    return order;
}

/* Energy-momentum methods without rotational symmetry. If the energy does not depend on the
 * unknown, errors are large by chance, and `projection` may have no root (test_gradients). */
static bool is_erratic(const char *method, const struct test_case *test) {
    return strncmp(method, "energy-momentum", 15) == 0 && test->system == &henon_heiles;
}

static void check_order(const char *method, const struct variant *row,
                        const struct test_case *test) {
    (void)row;
    if (is_erratic(method, test)) return;
    const int claimed = claimed_order(method, test);
    if (claimed > (test->system->factors ? 4 : 6)) return; /* measured in quadruple precision */
    const double seen = observed_order(test, method, 2e-12);
    if (!(fabs(seen - claimed) < 0.12))
        fail_msg("%s on %s: order %d claimed, %.3f seen", method, test->system->name, claimed,
                 seen);
}

static void test_orders(void **state) {
    (void)state;
    for_each_method(8, check_order);
}

/* Every tableau of a method whose tableau is an option. */
static void test_tableaux(void **state) {
    const char *const words[] = {"heun", "euler", "gauss1", "gauss2"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (int k = 0; k < test_case_count; k++) {
            char method[80];
            snprintf(method, sizeof method, "rkmk tableau=%s", words[i]);
            check_order(method, NULL, &test_cases[k]);
        }
}

/* Omega(p) = [[B(p)^T, 1], [-1, 0]], 2n x 2n. */
static void symplectic_form(const struct noe_system *system, const real *p, real *Omega) {
    const int n = system->n;
    real B[FREEDOMS_MAX * FREEDOMS_MAX];
    poisson_matrix(system, p, B);
    memset(Omega, 0, (size_t)(4 * n * n) * sizeof *Omega);
    for (int i = 0; i < n; i++) {
        Omega[i * 2 * n + n + i] = 1;
        Omega[(n + i) * 2 * n + i] = -1;
        for (int j = 0; j < n; j++) Omega[i * 2 * n + j] = B[j * n + i];
    }
}

/* Max entry of M^T Omega(p1) M - Omega(p0). */
static double symplectic_defect(const struct noe_system *system, const real *M, const real *p0,
                                const real *p1) {
    enum { N = 2 * FREEDOMS_MAX };
    const int n = 2 * system->n;
    real before[N * N], after[N * N];
    double largest = 0;
    symplectic_form(system, p0, before);
    symplectic_form(system, p1, after);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            real sum = -before[a * n + b];
            for (int k = 0; k < n; k++)
                for (int l = 0; l < n; l++) sum += M[k * n + a] * after[k * n + l] * M[l * n + b];
            largest = fmax(largest, fabs((double)sum));
        }
    return largest;
}

/* dz = the change of the end (g, p) of a step for a change of the start along direction j of z. */
static void difference_of_step(const struct test_case *test, struct noe_work *work, const real *q,
                               const real *p, int j, real *dz) {
    const struct noe_system *system = test->system;
    const int n = system->n;
    const real e = 1e-5;
    real end[2][STATE_MAX];
    for (int side = 0; side < 2; side++) {
        real g[POINT_MAX], m[FREEDOMS_MAX];
        const real shift = side ? e : -e;
        struct noe_error error;
        memcpy(m, p, sizeof *p * (size_t)n);
        memcpy(g, q, sizeof *q * (size_t)product_point_size(system));
        if (j < n)
            move_point(system, g, q, j, shift);
        else
            m[j - n] += shift;
        noe_work_start_momentum(work, 0, g, m, &error);
        assert_int_equal(noe_work_step_by(work, 0.1, &error), NOE_OK);
        memcpy(end[side], noe_work_state(work)->p, sizeof(real) * (size_t)n);
        memcpy(end[side] + n, noe_work_state(work)->q,
               sizeof(real) * (size_t)product_point_size(system));
    }
    point_difference(system, dz, end[0] + n, end[1] + n);
    for (int i = 0; i < n; i++) dz[n + i] = end[1][i] - end[0][i];
    for (int i = 0; i < 2 * n; i++) dz[i] /= 2 * e;
}

/* For methods without a tangent map. */
static double difference_defect(const struct test_case *test, struct noe_work *work) {
    const int n = test->system->n;
    real M[4 * FREEDOMS_MAX * FREEDOMS_MAX], q[POINT_MAX], p[FREEDOMS_MAX];
    struct noe_error error;
    memcpy(q, noe_work_state(work)->q, sizeof *q * (size_t)product_point_size(test->system));
    memcpy(p, noe_work_state(work)->p, sizeof *p * (size_t)n);
    for (int j = 0; j < 2 * n; j++) {
        real column[2 * FREEDOMS_MAX];
        difference_of_step(test, work, q, p, j, column);
        for (int i = 0; i < 2 * n; i++) M[i * 2 * n + j] = column[i];
    }
    noe_work_start_momentum(work, 0, q, p, &error);
    assert_int_equal(noe_work_step_by(work, 0.1, &error), NOE_OK);
    return symplectic_defect(test->system, M, p, noe_work_state(work)->p);
}

static void check_symplectic(const char *method, const struct variant *row,
                             const struct test_case *test) {
    struct run run;
    struct noe_error error;
    real M[4 * FREEDOMS_MAX * FREEDOMS_MAX], p[FREEDOMS_MAX];
    double defect = 0;
    if (!(test->system->traits & NOE_UNFORCED)) return;
    if (row->scheme->energy_equation && row->scheme->energy_equation->rescale)
        return; /* with a fixed step size it is lgvi */
    run_start(&run, test, method, 0.05);
    double max = 2e-14, min = 1e-12;
    if (!row->scheme->tangent) {
        defect = difference_defect(test, run.work);
        max = 4e-9;
        min = claimed_order(method, test) < 4 ? 1e-6 : 0; /* else below round-off */
    }
    for (int k = 0; row->scheme->tangent && k < 10; k++) {
        memcpy(p, noe_work_state(run.work)->p, sizeof *p * (size_t)test->system->n);
        if (noe_work_step_linearised(run.work, M, &error) != NOE_OK)
            fail_msg("%s on %s: %s", method, test->system->name, error.text);
        defect = fmax(defect, symplectic_defect(test->system, M, p, noe_work_state(run.work)->p));
    }
    run_end(&run);
    const bool is_symplectic = row->traits & NOE_SYMPLECTIC;
    if (!is_symplectic && is_registry_case(test)) return;
    if (!is_symplectic && claimed_order(method, test) > 4) return; /* nearly symplectic */
    if (is_symplectic ? defect > max : defect < min)
        fail_msg("%s on %s: symplectic %d claimed, defect %.2e", method, test->system->name,
                 is_symplectic, defect);
}

static void test_symplectic(void **state) {
    (void)state;
    for_each_method(12, check_symplectic);
}

/* The tangent map against central finite differences of the step. */
static void check_linearised(const char *method, const struct variant *row,
                             const struct test_case *test) {
    const int n = test->system->n;
    struct run run;
    struct noe_error error;
    real M[4 * FREEDOMS_MAX * FREEDOMS_MAX], q[POINT_MAX], p[FREEDOMS_MAX];
    if (!row->scheme->tangent) return;
    run_start(&run, test, method, 0.1);
    const struct noe_state *now = noe_work_state(run.work);
    memcpy(q, now->q, sizeof *q * (size_t)product_point_size(test->system));
    memcpy(p, now->p, sizeof *p * (size_t)n);
    assert_int_equal(noe_work_step_linearised(run.work, M, &error), NOE_OK);
    for (int j = 0; j < 2 * n; j++) {
        real slope[2 * FREEDOMS_MAX];
        difference_of_step(test, run.work, q, p, j, slope);
        for (int i = 0; i < 2 * n; i++)
            if (fabs(slope[i] - M[i * 2 * n + j]) > 4e-9 * (1 + fabs(slope[i])))
                fail_msg("%s on %s: derivative %d %d: %.12g, differences %.12g", method,
                         test->system->name, i, j, (double)M[i * 2 * n + j], (double)slope[i]);
    }
    run_end(&run);
}

static void test_linearised(void **state) {
    (void)state;
    for_each_method(4, check_linearised);
}

static void check_symmetric(const char *method, const struct variant *row,
                            const struct test_case *test) {
    struct run run;
    struct noe_error error;
    run_start(&run, test, method, 0.1);
    struct noe_state start = *noe_work_state(run.work);
    real q[POINT_MAX], p[FREEDOMS_MAX];
    start.q = memcpy(q, start.q, sizeof *q * (size_t)product_point_size(test->system));
    start.p = memcpy(p, start.p, sizeof *p * (size_t)test->system->n);
    assert_int_equal(noe_work_step_by(run.work, 0.1, &error), NOE_OK);
    assert_int_equal(noe_work_step_by(run.work, -0.1, &error), NOE_OK);
    const double defect = (double)state_distance(test->system, noe_work_state(run.work), &start);
    run_end(&run);
    const bool is_symmetric = row->traits & NOE_SYMMETRIC;
    if (strstr(method, "gauss stages=1 ") && strstr(method, "retraction=exp"))
        return; /* symmetric by chance */
    if (!is_symmetric && is_registry_case(test)) return;
    if (!is_symmetric && claimed_order(method, test) > 4) return; /* nearly symmetric */
    if (!is_symmetric && (test->system->traits & NOE_LEFT_INVARIANT))
        return; /* both nodes coincide */
    if (is_symmetric ? defect > 4e-15 : defect < 1e-10)
        fail_msg("%s on %s: symmetric %d claimed, defect %.2e", method, test->system->name,
                 is_symmetric, defect);
}

static void test_symmetric(void **state) {
    (void)state;
    for_each_method(12, check_symmetric);
}

static void check_momentum(const char *method, const struct variant *row,
                           const struct test_case *test) {
    struct run run;
    struct noe_error error;
    double drift = 0, size = 0;
    momentum_map *momentum = momentum_of(test->system);
    if (!momentum) return;
    run_start(&run, test, method, 0.1);
    const double start = (double)momentum(noe_work_state(run.work)->q, noe_work_state(run.work)->p);
    const bool is_unstable = row->scheme->energy_equation &&
                             row->scheme->energy_equation->rescale; /* its step size grows */
    for (int k = 0; k < (is_unstable ? 100 : 1000); k++) {
        const enum noe_status status = noe_work_step(run.work, &error);
        if (status == NOE_NOT_FINITE && !(row->traits & NOE_MOMENTUM)) drift = HUGE_VAL;
        if (drift == HUGE_VAL) break; /* explicit Euler diverges */
        assert_int_equal(status, NOE_OK);
        const struct noe_state *now = noe_work_state(run.work);
        drift = fmax(drift, fabs((double)momentum(now->q, now->p) - start));
        size = (double)real_norm((size_t)product_point_size(test->system), now->q);
    }
    run_end(&run);
    const bool keeps = row->traits & NOE_MOMENTUM;
    if (!keeps && claimed_order(method, test) > 4) return; /* nearly conserves it */
    if (keeps ? drift > 2e-14 * (1 + size) : drift < 1e-10)
        fail_msg("%s on %s: momentum %d claimed, drift %.2e", method, test->system->name, keeps,
                 drift);
}

static void test_momentum(void **state) {
    (void)state;
    for_each_method(12, check_momentum);
}

/* The max change of the energy in 1000 steps relative to its size. The run ends early if the
 * energy is lost. */
static void check_energy(const char *method, const struct variant *row,
                         const struct test_case *test) {
    const unsigned needed = NOE_UNFORCED | NOE_AUTONOMOUS;
    struct run run;
    struct noe_error error;
    struct noe_observation moment;
    double drift = 0;
    if (row->scheme->energy_equation) return; /* conserves its discrete energy: test_energy.c */
    if ((test->system->traits & needed) != needed || is_erratic(method, test)) return;
    run_start(&run, test, method, claimed_order(method, test) == 1 ? 0.01 : 0.1);
    noe_work_observe(run.work, &moment, &error);
    const double start = (double)moment.energy;
    for (int k = 0; k < 1000 && drift < 1; k++) {
        if (noe_work_step(run.work, &error) != NOE_OK)
            fail_msg("%s on %s: %s", method, test->system->name, error.text);
        noe_work_observe(run.work, &moment, &error);
        drift = fmax(drift, fabs((double)moment.energy - start) / fabs(start));
    }
    run_end(&run);
    const bool keeps = row->traits & NOE_ENERGY;
    if (!keeps && test->system->factors) return;           /* may conserve it for some bodies */
    if (!keeps && claimed_order(method, test) > 4) return; /* nearly conserves it */
    if (keeps ? drift > 2e-14 : drift < 1e-10)
        fail_msg("%s on %s: energy %d claimed, drift %.2e", method, test->system->name, keeps,
                 drift);
}

static void test_energy(void **state) {
    (void)state;
    for_each_method(12, check_energy);
}

static void test_jacobian(void **state) {
    (void)state;
    for_each_method(4, check_jacobian);
}

/* The end of an explicit kernel is that of the root of the residual. */
static void check_kernel(const char *method, const struct variant *row,
                         const struct test_case *test) {
    struct run fast, slow;
    struct noe_error error;
    run_start(&fast, test, method, 0.1);
    run_start(&slow, test, method, 0.1);
    if (kernel_takes_steps(&fast.problem) && row->scheme->residual) {
        slow.problem.internals->kernel = NULL;
        for (int k = 0; k < 5; k++) {
            assert_int_equal(noe_work_step_by(fast.work, 0.1, &error), NOE_OK);
            assert_int_equal(noe_work_step_by(slow.work, 0.1, &error), NOE_OK);
            const double distance = (double)state_distance(test->system, noe_work_state(fast.work),
                                                           noe_work_state(slow.work));
            if (distance > 4e-15)
                fail_msg("%s on %s: kernel and root differ by %.2e", method, test->system->name,
                         distance);
        }
    }
    run_end(&fast);
    run_end(&slow);
}

static void test_kernels(void **state) {
    (void)state;
    for_each_method(12, check_kernel);
}

/* One call for many steps gives the same bits as many calls. */
static void check_batches(const char *method, const struct variant *row,
                          const struct test_case *test) {
    struct run one, many;
    struct noe_error error;
    (void)row;
    run_start(&one, test, method, 0.05);
    run_start(&many, test, method, 0.05);
    for (int k = 0; k < 20; k++) assert_int_equal(noe_work_step(one.work, &error), NOE_OK);
    assert_int_equal(noe_work_steps(many.work, 20, &error), NOE_OK);
    const struct noe_state *a = noe_work_state(one.work), *b = noe_work_state(many.work);
    assert_int_equal(a->k, b->k);
    assert_true(a->t == b->t);
    assert_true(state_distance(test->system, a, b) == 0);
    run_end(&one);
    run_end(&many);
}

static void test_batches(void **state) {
    (void)state;
    for_each_method(12, check_batches);
}

/* A system whose functions return NaN after a while: the step fails and the state is unchanged. */
static void broken_first(const struct noe_system *s, real t, const real *q, const real *v, real *p,
                         real *w) {
    henon_heiles.first(s, t, q, v, p, w);
    w[0] = t > 0.35 ? NAN : w[0];
}

static void broken_second(const struct noe_system *s, real t, const real *q, const real *v, real *p,
                          real *w, real *d) {
    henon_heiles.second(s, t, q, v, p, w, d);
    w[0] = t > 0.35 ? NAN : w[0];
}

static void test_not_finite(void **state) {
    (void)state;
    struct noe_system broken = henon_heiles;
    broken.force = NULL;
    broken.first = broken_first;
    broken.second = broken_second;
    for (int i = 0; i < noe_method_count(); i++) {
        const char *method = noe_method_at(i)->name;
        struct test_case test = test_cases[0];
        const unsigned needs =
            NOE_NEEDS_GROUPS | NOE_NEEDS_INVARIANT | NOE_NEEDS_CONSTRAINTS | NOE_NEEDS_LINEAR;
        if (noe_method_at(i)->traits & needs) continue;
        struct run run;
        struct noe_error error;
        test.system = &broken;
        run_start(&run, &test, method, 0.1);
        enum noe_status status = NOE_OK;
        real q = 0, p = 0, t = 0;
        long k = 0;
        while (status == NOE_OK && k < 1000) {
            q = noe_work_state(run.work)->q[0];
            p = noe_work_state(run.work)->p[0];
            t = noe_work_state(run.work)->t;
            k = noe_work_state(run.work)->k;
            status = noe_work_step(run.work, &error);
        }
        const struct noe_state *now = noe_work_state(run.work);
        if (status != NOE_NOT_FINITE && status != NOE_STEP_TOO_SMALL)
            fail_msg("%s: NaN gave status %d", method, status);
        assert_true(now->q[0] == q && now->p[0] == p && now->t == t && now->k == k);
        assert_non_null(strstr(error.text, "step"));
        run_end(&run);
    }
}

/* Every invalid problem has its message. */
static void test_messages(void **state) {
    (void)state;
    const struct {
        const struct noe_system *system;
        const char *method;
        double h;
        const char *words;
    } rows[] = {
        {&henon_heiles, "gaus", 0.1, "unknown method 'gaus' (did you mean 'gauss'?)"},
        {&henon_heiles, "xyzzy", 0.1, "'noether methods' lists them"},
        {&henon_heiles, "gauss stage=2", 0.1, "(did you mean 'stages'?)"},
        {&henon_heiles, "gauss colour=2", 0.1, "it has stages"},
        {&henon_heiles, "rk4 stages=2", 0.1, "it has none"},
        {&henon_heiles, "gauss stages=13", 0.1, "within 1 .. 12, found 13"},
        {&henon_heiles, "gauss stages=2.5", 0.1, "must be an integer"},
        {&henon_heiles, "gauss stages=two", 0.1, "must be a number, found 'two'"},
        {&henon_heiles, "gauss stages", 0.1, "expected key = value"},
        {&henon_heiles, "splitting order=5", 0.1, "2, 4, 6, 8 or 10"},
        {&henon_heiles, "midpoint", 0, "step must be positive"},
        {&henon_heiles, "midpoint", -1, "step must be positive"},
        {&henon_heiles, "midpoint", INFINITY, "finite"},
        {&henon_heiles, "midpoint", NAN, "step must be positive"},
        {&double_pendulum, "splitting", 0.1, "methods that serve it: "},
        {&double_pendulum, "splitting", 0.1, "discrete-gradient, "},
        {&double_pendulum, "splitting", 0.1, "dopri5, "},
        {&double_pendulum, "splitting", 0.1, "energy-gauss, "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct noe_problem problem;
        struct noe_error error = {0};
        assert_true(noe_problem_init(&problem, rows[i].system, rows[i].method, rows[i].h, &error) <
                    0);
        if (!strstr(error.text, rows[i].words))
            fail_msg("'%s' does not say '%s'", error.text, rows[i].words);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),     cmocka_unit_test(test_symplectic),
        cmocka_unit_test(test_linearised), cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_momentum),   cmocka_unit_test(test_energy),
        cmocka_unit_test(test_jacobian),   cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_batches),    cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_messages),   cmocka_unit_test(test_tableaux),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
