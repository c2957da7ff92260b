/* Event location in a loop of one's own: the period of a pendulum from its upward zero crossings. A
 * step in which the angle changes sign is repeated with a smaller size until the angle is zero. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <noether_model.h>
#include <stdio.h>

/* Repeats the last step, which began at time t0 with the angle before < 0 < after, so that it ends
 * where the angle is zero: the secant method, with the Illinois rule against slow ends. */
static enum noe_status locate(struct noe_work *work, double t0, double before, double after,
                              struct noe_error *error) {
    double low = 0, high = noe_work_state(work)->t - t0;
    for (int i = 0; i < 50; i++) {
        const double h = (low * after - high * before) / (after - before);
        const enum noe_status status = noe_work_restep(work, h, error);
        if (status != NOE_OK) return status;
        const double angle = noe_work_state(work)->q[0];
        if (fabs(angle) < 1e-15 || high - low < 1e-15) return NOE_OK;
        if (angle < 0) {
            low = h, before = angle, after /= 2;
        } else {
            high = h, after = angle, before /= 2;
        }
    }
    return NOE_OK;
}

/* Steps to the next upward crossing and writes its time. */
static enum noe_status next_crossing(struct noe_work *work, double *t, struct noe_error *error) {
    for (;;) {
        const double t0 = noe_work_state(work)->t, before = noe_work_state(work)->q[0];
        enum noe_status status = noe_work_step(work, error);
        if (status != NOE_OK) return status;
        const double after = noe_work_state(work)->q[0];
        if (!(before < -1e-12 && after >= 0)) continue; /* the last crossing is not found again */
        status = locate(work, t0, before, after, error);
        *t = noe_work_state(work)->t;
        return status;
    }
}

/* 2 pi / agm(1, cos(angle/2)): the exact period for g = l = 1. */
static double exact_period(double amplitude) {
    double a = 1, b = cos(amplitude / 2);
    for (int i = 0; i < 8; i++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * acos(-1) / a;
}

static enum noe_status measure(struct noe_work *work, struct noe_error *error) {
    const double amplitude = 2, rest = 0;
    double first = 0, last = 0;
    enum noe_status status = noe_work_start(work, 0, &amplitude, &rest, error);
    if (status == NOE_OK) status = next_crossing(work, &first, error);
    for (int i = 0; i < 10 && status == NOE_OK; i++) status = next_crossing(work, &last, error);
    if (status != NOE_OK) return status;
    const double period = (last - first) / 10, exact = exact_period(amplitude);
    printf("period %.12f, exact %.12f, difference %.1e\n", period, exact, period - exact);
    return fabs(period - exact) < 1e-9 ? NOE_OK : NOE_NOT_CONVERGED;
}

int main(void) {
    struct noe_error error = {NOE_OK, 0, 0, "the period is not accurate"};
    struct noe_model *model = NULL;
    struct noe_problem problem;
    struct noe_work *work = NULL;
    enum noe_status status =
        noe_model_open_text(&model, "pendulum", "coord a\nL = a'^2/2 + cos(a)\n", NULL, &error);
    if (status == NOE_OK)
        status = noe_problem_init(&problem, model->system, "gauss stages=4", 0.1, &error);
    if (status == NOE_OK) {
        status = noe_work_create(&work, &problem, &error);
        if (status == NOE_OK) status = measure(work, &error);
        noe_work_free(work);
        noe_problem_clear(&problem);
    }
    noe_model_free(model);
    if (status != NOE_OK) fprintf(stderr, "events: %s\n", error.text);
    return status != NOE_OK;
}
