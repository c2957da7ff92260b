/* A Lie group of one's own: the Heisenberg group, and a charged particle as its free motion.
 *
 * A point is the matrix (1 x z; 0 1 y; 0 0 1), a tangent (a, b, c) the matrix (0 a c; 0 0 b; 0 0
 * 0). [v, v'] = (0, 0, a b' - b a'), and longer brackets vanish: the exponential and the Cayley map
 * are the same, and each function below is a line. For L = (a^2 + b^2 + m c^2)/2 the momentum B = m
 * c is kept, and (a, b) turns at the rate B as the velocity of a charge in a magnetic field does.
 *
 * A space of one's own needs no registration: a system points to it. It runs on the general path;
 * compiled steppers are for models of text files. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <noether.h>
#include <stdio.h>
#include <string.h>

enum { X = 1, Z = 2, Y = 5 }; /* in a point */

static void identity(int size, double *g) {
    (void)size;
    for (int i = 0; i < 9; i++) g[i] = i % 4 == 0;
}

/* (dx, dy, dz) of g exp(v). */
static void change(const double *g, const double *v, double *d) {
    d[0] = v[0];
    d[1] = v[1];
    d[2] = v[2] + (g[X] + v[0] / 2) * v[1];
}

static void advance(int size, int tau, double *g1, double *carry1, const double *g0,
                    const double *carry0, const double *v) {
    static const int at[3] = {X, Y, Z};
    double d[3], next[9];
    (void)size, (void)tau;
    change(g0, v, d);
    memcpy(next, g0, sizeof next);
    for (int i = 0; i < 3; i++) {
        d[i] += carry0[i];
        next[at[i]] = g0[at[i]] + d[i];
        carry1[i] = d[i] - (next[at[i]] - g0[at[i]]);
    }
    memcpy(g1, next, sizeof next);
}

static void retract(int size, int tau, double *g1, const double *g0, const double *v) {
    const double none[3] = {0};
    double carry[3];
    advance(size, tau, g1, carry, g0, none, v);
}

static void difference(int size, int tau, double *v, const double *g0, const double *g1) {
    (void)size, (void)tau;
    v[0] = g1[X] - g0[X];
    v[1] = g1[Y] - g0[Y];
    v[2] = g1[Z] - g0[Z] - (g0[X] + v[0] / 2) * v[1];
}

/* The unit matrix with two more numbers in its last row. */
static void lower(double *M, double first, double second) {
    identity(1, M);
    M[6] = first;
    M[7] = second;
}

/* T(x) y = y - [x, y]/2. */
static void dtau(int tau, double *T, const double *x) {
    (void)tau;
    lower(T, x[1] / 2, -x[0] / 2);
}

static void dtau_inverse(int tau, double *T, const double *x) {
    (void)tau;
    lower(T, -x[1] / 2, x[0] / 2);
}

static void derivative(double sign, double *slope, const double *y) {
    memset(slope, 0, 9 * sizeof *slope);
    slope[6] = -sign * y[1] / 2;
    slope[7] = sign * y[0] / 2;
}

static void dual_derivative(double sign, double *slope, const double *m) {
    memset(slope, 0, 9 * sizeof *slope);
    slope[1] = sign * m[2] / 2;
    slope[3] = -sign * m[2] / 2;
}

static void dtau_derivative(int tau, double *slope, const double *x, const double *y) {
    (void)tau, (void)x;
    derivative(1, slope, y);
}

static void dtau_dual_derivative(int tau, double *slope, const double *x, const double *m) {
    (void)tau, (void)x;
    dual_derivative(1, slope, m);
}

static void dtau_inverse_derivative(int tau, double *slope, const double *x, const double *y) {
    (void)tau, (void)x;
    derivative(-1, slope, y);
}

static void dtau_inverse_dual_derivative(int tau, double *slope, const double *x, const double *m) {
    (void)tau, (void)x;
    dual_derivative(-1, slope, m);
}

static void dtau_hessian(int tau, double *hessian, const double *x, const double *y,
                         const double *m) {
    (void)tau, (void)x, (void)y, (void)m;
    memset(hessian, 0, 9 * sizeof *hessian);
}

/* Ad_exp(x) y = y + [x, y]. */
static void adjoint(int tau, double *Ad, const double *x) {
    (void)tau;
    lower(Ad, -x[1], x[0]);
}

static void coadjoint_change(int tau, double *dm, const double *x, const double *m) {
    const double B = m[2];
    (void)tau;
    dm[0] = -x[1] * B;
    dm[1] = x[0] * B;
    dm[2] = 0;
}

static void poisson(double *B, const double *m) {
    memset(B, 0, 9 * sizeof *B);
    B[1] = -m[2];
    B[3] = m[2];
}

static double retraction_load(int tau, const double *x) {
    (void)tau, (void)x;
    return 0; /* every increment is allowed */
}

static double defect(const double *g) {
    return fabs(g[0] - 1) + fabs(g[4] - 1) + fabs(g[8] - 1) + fabs(g[3]) + fabs(g[6]) + fabs(g[7]);
}

static void project(double *g) {
    const double x = g[X], y = g[Y], z = g[Z];
    identity(1, g);
    g[X] = x;
    g[Y] = y;
    g[Z] = z;
}

/* x' = a, y' = b, z' = c + x b. */
static const struct noe_frame frame[] = {
    {X, 0, 0, 1},
    {Y, 1, 4, 1},
    {Z, 2, 0, 1},
    {Z, 1, X, 1},
};

static const struct noe_space heisenberg = {
    .name = "heisenberg",
    .summary = "upper triangular matrices with ones on the diagonal",
    .plural = "points of the Heisenberg group",
    .retractions = NOE_HAS_CAY | NOE_HAS_EXP,
    .point = 9,
    .tangent = 3,
    .nframe = 4,
    .frame = frame,
    .identity = identity,
    .retract = retract,
    .advance = advance,
    .difference = difference,
    .maps.dtau = dtau,
    .maps.dtau_inverse = dtau_inverse,
    .maps.dtau_derivative = dtau_derivative,
    .maps.dtau_dual_derivative = dtau_dual_derivative,
    .maps.dtau_inverse_derivative = dtau_inverse_derivative,
    .maps.dtau_inverse_dual_derivative = dtau_inverse_dual_derivative,
    .maps.dtau_hessian = dtau_hessian,
    .maps.adjoint = adjoint,
    .maps.coadjoint_change = coadjoint_change,
    .maps.poisson = poisson,
    .maps.retraction_load = retraction_load,
    .maps.defect = defect,
    .maps.project = project,
};

/* --- L = (a^2 + b^2 + m c^2)/2. */

static const double mass[3] = {1, 1, 2};

static double lagrangian(const struct noe_system *s, double t, const double *q, const double *v) {
    double sum = 0;
    (void)s, (void)t, (void)q;
    for (int i = 0; i < 3; i++) sum += mass[i] * v[i] * v[i] / 2;
    return sum;
}

static void first(const struct noe_system *s, double t, const double *q, const double *v, double *p,
                  double *w) {
    (void)s, (void)t, (void)q;
    for (int i = 0; i < 3; i++) {
        p[i] = mass[i] * v[i];
        w[i] = 0;
    }
}

static void second(const struct noe_system *s, double t, const double *q, const double *v,
                   double *p, double *w, double *d) {
    first(s, t, q, v, p, w);
    for (int i = 0; i < 3; i++) d[4 * i] = mass[i];
}

static const struct noe_factor factor = {&heisenberg, 1};
static const struct noe_system charge = {
    .name = "a charge in a magnetic field",
    .n = 3,
    .nfactors = 1,
    .factors = &factor,
    .nz = 9,
    .traits = NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE | NOE_AUTONOMOUS | NOE_UNFORCED |
              NOE_LEFT_INVARIANT,
    .lagrangian = lagrangian,
    .first = first,
    .second = second,
};

/* The point after time t from rest at the identity with a = 1, b = 0: B = m c. */
static void exact(double t, double B, double *g) {
    identity(1, g);
    g[X] = sin(B * t) / B;
    g[Y] = (1 - cos(B * t)) / B;
    g[Z] = B / mass[2] * t + t / (2 * B) - sin(2 * B * t) / (4 * B * B);
}

/* The error of the point at time 1 after so many steps; NaN after a message. */
static double run(const char *method, int steps) {
    const double B = 1.5, start[3] = {1, 0, B / mass[2]};
    struct noe_problem problem;
    struct noe_work *work = NULL;
    struct noe_error error;
    double g[9], error_max = 0;
    enum noe_status status = noe_problem_init(&problem, &charge, method, 1.0 / steps, &error);
    if (status == NOE_OK) {
        identity(1, g);
        status = noe_work_create(&work, &problem, &error);
        if (status == NOE_OK) status = noe_work_start(work, 0, g, start, &error);
        for (int k = 0; k < steps && status == NOE_OK; k++) status = noe_work_step(work, &error);
    }
    exact(1, B, g);
    for (int i = 0; i < 9 && status == NOE_OK; i++)
        error_max = fmax(error_max, fabs(noe_work_state(work)->q[i] - g[i]));
    if (status != NOE_OK) fprintf(stderr, "%s: %s\n", method, error.text);
    noe_work_free(work);
    noe_problem_clear(&problem);
    return status == NOE_OK ? error_max : NAN;
}

int main(void) {
    static const struct {
        const char *method;
        int order;
    } rows[] = {{"midpoint", 2},
                {"verlet", 2},
                {"gauss stages=2", 4},
                {"lobatto stages=3", 4},
                {"rkmk", 4},
                {"rk4", 4},
                {"generalized-alpha", 2},
                {"mln", 2},
                {"tln", 2},
                {"lv", 2},
                {"flv", 2},
                {"sw", 2}};
    int failures = 0;
    puts("method                 error    order");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double coarse = run(rows[i].method, 40), fine = run(rows[i].method, 80);
        const double order = log2(coarse / fine);
        const int is_good = fine < 1e-13 || order > rows[i].order - 0.25;
        printf("%-20s %.2e    %.2f%s\n", rows[i].method, fine, order, is_good ? "" : "  too low");
        failures += !is_good;
    }
    return failures != 0;
}
