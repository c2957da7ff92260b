/* Identities of every space and retraction, for the tests in every precision. */
/* SPDX-License-Identifier: MIT */
#include "spaces.h"

#include <stdio.h>
#include <string.h>

#include "base/registry.h"

#ifdef NOE_QUAD
static const real difference_step = 8e-6Q, difference_error = 1e-26Q;
#else
static const real difference_step = 2e-3, difference_error = 3e-12;
#endif
static const real round_off = 50 * NOE_EPSILON;

/* Numbers in [-1, 1), the same on every machine. */
static real random_number(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (real)(double)(*seed >> 11) / 4503599627370496.0 - 1;
}

/* The largest angle in the domain of a retraction; 4 if there is no limit. */
static real range(const struct retraction *r) {
    real unit[SPACE_TANGENT_MAX] = {1};
    const real retraction_load = r->space->maps.retraction_load(r->tau, unit);
    return retraction_load > 0 ? 1 / retraction_load : 4;
}

static void make_sample(const struct retraction *r, real angle, uint64_t seed, struct sample *s) {
    const int n = r->space->tangent;
    real norm = 0;
    for (int i = 0; i < n; i++) {
        s->x[i] = random_number(&seed);
        s->y[i] = random_number(&seed);
        s->z[i] = random_number(&seed);
        s->m[i] = random_number(&seed);
    }
    for (int i = 0; i < 3 && i < n; i++) norm += s->x[i] * s->x[i];
    norm = noe_sqrt(norm);
    for (int i = 0; i < 3 && i < n; i++) s->x[i] *= angle / norm;
    s->angle = angle;
}

void for_each_retraction(void (*visit)(const struct retraction *, const struct sample *)) {
    static const double parts[] = {0, 1e-20, 1e-9, 1e-4, 0.01, 0.1, 0.2, 0.35, 0.48, 0.7, 0.8};
    int visited = 0;
    for (int i = 0; registry_spaces[i]; i++) {
        struct retraction r = {.space = registry_spaces[i]};
        const char *names = NOE_RETRACTIONS;
        for (; r.space->retractions >> r.tau; r.tau++) {
            const size_t length = strcspn(names, " ");
            snprintf(r.name, sizeof r.name, "%s %.*s", r.space->name, (int)length, names);
            names += length + 1;
            for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
                struct sample s;
                make_sample(&r, parts[k] * range(&r), 17 * k + (size_t)r.tau, &s);
                visit(&r, &s);
                visited++;
            }
        }
    }
    assert_true(visited >= 14 * 11); /* so3, se3 and se2 have four, s3 two */
}

void check_close(const struct retraction *r, const struct sample *s, const char *what, int n,
                 const real *x, const real *y, real tolerance) {
    real error = 0, scale = 1, poison = 0;
    for (int i = 0; i < n; i++) {
        error = real_max(noe_abs(x[i] - y[i]), error);
        scale = real_max(noe_abs(x[i]), scale);
        scale = real_max(noe_abs(y[i]), scale);
        poison += 0 * x[i] + 0 * y[i];
    }
    if (!(error + poison <= tolerance * scale))
        fail_msg("%s, angle %.3g: %s is off by %.3g of %.3g", r->name, (double)s->angle, what,
                 (double)(error + poison), (double)scale);
}

void difference_along(const struct retraction *r, const struct sample *s, sample_function *f,
                      const real *y, int n, real *d) {
    static const int weights[] = {45, -9, 1};
    real plus[SPACE_MATRIX_MAX], minus[SPACE_MATRIX_MAX];
    for (int i = 0; i < n; i++) d[i] = 0;
    for (int k = 1; k <= 3; k++) {
        struct sample right = *s, left = *s;
        for (int i = 0; i < r->space->tangent; i++) {
            right.x[i] += (real)k * difference_step * y[i];
            left.x[i] -= (real)k * difference_step * y[i];
        }
        f(r, &right, plus);
        f(r, &left, minus);
        for (int i = 0; i < n; i++) d[i] += (real)weights[k - 1] * (plus[i] - minus[i]);
    }
    for (int i = 0; i < n; i++) d[i] /= 60 * difference_step;
}

void matrix_apply(int n, real *y, const real *A, const real *x) {
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++) y[i] += A[i * n + j] * x[j];
    }
}

void matrix_apply_transposed(int n, real *y, const real *A, const real *x) {
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++) y[i] += A[j * n + i] * x[j];
    }
}

/* m.[x, y] = (ad_x^T m).y = (B(m) x).y, component by component. */
void bracket(const struct noe_space *space, real *z, const real *x, const real *y) {
    const int n = space->tangent;
    for (int i = 0; i < n; i++) {
        real m[SPACE_TANGENT_MAX] = {0}, B[SPACE_MATRIX_MAX], row[SPACE_TANGENT_MAX];
        m[i] = 1;
        space->maps.poisson(B, m);
        matrix_apply(n, row, B, x);
        z[i] = 0;
        for (int j = 0; j < n; j++) z[i] += row[j] * y[j];
    }
}

/* Functions of x whose derivatives are known. */
static void point_of(const struct retraction *r, const struct sample *s, real *g) {
    real one[SPACE_POINT_MAX];
    r->space->identity(1, one);
    r->space->retract(1, r->tau, g, one, s->x);
}

static void tangent_of(const struct retraction *r, const struct sample *s, real *w) {
    real T[SPACE_MATRIX_MAX];
    r->space->maps.dtau(r->tau, T, s->x);
    matrix_apply(r->space->tangent, w, T, s->y);
}

static void dual_of(const struct retraction *r, const struct sample *s, real *w) {
    real T[SPACE_MATRIX_MAX];
    r->space->maps.dtau(r->tau, T, s->x);
    matrix_apply_transposed(r->space->tangent, w, T, s->m);
}

static void inverse_of(const struct retraction *r, const struct sample *s, real *w) {
    real T[SPACE_MATRIX_MAX];
    r->space->maps.dtau_inverse(r->tau, T, s->x);
    matrix_apply(r->space->tangent, w, T, s->y);
}

static void inverse_dual_of(const struct retraction *r, const struct sample *s, real *w) {
    real T[SPACE_MATRIX_MAX];
    r->space->maps.dtau_inverse(r->tau, T, s->x);
    matrix_apply_transposed(r->space->tangent, w, T, s->m);
}

static void gradient_of(const struct retraction *r, const struct sample *s, real *w) {
    real E[SPACE_MATRIX_MAX];
    r->space->maps.dtau_derivative(r->tau, E, s->x, s->y);
    matrix_apply_transposed(r->space->tangent, w, E, s->m);
}

/* D tau(x).y, by finite differences, is the frame at tau(x) applied to T y. */
void check_tangent(const struct retraction *r, const struct sample *s) {
    const struct noe_space *space = r->space;
    real d[SPACE_POINT_MAX], g[SPACE_POINT_MAX], rate[SPACE_POINT_MAX] = {0};
    real w[SPACE_TANGENT_MAX];
    difference_along(r, s, point_of, s->y, space->point, d);
    point_of(r, s, g);
    tangent_of(r, s, w);
    for (int i = 0; i < space->nframe; i++) {
        const struct noe_frame *f = &space->frame[i];
        rate[f->point] += f->factor * g[f->from] * w[f->tangent];
    }
    check_close(r, s, "the tangent", space->point, rate, d, difference_error);
}

void check_inverse(const struct retraction *r, const struct sample *s) {
    const int n = r->space->tangent;
    real T[SPACE_MATRIX_MAX], w[SPACE_TANGENT_MAX], back[SPACE_TANGENT_MAX];
    tangent_of(r, s, w);
    r->space->maps.dtau_inverse(r->tau, T, s->x);
    matrix_apply(n, back, T, w);
    check_close(r, s, "inverse of the tangent", n, back, s->y, round_off);
}

static void check_slope(const struct retraction *r, const struct sample *s, const char *what,
                        sample_function *f, const real *slope) {
    const int n = r->space->tangent;
    real d[SPACE_TANGENT_MAX], along[SPACE_TANGENT_MAX];
    difference_along(r, s, f, s->z, n, d);
    matrix_apply(n, along, slope, s->z);
    check_close(r, s, what, n, along, d, difference_error);
}

void check_slopes(const struct retraction *r, const struct sample *s) {
    const struct noe_space *space = r->space;
    real slope[SPACE_MATRIX_MAX];
    space->maps.dtau_derivative(r->tau, slope, s->x, s->y);
    check_slope(r, s, "derivative of T y", tangent_of, slope);
    space->maps.dtau_dual_derivative(r->tau, slope, s->x, s->m);
    check_slope(r, s, "derivative of T^T m", dual_of, slope);
    space->maps.dtau_inverse_derivative(r->tau, slope, s->x, s->y);
    check_slope(r, s, "derivative of T^-1 y", inverse_of, slope);
    space->maps.dtau_inverse_dual_derivative(r->tau, slope, s->x, s->m);
    check_slope(r, s, "derivative of T^-T m", inverse_dual_of, slope);
}

void check_hessian(const struct retraction *r, const struct sample *s) {
    real hessian[SPACE_MATRIX_MAX];
    r->space->maps.dtau_hessian(r->tau, hessian, s->x, s->y, s->m);
    check_slope(r, s, "second derivative of m.T y", gradient_of, hessian);
}

/* tau(-x) = tau(x)^-1; x from two points; the points lie on the space. */
void check_group(const struct retraction *r, const struct sample *s) {
    const struct noe_space *space = r->space;
    const int n = space->tangent;
    real g0[SPACE_POINT_MAX], g1[SPACE_POINT_MAX], back[SPACE_POINT_MAX];
    real minus[SPACE_TANGENT_MAX], x[SPACE_TANGENT_MAX];
    real some[SPACE_TANGENT_MAX];
    for (int i = 0; i < n; i++) {
        minus[i] = -s->x[i];
        some[i] = s->z[i] / 4;
    }
    space->identity(1, g0);
    space->retract(1, 0, g0, g0, some);
    space->retract(1, r->tau, g1, g0, s->x);
    space->retract(1, r->tau, back, g1, minus);
    check_close(r, s, "tau(-x) tau(x)", space->point, back, g0, round_off);
    if (!(space->maps.defect(g1) <= round_off))
        fail_msg("%s, angle %.3g: the point is off the space by %.3g", r->name, (double)s->angle,
                 (double)space->maps.defect(g1));
    if (r->tau == 1 && s->angle > 3 && space->point != 4) return; /* the shorter rotation */
    space->difference(1, r->tau, x, g0, g1);
    check_close(r, s, "x from two points", n, x, s->x, round_off);
}

/* Ad_tau(x) T(x) = T(-x); Ad^T m - m; D (Ad_tau(x) z).y = Ad [T y, z]. */
void check_adjoint(const struct retraction *r, const struct sample *s) {
    const struct noe_space *space = r->space;
    const int n = space->tangent;
    struct sample opposite = *s;
    real Ad[SPACE_MATRIX_MAX], w[SPACE_TANGENT_MAX], left[SPACE_TANGENT_MAX] = {0},
                                                     right[SPACE_TANGENT_MAX];
    for (int i = 0; i < n; i++) opposite.x[i] = -s->x[i];
    space->maps.adjoint(r->tau, Ad, s->x);
    tangent_of(r, s, w);
    matrix_apply(n, left, Ad, w);
    tangent_of(r, &opposite, right);
    check_close(r, s, "Ad T(x) = T(-x)", n, left, right, round_off);
    matrix_apply_transposed(n, left, Ad, s->m);
    space->maps.coadjoint_change(r->tau, right, s->x, s->m);
    for (int i = 0; i < n; i++) right[i] += s->m[i];
    check_close(r, s, "Ad^T m", n, left, right, round_off);
}

static void adjoint_of(const struct retraction *r, const struct sample *s, real *w) {
    real Ad[SPACE_MATRIX_MAX];
    r->space->maps.adjoint(r->tau, Ad, s->x);
    matrix_apply(r->space->tangent, w, Ad, s->m);
}

/* (T y)' z - (T z)' y = [T y, T z], and (Ad m)' y = Ad [T y, m]. */
void check_maurer_cartan(const struct retraction *r, const struct sample *s) {
    const struct noe_space *space = r->space;
    const int n = space->tangent;
    struct sample swapped = *s;
    real E[SPACE_MATRIX_MAX], Ty[SPACE_TANGENT_MAX], Tz[SPACE_TANGENT_MAX],
        left[SPACE_TANGENT_MAX] = {0}, right[SPACE_TANGENT_MAX], both[SPACE_TANGENT_MAX];
    memcpy(swapped.y, s->z, sizeof s->z);
    tangent_of(r, s, Ty);
    tangent_of(r, &swapped, Tz);
    bracket(space, both, Ty, Tz);
    space->maps.dtau_derivative(r->tau, E, s->x, s->y);
    matrix_apply(n, left, E, s->z);
    space->maps.dtau_derivative(r->tau, E, s->x, s->z);
    matrix_apply(n, right, E, s->y);
    for (int i = 0; i < n; i++) left[i] -= right[i];
    check_close(r, s, "Maurer-Cartan", n, left, both, round_off);
    bracket(space, both, Ty, s->m);
    space->maps.adjoint(r->tau, E, s->x);
    matrix_apply(n, left, E, both);
    difference_along(r, s, adjoint_of, s->y, n, right);
    check_close(r, s, "derivative of Ad", n, left, right, difference_error);
}
