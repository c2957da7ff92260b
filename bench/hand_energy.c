/* Energy-adaptive steps by hand: a pendulum in space and a double well. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "hand.h"
#include "hand_body.h"

static const double threshold = 0.3; /* fraction of the first curvature that fixes h */

/* The start of a step: a row of R, the momentum, the torque, the potential. */
struct body_step {
    double row[3], p[3], M[3], U;
    double f[3], g[3], E, slope; /* for a step size h: E and dE/dh */
};

/* f for the step size h, from the guess in f. */
static inline void body_root(struct body_step *s, double h) {
    for (int i = 0; i < 3; i++) s->g[i] = h * (s->p[i] + h / 2 * s->M[i]);
    for (int i = 0; i < ITERATIONS_MAX; i++)
        if (correct(s->g, s->f) < 1e-8) break;
}

/* The derivative of f in h: (S(g) + (g.f) + f g^T - 2J) f' = -(g' + g' x f + (g'.f) f). */
static inline void body_vary(const struct body_step *s, double h, double *df) {
    const double *f = s->f, *g = s->g, sum = dot(g, f);
    double dg[3], r[3], c[3], A[3][3], n0[3], n1[3], n2[3];
    for (int i = 0; i < 3; i++) dg[i] = s->p[i] + h * s->M[i];
    cross(dg, f, c);
    const double moved = dot(dg, f);
    for (int i = 0; i < 3; i++) {
        r[i] = -(dg[i] + c[i] + moved * f[i]);
        for (int j = 0; j < 3; j++) A[i][j] = f[i] * g[j];
        A[i][i] += sum - 2 * J[i];
    }
    A[0][1] -= g[2], A[0][2] += g[1], A[1][0] += g[2];
    A[1][2] -= g[0], A[2][0] -= g[1], A[2][1] += g[0];
    cross(A[1], A[2], n0);
    cross(A[2], A[0], n1);
    cross(A[0], A[1], n2);
    const double inverse = 1 / dot(A[0], n0);
    for (int i = 0; i < 3; i++) df[i] = inverse * (n0[i] * r[0] + n1[i] * r[1] + n2[i] * r[2]);
}

/* E(h) = 2 f.Jf/((1 + f.f) h^2) + (U + U1)/2, and its derivative; dU1 = -M1.x, x = 2 (f' - f x
 * f')/(1 + f.f). */
static inline void body_energy(struct body_step *s, double h) {
    const double *f = s->f, back[3] = {-f[0], -f[1], -f[2]}, over = 1 / (1 + dot(f, f));
    const double Jf[3] = {J[0] * f[0], J[1] * f[1], J[2] * f[2]},
                 T = 2 * dot(f, Jf) * over / (h * h);
    double df[3], row[3], c[3];
    body_vary(s, h, df);
    rotate(back, s->row, row);
    cross(f, df, c);
    const double turned = -gravity * row[1] * (df[0] - c[0]) + gravity * row[0] * (df[1] - c[1]);
    s->E = T + (s->U - gravity * row[2]) / 2;
    s->slope =
        4 * over / (h * h) * dot(Jf, df) - 2 * T * over * dot(f, df) - 2 * T / h - over * turned;
}

/* Newton's method for E(h) = E, from a guess; false if the curvature is too small. */
static inline int body_length(struct body_step *s, double E, double H, double first, double *h) {
    for (int i = 0; i < ITERATIONS_MAX; i++) {
        body_root(s, *h);
        body_energy(s, *h);
        if (i == 0 && !((H - s->E) / (*h * *h * first) >= threshold)) return 0;
        if (fabs(s->E - E) <= 4e-15 * fabs(E)) return 1;
        *h -= (s->E - E) / s->slope;
    }
    return 0;
}

static void body_lgvi_energy(const struct problem *problem, struct run *run) {
    const double h0 = run->step;
    double R[9], h = h0, last[2] = {h0, h0}, before[2][3], E = 0, first = 0;
    struct body_step s;
    for (int i = 0; i < 9; i++) R[i] = problem->q[i];
    for (int i = 0; i < 3; i++) {
        s.p[i] = J[i] * problem->v[i];
        s.f[i] = before[0][i] = before[1][i] = h0 / 2 * problem->v[i];
    }
    for (long k = 0; k < run->steps; k++) {
        double H = -gravity * R[8], guess = 3 * h - 3 * last[0] + last[1];
        torque(R, s.M);
        for (int i = 0; i < 3; i++) {
            s.row[i] = R[6 + i];
            H += s.p[i] * s.p[i] / (2 * J[i]);
        }
        s.U = -gravity * R[8];
        last[1] = last[0], last[0] = h;
        extrapolate(s.f, before);
        if (k == 0) {
            body_root(&s, h);
            body_energy(&s, h);
            E = s.E;
            first = (H - E) / (h * h);
        } else if (body_length(&s, E, H, first, &guess)) {
            h = guess;
        } else {
            h = last[0] = last[1] = h0;
            body_root(&s, h);
        }
        const double back[3] = {-s.f[0], -s.f[1], -s.f[2]};
        for (int i = 0; i < 3; i++) s.p[i] += h / 2 * s.M[i];
        rotate(back, s.p, s.p);
        turn_rows(R, s.f);
        torque(R, s.M);
        for (int i = 0; i < 3; i++) s.p[i] += h / 2 * s.M[i];
    }
    for (int i = 0; i < 3; i++) {
        run->q[i] = R[i];
        run->v[i] = s.p[i] / J[i];
    }
    run->evaluations = run->steps;
}

/* p = v + (h/2) V'(x), x = q + hv/2. */
static void well_midpoint(const struct problem *problem, struct run *run) {
    const double h = run->step;
    double q = problem->q[0], p = problem->v[0], v = p, last[2] = {v, v};
    for (long k = 0; k < run->steps; k++) {
        const double guess = 3 * v - 3 * last[0] + last[1];
        double slope = 0;
        last[1] = last[0], last[0] = v, v = guess;
        for (int i = 0; i < ITERATIONS_MAX; i++) {
            const double x = q + h / 2 * v, square = x * x;
            slope = (2 * square - 1) * x;
            const double d = (v + h / 2 * slope - p) / (1 + h * h / 4 * (6 * square - 1));
            v -= d;
            slope -= (6 * square - 1) * h / 2 * d;
            if (fabs(d) <= 1e-9 * (fabs(v) + 1e-3)) break;
        }
        q += h * v;
        p -= h * slope;
    }
    run->q[0] = q, run->v[0] = p;
    run->evaluations = run->steps;
}

/* Newton's method for v and log h from p and the defect e = (h^2/8) (2 v^2 W + V'(x)^2).
 * W = int_0^1 (1-s) V''(x - s hv/2) ds; V'' is a parabola, so W = V''(x)/2 - 2x a + a^2/2, a =
 * hv/2. */
static void well_energy(const struct problem *problem, struct run *run) {
    double h = run->step, q = problem->q[0], p = problem->v[0], v = p, e = 0;
    double last_v[2] = {v, v}, last_h[2] = {h, h};
    for (long k = 0; k < run->steps; k++) {
        const double guess_v = 3 * v - 3 * last_v[0] + last_v[1];
        const double guess_h = 3 * h - 3 * last_h[0] + last_h[1];
        double a = 0, x = 0, slope = 0, bend = 0;
        last_v[1] = last_v[0], last_v[0] = v, v = guess_v;
        last_h[1] = last_h[0], last_h[0] = h, h = guess_h;
        for (int i = 0; i < ITERATIONS_MAX; i++) {
            a = h / 2 * v, x = q + a;
            slope = (2 * x * x - 1) * x, bend = 6 * x * x - 1;
            const double W = bend / 2 - 2 * x * a + a * a / 2;
            const double F = v + h / 2 * slope - p, Fv = 1 + h * h / 4 * bend;
            const double Fh = slope / 2 + h * v / 4 * bend;
            const double G = h * h / 8 * (2 * v * v * W + slope * slope) - e;
            const double Gv = bend * h * h / 4 * p,
                         Gh = h / 4 * (v * v * bend + slope * slope) + h * h / 8 * v * slope * bend;
            const double area = k ? Fv * Gh - Fh * Gv : 1;
            const double dv = k ? (F * Gh - Fh * G) / area : F / Fv;
            const double dh = k ? (Fv * G - Gv * F) / area : 0;
            v -= dv, h -= dh;
            if (fabs(dh) <= 1e-8 * h && fabs(dv) <= 1e-9 * (fabs(v) + 1e-3)) break;
        }
        a = h / 2 * v, x = q + a, slope = (2 * x * x - 1) * x, bend = 6 * x * x - 1;
        e = h * h / 8 * (2 * v * v * (bend / 2 + 2 * x * a + a * a / 2) + slope * slope);
        q += h * v;
        p -= h * slope;
    }
    run->q[0] = q, run->v[0] = p;
    run->evaluations = run->steps;
}

#define SOLVER(name, title) const struct solver hand_##name = {"by hand", title, .loop = name}
SOLVER(body_lgvi_energy, "lgvi-energy");
SOLVER(well_midpoint, "midpoint");
SOLVER(well_energy, "energy-midpoint");
