/* Systems with constraints by hand: RATTLE, and Lobatto's method with two stages for a sleigh. */
/* SPDX-License-Identifier: MIT */
#include "hand_constraints.h"

#include <math.h>

enum { ITERATIONS_MAX = 30 };

static double dot3(const double *x, const double *y) {
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/* Two points of mass 1 on links of length 1: g = ((a.a - 1)/2, (d.d - 1)/2), d = b - a. With unit
 * masses psi y^T of two configurations is K = (a.A, -a.D; -d.A, 2 d.D). */
static void solve_links(const double *a, const double *d, const double *A, const double *D,
                        const double *r, double *x) {
    const double k00 = dot3(a, A), k01 = -dot3(a, D), k10 = -dot3(d, A), k11 = 2 * dot3(d, D);
    const double inverse = 1 / (k00 * k11 - k01 * k10);
    x[0] = inverse * (k11 * r[0] - k01 * r[1]);
    x[1] = inverse * (k00 * r[1] - k10 * r[0]);
}

/* v += psi^T x. */
static void push_links(double *v, const double *a, const double *d, const double *x) {
    for (int i = 0; i < 3; i++) {
        v[i] += a[i] * x[0] - d[i] * x[1];
        v[3 + i] += d[i] * x[1];
    }
}

/* The end of a step for which g = 0; x are the impulses. */
static void find_links(const double *q, const double *d, double h, double *v, double *x, double *q1,
                       double *d1) {
    double last = HUGE_VAL;
    for (int i = 0; i < ITERATIONS_MAX; i++) {
        double change[2];
        for (int k = 0; k < 6; k++) q1[k] = q[k] + h * v[k];
        for (int k = 0; k < 3; k++) d1[k] = q1[3 + k] - q1[k];
        const double r[2] = {-(dot3(q1, q1) - 1) / (2 * h), -(dot3(d1, d1) - 1) / (2 * h)};
        solve_links(q1, d1, q, d, r, change);
        const double size = fmax(fabs(change[0]), fabs(change[1]));
        const double scale = fmax(fabs(x[0]), fabs(x[1]));
        if (size <= 1e-15 * scale || (size > 0.25 * last && size <= 1e-8 * scale)) return;
        push_links(v, q, d, change);
        x[0] += change[0];
        x[1] += change[1];
        last = size;
    }
}

void hand_links(double h, long steps, double *q, double *v) {
    double x[2] = {0}, trend[2] = {0}, d[3], q1[6], d1[3], z[2];
    for (int k = 0; k < 3; k++) d[k] = q[3 + k] - q[k];
    for (long step = 0; step < steps; step++) {
        const double before[2] = {x[0], x[1]};
        v[2] -= h / 2 * 9.81;
        v[5] -= h / 2 * 9.81;
        for (int a = 0; a < 2; a++) x[a] += trend[a];
        push_links(v, q, d, x);
        find_links(q, d, h, v, x, q1, d1);
        for (int a = 0; a < 2; a++) trend[a] = step ? x[a] - before[a] : 0;
        v[2] -= h / 2 * 9.81;
        v[5] -= h / 2 * 9.81;
        const double dv[3] = {v[3] - v[0], v[4] - v[1], v[5] - v[2]};
        const double r[2] = {-dot3(q1, v), -dot3(d1, dv)};
        solve_links(q1, d1, q1, d1, r, z);
        push_links(v, q1, d1, z);
        for (int k = 0; k < 6; k++) q[k] = q1[k];
        for (int k = 0; k < 3; k++) d[k] = d1[k];
    }
}

/* Chaplygin's sleigh by its centre of mass, m = 1, J = a = 1/2: phi = y' c - x' s - a f'. The
 * multiplier at the start of a step is computed from the state. */
void hand_sleigh(double h, long steps, double *q, double *v) {
    const double J = 0.5, a = 0.5, K = 1 + a * a / J;
    double s = sin(q[2]), c = cos(q[2]);
    for (long step = 0; step < steps; step++) {
        const double half = h / 2 * v[2] * (v[1] * s + v[0] * c) / K;
        v[0] -= half * s;
        v[1] += half * c;
        v[2] -= half * a / J;
        for (int k = 0; k < 3; k++) q[k] += h * v[k];
        s = sin(q[2]);
        c = cos(q[2]);
        const double z = -(v[1] * c - v[0] * s - a * v[2]) / K;
        v[0] -= z * s;
        v[1] += z * c;
        v[2] -= z * a / J;
    }
}

/* A chain of n points in the plane, masses and links 1: psi y^T is tridiagonal. */
static void solve_chain(int n, const double *x0, const double *x1, double *r, double *work) {
    double *upper = work, last = 0;
    for (int i = 0; i < n; i++) { /* x0, x1: link vectors of the two configurations */
        const double *e = x1 + 2 * i;
        const double here = (i ? 2 : 1) * (e[0] * x0[2 * i] + e[1] * x0[2 * i + 1]);
        const double below = i ? -(e[0] * x0[2 * i - 2] + e[1] * x0[2 * i - 1]) : 0;
        const double above = i + 1 < n ? -(e[0] * x0[2 * i + 2] + e[1] * x0[2 * i + 3]) : 0;
        const double pivot = 1 / (here - below * last);
        r[i] = (r[i] - (i ? below * r[i - 1] : 0)) * pivot;
        upper[i] = last = above * pivot;
    }
    for (int i = n - 2; i >= 0; i--) r[i] -= upper[i] * r[i + 1];
}

static void push_chain(int n, double *v, const double *link, const double *x) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            v[2 * i + k] += link[2 * i + k] * x[i];
            if (i) v[2 * i - 2 + k] -= link[2 * i + k] * x[i];
        }
}

static void link_chain(int n, const double *q, double *link) {
    for (int i = 0; i < 2 * n; i++) link[i] = q[i] - (i < 2 ? 0 : q[i - 2]);
}

/* `work` has room for 10 n numbers. */
void hand_chain_links(int n, double h, long steps, double *q, double *v, double *work) {
    double *link = work, *link1 = work + 2 * n, *q1 = work + 4 * n, *x = work + 6 * n;
    double *r = work + 7 * n, *rest = work + 8 * n;
    link_chain(n, q, link);
    for (int i = 0; i < n; i++) x[i] = 0;
    for (long step = 0; step < steps; step++) {
        double last = HUGE_VAL;
        for (int i = 0; i < n; i++) v[2 * i + 1] -= h / 2;
        push_chain(n, v, link, x);
        for (int pass = 0; pass < ITERATIONS_MAX; pass++) {
            double size = 0;
            for (int i = 0; i < 2 * n; i++) q1[i] = q[i] + h * v[i];
            link_chain(n, q1, link1);
            for (int i = 0; i < n; i++)
                r[i] = -(link1[2 * i] * link1[2 * i] + link1[2 * i + 1] * link1[2 * i + 1] - 1) /
                       (2 * h);
            solve_chain(n, link, link1, r, rest);
            for (int i = 0; i < n; i++) size = fmax(size, fabs(r[i]));
            if (size > 0.25 * last && size < 1e-6) break;
            push_chain(n, v, link, r);
            for (int i = 0; i < n; i++) x[i] += r[i];
            last = size;
        }
        for (int i = 0; i < n; i++) v[2 * i + 1] -= h / 2;
        for (int i = 0; i < n; i++) {
            const double dx = v[2 * i] - (i ? v[2 * i - 2] : 0);
            const double dy = v[2 * i + 1] - (i ? v[2 * i - 1] : 0);
            r[i] = -(link1[2 * i] * dx + link1[2 * i + 1] * dy);
        }
        solve_chain(n, link1, link1, r, rest);
        push_chain(n, v, link1, r);
        for (int i = 0; i < 2 * n; i++) {
            q[i] = q1[i];
            link[i] = link1[i];
        }
    }
}
