/* The chain of pendulums by hand: Verlet, and the midpoint rule with a tridiagonal Newton. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "forces.h"
#include "hand.h"

static double *copy(int n, const double *from, int room) {
    double *to = malloc((size_t)room * (size_t)n * sizeof *to);
    if (!to) abort();
    memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

static void finish(struct run *run, int n, double *q, double *v, long evaluations) {
    memcpy(run->q, q, (size_t)n * sizeof *q);
    memcpy(run->v, v, (size_t)n * sizeof *v);
    run->evaluations = evaluations;
    free(q);
    free(v);
}

static void chain_verlet(const struct problem *problem, struct run *run) {
    const int n = problem->n;
    const double h = run->step;
    double *restrict q = copy(n, problem->q, 2), *restrict v = copy(n, problem->v, 1), *a = q + n;
    forces_chain(n, q, a);
    for (long k = 0; k < run->steps; k++) {
        for (int i = 0; i < n; i++) {
            v[i] += h / 2 * a[i];
            q[i] += h * v[i];
        }
        forces_chain(n, q, a);
        for (int i = 0; i < n; i++) v[i] += h / 2 * a[i];
    }
    finish(run, n, q, v, run->steps);
}

/* --- Midpoint: r(V) = V - v - h/2 a(Q) = 0 with Q = q + h/2 V; J = 1 - h^2/4 a_q. */

struct arrays {
    double *V, *last, *before, *r,
        *upper; /* upper: upper diagonal of the factored tridiagonal matrix */
};

/* One Newton correction: the residual and Thomas' elimination in one sweep downwards, substitution
 * in one sweep upwards. Returns the largest correction. */
static double correct(int n, double h, const double *q, const double *v, const struct arrays *at) {
    const double k = CHAIN_SPRING, g = CHAIN_GRAVITY, off = -h * h / 4 * k;
    double *restrict V = at->V, *restrict r = at->r, *restrict upper = at->upper;
    double left = 0, before = 0, above = 0, change = 0, Q = q[0] + h / 2 * V[0];
    for (int i = 0; i < n; i++) {
        const bool is_last = i + 1 == n;
        const double next = is_last ? Q : q[i + 1] + h / 2 * V[i + 1], right = k * (next - Q);
        const double springs = (i > 0) + !is_last;
        const double residual = V[i] - v[i] - h / 2 * (right - left - g * sin(Q));
        const double diagonal = 1 + h * h / 4 * (springs * k + g * cos(Q));
        const double lower = i > 0 ? off : 0;
        const double inverse = 1 / (diagonal - lower * above);
        before = r[i] = (residual - lower * before) * inverse;
        above = upper[i] = off * inverse;
        left = right;
        Q = next;
    }
    double d = 0;
    for (int i = n - 1; i >= 0; i--) {
        d = i + 1 < n ? r[i] - upper[i] * d : r[i];
        V[i] -= d;
        change = hand_larger(change, fabs(d));
    }
    return change;
}

/* Newton from a quadratic extrapolation until the correction is below 1e-8, which quadratic
 * convergence squares; then v1 = v + h a(Q) = 2 V - v by the residual. */
static void chain_midpoint(const struct problem *problem, struct run *run) {
    const int n = problem->n;
    const double h = run->step;
    double *q = copy(n, problem->q, 1), *v = copy(n, problem->v, 6);
    const struct arrays at = {v + n, v + 2 * n, v + 3 * n, v + 4 * n, v + 5 * n};
    long evaluations = 0;
    for (int i = 0; i < n; i++) at.V[i] = at.last[i] = at.before[i] = v[i];
    for (long k = 0; k < run->steps; k++) {
        for (int i = 0; i < n; i++) {
            const double old = at.V[i];
            at.V[i] = 3 * old - 3 * at.last[i] + at.before[i];
            at.before[i] = at.last[i];
            at.last[i] = old;
        }
        double change = 1;
        for (int i = 0; i < 20 && change > 1e-8; i++, evaluations++)
            change = correct(n, h, q, v, &at);
        for (int i = 0; i < n; i++) {
            v[i] = 2 * at.V[i] - v[i];
            q[i] += h * at.V[i];
        }
    }
    finish(run, n, q, v, evaluations);
}

#define SOLVER(name, title) const struct solver hand_##name = {"by hand", title, .loop = name}
SOLVER(chain_verlet, "verlet");
SOLVER(chain_midpoint, "midpoint");
