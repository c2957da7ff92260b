/* The Kepler problem stated by hand in C and stepped with libnoether. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <noether.h>
#include <stdio.h>

/* L = v.v/2 + 1/|q| */
static double lagrangian(const struct noe_system *system, double t, const double *q,
                         const double *v) {
    (void)system, (void)t;
    return (v[0] * v[0] + v[1] * v[1]) / 2 + 1 / hypot(q[0], q[1]);
}

/* p = L_v, w = L_q */
static void first(const struct noe_system *system, double t, const double *q, const double *v,
                  double *p, double *w) {
    const double r = hypot(q[0], q[1]), c = -1 / (r * r * r);
    (void)system, (void)t;
    for (int i = 0; i < 2; i++) {
        p[i] = v[i];
        w[i] = c * q[i];
    }
}

/* p, w and the blocks p_v, p_q, w_v, w_q, each 2 x 2 row by row */
static void second(const struct noe_system *system, double t, const double *q, const double *v,
                   double *p, double *w, double *d) {
    const double r2 = q[0] * q[0] + q[1] * q[1], c = -1 / (r2 * sqrt(r2));
    first(system, t, q, v, p, w);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            d[2 * i + j] = i == j;
            d[4 + 2 * i + j] = 0;
            d[8 + 2 * i + j] = 0;
            d[12 + 2 * i + j] = c * ((i == j) - 3 * q[i] * q[j] / r2);
        }
}

static const struct noe_system kepler = {
    .name = "Kepler",
    .n = 2,
    .nz = 4,
    .traits = NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE | NOE_AUTONOMOUS | NOE_UNFORCED,
    .lagrangian = lagrangian,
    .first = first,
    .second = second,
};

/* Ten thousand steps of two-stage Gauss, 200 per revolution; prints the energy error. */
static enum noe_status revolve(struct noe_work *work, struct noe_error *error) {
    const double q[2] = {0.4, 0}, v[2] = {0, 2};
    struct noe_observation before, after;
    enum noe_status status = noe_work_start(work, 0, q, v, error);
    if (status == NOE_OK) status = noe_work_observe(work, &before, error);
    if (status == NOE_OK) status = noe_work_steps(work, 10000, error);
    if (status == NOE_OK) status = noe_work_observe(work, &after, error);
    if (status != NOE_OK) return status;

    const struct noe_state *now = noe_work_state(work);
    printf("t = %g   q = (%.12f, %.12f)   energy error = %.1e\n", now->t, now->q[0], now->q[1],
           after.energy - before.energy);
    return NOE_OK;
}

int main(void) {
    struct noe_problem problem;
    struct noe_work *work = NULL;
    struct noe_error error;
    enum noe_status status =
        noe_problem_init(&problem, &kepler, "gauss stages=2", 3.14159265358979 / 100, &error);
    if (status == NOE_OK) {
        status = noe_work_create(&work, &problem, &error);
        if (status == NOE_OK) status = revolve(work, &error);
        noe_work_free(work);
        noe_problem_clear(&problem);
    }
    if (status != NOE_OK) fprintf(stderr, "kepler: %s\n", error.text);
    return status != NOE_OK;
}
