/* Coefficients against their defining conditions, in quadruple precision. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "methods.h"
#include "methods/runge_kutta/prk.h"
#include "methods/runge_kutta/tableau.h"

static exact whole(struct coefficient c) { return (exact)c.high + c.low; }

static double size(exact x) { return fabs((double)x); }

/* Max defect of B(p): sum b_i c_i^(k-1) = 1/k; C(s): sum_j a_ij c_j^(k-1) = c_i^k/k;
 * symplecticity: b_i ahat_ij + bhat_j a_ji = b_i bhat_j. */
static double defect(const struct tableau *t, const exact *c, int quadrature) {
    double largest = 0;
    exact power[TABLEAU_STAGES_MAX];
    for (int i = 0; i < t->s; i++) power[i] = 1;
    for (int k = 1; k <= quadrature; k++) {
        exact sum = -(exact)1 / k;
        for (int i = 0; i < t->s; i++) sum += whole(t->b[i]) * power[i];
        largest = fmax(largest, size(sum));
        for (int i = 0; i < t->s && k <= t->s; i++) {
            exact row = -power[i] * c[i] / k;
            for (int j = 0; j < t->s; j++) row += whole(t->a[i][j]) * power[j];
            largest = fmax(largest, size(row));
        }
        for (int i = 0; i < t->s; i++) power[i] *= c[i];
    }
    for (int i = 0; i < t->s; i++)
        for (int j = 0; j < t->s; j++)
            largest = fmax(largest, size(whole(t->b[i]) * whole(t->ahat[i][j]) +
                                         whole(t->bhat[j]) * whole(t->a[j][i]) -
                                         whole(t->b[i]) * whole(t->bhat[j])));
    return largest;
}

/* Coefficients split into two doubles are known to 26 bits beyond a double. */
static void test_collocation(void **state) {
    static struct tableau t;
    exact c[TABLEAU_STAGES_MAX];
    (void)state;
    for (int s = 1; s <= 12; s++) {
        tableau_gauss_nodes(s, c);
        tableau_collocation(&t, s, c);
        assert_true(defect(&t, c, 2 * s) < 4e-24);
        if (s == 1) continue;
        tableau_lobatto_nodes(s, c);
        tableau_collocation(&t, s, c);
        assert_true(defect(&t, c, 2 * s - 2) < 4e-24);
    }
}

/* The Lobatto tables of the literature. */
static void test_lobatto(void **state) {
    static struct tableau t;
    exact c[TABLEAU_STAGES_MAX];
    (void)state;
    static const double a[3][3] = {
        {0, 0, 0}, {5 / 24.0, 1 / 3.0, -1 / 24.0}, {1 / 6.0, 2 / 3.0, 1 / 6.0}};
    static const double ahat[3][3] = {
        {1 / 6.0, -1 / 6.0, 0}, {1 / 6.0, 1 / 3.0, 0}, {1 / 6.0, 5 / 6.0, 0}};
    tableau_lobatto_nodes(3, c);
    tableau_collocation(&t, 3, c);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            assert_true(fabs(t.a[i][j].value - a[i][j]) < 1e-16);
            assert_true(fabs(t.ahat[i][j].value - ahat[i][j]) < 2e-16);
        }
}

/* Symmetric compositions: sum gamma = 1, and sum gamma^k = 0 for odd k below the order. */
static void test_compositions(void **state) {
    (void)state;
    for (int order = 2; order <= 10; order += 2) {
        char method[40];
        struct noe_problem problem;
        snprintf(method, sizeof method, "splitting order=%d", order);
        assert_int_equal(noe_problem_init(&problem, &henon_heiles, method, 0.1, NULL), NOE_OK);
        const struct tableau *t = prk_tableau(&problem);
        for (int k = 1; k < order; k += 2) {
            exact sum = k == 1 ? -1 : 0;
            for (int i = 0; i < t->s; i++) {
                exact power = 1;
                for (int m = 0; m < k; m++) power *= whole(t->b[i]);
                sum += power;
            }
            if (size(sum) > 4e-20)
                fail_msg("order %d: the sum of powers %d is off by %.2e", order, k, size(sum));
        }
        noe_problem_clear(&problem);
    }
}

/* Along Kepler's ellipses the energy error is a random walk without drift: the mean of several
 * runs is small. */
static void test_no_drift(void **state) {
    (void)state;
    enum { WALKS = 6 };
    double sum = 0, largest = 0;
    for (int i = 0; i < WALKS; i++) {
        const struct test_case test = {&kepler, {0.8 + 0.001 * i, 0}, {0, 1.2247448713915890}};
        struct run run;
        struct noe_error error;
        struct noe_observation moment;
        run_start(&run, &test, "gauss stages=8", 0.5);
        noe_work_observe(run.work, &moment, &error);
        const double start = moment.energy;
        assert_int_equal(noe_work_steps(run.work, 100000, &error), NOE_OK);
        noe_work_observe(run.work, &moment, &error);
        sum += moment.energy - start;
        largest = fmax(largest, fabs(moment.energy - start));
        run_end(&run);
    }
    if (fabs(sum) / WALKS > 2.7e-14 || largest > 7e-14) /* measured 1.3e-14 and 3.5e-14 */
        fail_msg("energy went %.2e on average, %.2e at most", sum / WALKS, largest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collocation),
        cmocka_unit_test(test_lobatto),
        cmocka_unit_test(test_compositions),
        cmocka_unit_test(test_no_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
