/* What a generic callback costs: the library's step against a loop written by hand. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "systems.h"

enum { ROUNDS = 15 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x) {
    qsort(x, ROUNDS, sizeof *x, ascending);
    return x[ROUNDS / 2];
}

/* Verlet for Henon-Heiles, force at the end of a step kept for the next one. */
static double hand_verlet(long steps, double h) {
    double x = 0.1, y = 0.2, u = 0.3, v = -0.1;
    double fx = -x - 2 * x * y, fy = -y - x * x + y * y;
    for (long k = 0; k < steps; k++) {
        u += h / 2 * fx;
        v += h / 2 * fy;
        x += h * u;
        y += h * v;
        fx = -x - 2 * x * y;
        fy = -y - x * x + y * y;
        u += h / 2 * fx;
        v += h / 2 * fy;
    }
    return x + y + u + v;
}

/* One evaluation of the double pendulum for the hand-written midpoint rule. */
struct values {
    double p[2], w[2], pv[3], pq[4], wq[3];
};

static struct values evaluate(const double *q, const double *v) {
    const double g = 9.81, s = sin(q[0] - q[1]), c = cos(q[0] - q[1]);
    const double turn = v[0] * v[1] * s, bend = v[0] * v[1] * c;
    return (struct values){
        .p = {2 * v[0] + v[1] * c, v[1] + v[0] * c},
        .w = {-turn - 2 * g * sin(q[0]), turn - g * sin(q[1])},
        .pv = {2, c, 1},
        .pq = {-v[1] * s, v[1] * s, -v[0] * s, v[0] * s},
        .wq = {-bend - 2 * g * cos(q[0]), bend, -bend - g * cos(q[1])},
    };
}

/* Implicit midpoint rule: L_v(Q,V) - p - h/2 W(Q,V) = 0, Newton from a quadratic extrapolation with
 * Cramer's rule, until the correction is below 1e-8, which quadratic convergence squares. */
static double hand_midpoint(long steps, double h) {
    double q[2] = {0.1, 0.2}, v[2] = {0.3, -0.1}, p[2], last[2][2] = {{0.3, -0.1}, {0.3, -0.1}};
    struct values e = evaluate(q, v);
    p[0] = e.p[0];
    p[1] = e.p[1];
    for (long k = 0; k < steps; k++) {
        const double old[2] = {v[0], v[1]};
        for (int i = 0; i < 2; i++) v[i] = 3 * v[i] - 3 * last[0][i] + last[1][i];
        for (int i = 0; i < 2; i++) {
            last[1][i] = last[0][i];
            last[0][i] = old[i];
        }
        for (int iteration = 0; iteration < 20; iteration++) {
            const double Q[2] = {q[0] + h / 2 * v[0], q[1] + h / 2 * v[1]};
            e = evaluate(Q, v);
            const double r0 = e.p[0] - p[0] - h / 2 * e.w[0], r1 = e.p[1] - p[1] - h / 2 * e.w[1];
            const double a = e.pv[0] + h / 2 * (e.pq[0] - e.pq[0]) - h * h / 4 * e.wq[0];
            const double b = e.pv[1] + h / 2 * (e.pq[1] - e.pq[2]) - h * h / 4 * e.wq[1];
            const double c = e.pv[1] + h / 2 * (e.pq[2] - e.pq[1]) - h * h / 4 * e.wq[1];
            const double d = e.pv[2] + h / 2 * (e.pq[3] - e.pq[3]) - h * h / 4 * e.wq[2];
            const double det = 1 / (a * d - b * c);
            const double d0 = det * (d * r0 - b * r1), d1 = det * (a * r1 - c * r0);
            v[0] -= d0;
            v[1] -= d1;
            if (fabs(d0) + fabs(d1) < 1e-8 * (fabs(v[0]) + fabs(v[1]))) break;
        }
        const double Q[2] = {q[0] + h / 2 * v[0], q[1] + h / 2 * v[1]};
        e = evaluate(Q, v);
        for (int i = 0; i < 2; i++) {
            q[i] += h * v[i];
            p[i] += h * e.w[i];
        }
    }
    return q[0] + q[1] + p[0] + p[1];
}

static double library(const struct noe_system *system, const char *method, long steps, double h) {
    const double q[2] = {0.1, 0.2}, v[2] = {0.3, -0.1};
    struct noe_problem problem;
    struct noe_work *work;
    struct noe_error error;
    if (noe_problem_init(&problem, system, method, h, &error) != NOE_OK ||
        noe_work_create(&work, &problem, &error) != NOE_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    noe_start(work, 0, q, v, &error);
    if (noe_steps(work, steps, &error) != NOE_OK) fprintf(stderr, "%s\n", error.text);
    const struct noe_state *now = noe_now(work);
    const double sum = now->q[0] + now->q[1] + now->p[0] + now->p[1];
    noe_work_free(work);
    noe_problem_clear(&problem);
    return sum;
}

static void compare(const struct noe_system *system, const char *method, long steps, double h,
                    double (*hand)(long, double)) {
    double by_hand[ROUNDS], by_library[ROUNDS], ratio[ROUNDS], difference = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const double t0 = seconds(), a = hand(steps, h), t1 = seconds();
        const double b = library(system, method, steps, h), t2 = seconds();
        by_hand[i] = (t1 - t0) / (double)steps * 1e9;
        by_library[i] = (t2 - t1) / (double)steps * 1e9;
        ratio[i] = by_library[i] / by_hand[i];
        difference = fabs(a - b);
    }
    printf("%-16s %-10s %8.1f ns %8.1f ns   ratio %.2f   results differ by %.1e\n", system->name,
           method, median(by_hand), median(by_library), median(ratio), difference);
}

int main(void) {
    printf("%-16s %-10s %11s %11s\n", "system", "method", "by hand", "library");
    compare(&henon_heiles, "verlet", 2000000, 0.01, hand_verlet);
    compare(&double_pendulum, "midpoint", 300000, 0.001, hand_midpoint);
    return 0;
}
