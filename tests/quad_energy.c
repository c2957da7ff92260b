/* Energy-adaptive methods in quadruple precision: the discrete energy, the orders, and the
 * equivalence with a fixed-step method in a fictitious time. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "energy.h"
#include "noether_model.h"

#define DOUBLE_WELL "param q0 = 0.74\ncoord q\nL = q'^2/2 - (q^4 - q^2)/2\nstart q = q0\n"

/* Measured: 1.2e-34, 9e-35. */
static void test_discrete_energy(void **state) {
    (void)state;
    const char *const sets[] = {"q0=0.74", "q0=0.995"};
    for (int i = 0; i < 2; i++) {
        struct energy_run e;
        real off = 0;
        energy_open(&e, DOUBLE_WELL, sets[i], "energy-midpoint", 0.01Q);
        for (int k = 0; k < 5000; k++) {
            const struct noe_state *now = energy_steps(&e, 1);
            off = noe_max(off, noe_abs(now->energy - now->energy_target));
        }
        if (!(off < 3e-34Q)) fail_msg("%s: discrete energy off by %.2e", sets[i], (double)off);
        energy_close(&e);
    }
}

/* The state at the end of the first step after time `until`, integrated back to `until` by a
 * method of order 24. */
static void state_at(const char *text, const char *method, real h, real until, real *z, int n) {
    struct energy_run e;
    struct noe_error error;
    struct noe_problem exact;
    struct noe_work *work;
    energy_open(&e, text, NULL, method, h);
    while (noe_work_state(e.run.work)->t < until) energy_steps(&e, 1);
    const struct noe_state *now = noe_work_state(e.run.work);
    assert_int_equal(noe_problem_init(&exact, e.model->system, "gauss stages=12", h, &error),
                     NOE_OK);
    assert_int_equal(noe_work_create(&work, &exact, &error), NOE_OK);
    assert_int_equal(noe_work_start_momentum(work, now->t, now->q, now->p, &error), NOE_OK);
    if (now->t > until) assert_int_equal(noe_work_step_by(work, until - now->t, &error), NOE_OK);
    for (int k = 0; k < n; k++) {
        z[k] = noe_work_state(work)->q[k];
        z[n + k] = noe_work_state(work)->p[k];
    }
    noe_work_free(work);
    noe_problem_clear(&exact);
    energy_close(&e);
}

/* The order of the motion in time, with the step sizes that the method finds. */
static void test_orders(void **state) {
    (void)state;
    const char *const texts[] = {
        "coord x, y\nL = (x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3\n"
        "start x = 0.1, y = 0.2, x' = 0.3, y' = -0.1\n",
        /* mass depends on q; driven, damped, explicit in time */
        "coord q\nL = (1 + q^2/20)*q'^2/2 - q^4/40 - (4 + sin(t)/5)*q^2/2\nforce q = -q'/20 + "
        "cos(t)/10\nstart q = 1\n"};
    const char *const methods[] = {"energy-midpoint", "energy-gauss stages=2",
                                   "energy-gauss stages=3", "energy-gauss stages=4"};
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < 4 - 2 * i; m++) { /* with more stages the second has no step size */
            const int n = i == 0 ? 2 : 1;
            double error[2];
            for (int k = 0; k < 2; k++) {
                real z[4], exact[4];
                state_at(texts[i], methods[m], k == 0 ? 0.05Q : 0.025Q, 1, z, n);
                state_at(texts[i], "gauss stages=12", 0.05Q, 1, exact, n);
                error[k] = 0;
                for (int j = 0; j < 2 * n; j++) error[k] += (double)noe_abs(z[j] - exact[j]);
            }
            const double order = log2(error[0] / error[1]), claimed = 2 * (m + 1);
            if (!(fabs(order - claimed) < 0.15))
                fail_msg("%s, system %d: order %.3f", methods[m], i, order);
        }
}

/* The energy-adaptive steps are those of a midpoint rule with constant step 1 in a fictitious
 * time x, in which q, p, t and E are the state. With x' = 1 and t = t(x) the extended Lagrangian
 * is L(t, q, q'/t') t', whose midpoint rule with step 1 has momenta p of q and -E of t. Its
 * discrete Euler-Lagrange equations in q and in t hold at every node. Measured: 4.4e-33, the
 * cancellation in q1 - q0 over the step. */
static void test_fictitious_time(void **state) {
    (void)state;
    const char *const text =
        "coord q\nL = q'^2/2 - q^4/4 - (2 + sin(t)/5)*q^2/2\nforce q = -q'/20\nstart q = 1\n";
    struct energy_run e;
    real last_p = 0, last_E = 0, worst = 0;
    energy_open(&e, text, NULL, "energy-midpoint", 0.05Q);
    for (int k = 0; k < 40; k++) {
        const real q0 = noe_work_state(e.run.work)->q[0], t0 = noe_work_state(e.run.work)->t;
        const struct noe_state *now = energy_steps(&e, 1);
        /* q' = dq/dx = v t', t' = dt/dx, both at x + 1/2. */
        const real dq = now->q[0] - q0, dt = now->t - t0, v = dq / dt;
        const real q = q0 + dq / 2, t = t0 + dt / 2, k2 = 2 + noe_sin(t) / 5;
        const real L = v * v / 2 - q * q * q * q / 4 - k2 * q * q / 2;
        const real Lq = -q * q * q - k2 * q, Lt = -noe_cos(t) / 5 * q * q / 2, f = -v / 20;
        /* L1 = L t': by q', by t', by q and by t. */
        const real by_dq = v, by_dt = L - v * v, by_q = Lq * dt, by_t = Lt * dt;
        const real p0 = by_dq - (by_q + f * dt) / 2, p1 = by_dq + (by_q + f * dt) / 2;
        const real E0 = -(by_dt - (by_t - f * dq) / 2), E1 = -(by_dt + (by_t - f * dq) / 2);
        if (k > 0) worst = noe_max(worst, noe_max(noe_abs(p0 - last_p), noe_abs(E0 - last_E)));
        last_p = p1;
        last_E = E1;
    }
    if (!(worst < 1e-32Q)) fail_msg("equations in fictitious time violated by %.2e", (double)worst);
    energy_close(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_discrete_energy),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_fictitious_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
