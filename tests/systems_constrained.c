/* Systems with constraints, written by hand with their exact derivatives. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "spaces/vec3.h"
#include "systems.h"

#define ARGUMENTS const struct noe_system *s, real t, const real *q, const real *v
#define UNUSED    (void)s, (void)t, (void)q, (void)v

extern const struct noe_space noe_space_so3, noe_space_vector;

static const unsigned mechanical =
    NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE | NOE_AUTONOMOUS | NOE_UNFORCED;

/* --- A point of mass 1 on the unit sphere: g = (|q|^2 - 1)/2, w = -9.81 e3 - q lambda. */
static real sphere_lagrangian(ARGUMENTS) {
    (void)s, (void)t;
    return vec3_dot(v, v) / 2 - (real)9.81 * q[2];
}

static void sphere_first(ARGUMENTS, real *p, real *w) {
    UNUSED;
    for (int i = 0; i < 3; i++) {
        p[i] = v[i];
        w[i] = -q[i] * v[3];
    }
    w[2] -= (real)9.81;
}

static void sphere_second(ARGUMENTS, real *p, real *w, real *d) {
    sphere_first(s, t, q, v, p, w);
    memset(d, 0, 36 * sizeof *d);
    for (int i = 0; i < 3; i++) {
        d[4 * i] = 1;
        d[27 + 4 * i] = -v[3];
    }
}

static void sphere_constraints(ARGUMENTS, real *c) {
    UNUSED;
    c[0] = (vec3_dot(q, q) - 1) / 2;
    c[1] = vec3_dot(q, v);
}

static void sphere_constraints_second(ARGUMENTS, real *c, real *d) {
    sphere_constraints(s, t, q, v, c);
    c[2] = 0;
    memcpy(d, q, 3 * sizeof *d);
    memcpy(d + 3, v, 3 * sizeof *d);
}

const struct noe_system spherical_pendulum = {
    .name = "spherical pendulum",
    .n = 3,
    .nz = 9,
    .traits = mechanical,
    .nholonomic = 1,
    .nzc = 3,
    .lagrangian = sphere_lagrangian,
    .first = sphere_first,
    .second = sphere_second,
    .constraints = sphere_constraints,
    .constraints_second = sphere_constraints_second,
};

/* --- Nonholonomic particle: L = |v|^2/2 - (x^2 + y^2), z' = y x'. */
static real particle_lagrangian(ARGUMENTS) {
    (void)s, (void)t;
    return vec3_dot(v, v) / 2 - q[0] * q[0] - q[1] * q[1];
}

static void particle_first(ARGUMENTS, real *p, real *w) {
    UNUSED;
    memcpy(p, v, 3 * sizeof *p);
    w[0] = -2 * q[0] - q[1] * v[3];
    w[1] = -2 * q[1];
    w[2] = v[3];
}

static void particle_second(ARGUMENTS, real *p, real *w, real *d) {
    particle_first(s, t, q, v, p, w);
    memset(d, 0, 36 * sizeof *d);
    d[0] = d[4] = d[8] = 1;
    d[27] = d[27 + 4] = -2;
    d[27 + 1] = -v[3];
}

static void particle_constraints(ARGUMENTS, real *c) {
    UNUSED;
    c[0] = v[2] - q[1] * v[0];
}

static void particle_constraints_second(ARGUMENTS, real *c, real *d) {
    particle_constraints(s, t, q, v, c);
    c[1] = 0;
    memset(d, 0, 6 * sizeof *d);
    d[0] = -q[1];
    d[2] = 1;
    d[4] = -v[0];
}

const struct noe_system nonholonomic_particle = {
    .name = "nonholonomic particle",
    .n = 3,
    .nz = 9,
    .traits = mechanical,
    .nnonholonomic = 1,
    .nzc = 3,
    .lagrangian = particle_lagrangian,
    .first = particle_first,
    .second = particle_second,
    .constraints = particle_constraints,
    .constraints_second = particle_constraints_second,
};

/* --- Chaplygin's sleigh by the position (x, y) of its blade and its heading f. The centre of mass
 * lies a ahead of the blade:
 * L = |v|^2/2 + a f' (y' cos f - x' sin f) + (I + a^2) f'^2/2, y' cos f - x' sin f = 0; I = a =
 * 1/2, m = 1. */
static real sleigh_lagrangian(ARGUMENTS) {
    (void)s, (void)t;
    const real sine = noe_sin(q[2]), cosine = noe_cos(q[2]);
    return (v[0] * v[0] + v[1] * v[1]) / 2 + v[2] * (v[1] * cosine - v[0] * sine) / 2 +
           v[2] * v[2] * 3 / 8;
}

static void sleigh_first(ARGUMENTS, real *p, real *w) {
    UNUSED;
    const real sine = noe_sin(q[2]), cosine = noe_cos(q[2]);
    p[0] = v[0] - v[2] * sine / 2;
    p[1] = v[1] + v[2] * cosine / 2;
    p[2] = (v[1] * cosine - v[0] * sine) / 2 + v[2] * 3 / 4;
    w[0] = -sine * v[3];
    w[1] = cosine * v[3];
    w[2] = -v[2] * (v[1] * sine + v[0] * cosine) / 2;
}

static void sleigh_second(ARGUMENTS, real *p, real *w, real *d) {
    const real sine = noe_sin(q[2]), cosine = noe_cos(q[2]);
    real *pv = d, *pq = d + 9, *wv = d + 18, *wq = d + 27;
    sleigh_first(s, t, q, v, p, w);
    memset(d, 0, 36 * sizeof *d);
    pv[0] = pv[4] = 1;
    pv[8] = (real)3 / 4;
    pv[2] = pv[6] = -sine / 2;
    pv[5] = pv[7] = cosine / 2;
    pq[2] = -v[2] * cosine / 2;
    pq[5] = -v[2] * sine / 2;
    pq[8] = -(v[1] * sine + v[0] * cosine) / 2;
    wv[6] = -v[2] * cosine / 2;
    wv[7] = -v[2] * sine / 2;
    wv[8] = -(v[1] * sine + v[0] * cosine) / 2;
    wq[2] = -cosine * v[3];
    wq[5] = -sine * v[3];
    wq[8] = -v[2] * (v[1] * cosine - v[0] * sine) / 2;
}

static void sleigh_constraints(ARGUMENTS, real *c) {
    UNUSED;
    c[0] = v[1] * noe_cos(q[2]) - v[0] * noe_sin(q[2]);
}

static void sleigh_constraints_second(ARGUMENTS, real *c, real *d) {
    const real sine = noe_sin(q[2]), cosine = noe_cos(q[2]);
    sleigh_constraints(s, t, q, v, c);
    c[1] = 0;
    memset(d, 0, 6 * sizeof *d);
    d[0] = -sine;
    d[1] = cosine;
    d[5] = -v[1] * sine - v[0] * cosine;
}

const struct noe_system chaplygin_sleigh = {
    .name = "Chaplygin sleigh",
    .n = 3,
    .nz = 9,
    .traits = NOE_QUADRATIC | NOE_AUTONOMOUS | NOE_UNFORCED,
    .nnonholonomic = 1,
    .nzc = 3,
    .lagrangian = sleigh_lagrangian,
    .first = sleigh_first,
    .second = sleigh_second,
    .constraints = sleigh_constraints,
    .constraints_second = sleigh_constraints_second,
};

/* --- Appell and Hamel's constraint, nonlinear in velocities, on a particle with weight:
 * L = |v|^2/2 - z - x^2/2, phi = x'^2 + y'^2 - z'^2/4. */
static real hamel_lagrangian(ARGUMENTS) {
    (void)s, (void)t;
    return vec3_dot(v, v) / 2 - q[2] - q[0] * q[0] / 2;
}

static void hamel_first(ARGUMENTS, real *p, real *w) {
    UNUSED;
    memcpy(p, v, 3 * sizeof *p);
    w[0] = 2 * v[0] * v[3] - q[0];
    w[1] = 2 * v[1] * v[3];
    w[2] = -1 - v[2] * v[3] / 2;
}

static void hamel_second(ARGUMENTS, real *p, real *w, real *d) {
    hamel_first(s, t, q, v, p, w);
    memset(d, 0, 36 * sizeof *d);
    d[0] = d[4] = d[8] = 1;
    d[18] = d[22] = 2 * v[3];
    d[26] = -v[3] / 2;
    d[27] = -1;
}

static void hamel_constraints(ARGUMENTS, real *c) {
    UNUSED;
    c[0] = v[0] * v[0] + v[1] * v[1] - v[2] * v[2] / 4;
}

static void hamel_constraints_second(ARGUMENTS, real *c, real *d) {
    hamel_constraints(s, t, q, v, c);
    c[1] = 0;
    memset(d, 0, 6 * sizeof *d);
    d[0] = 2 * v[0];
    d[1] = 2 * v[1];
    d[2] = -v[2] / 2;
}

const struct noe_system appell_hamel = {
    .name = "Appell and Hamel's particle",
    .n = 3,
    .nz = 9,
    .traits = NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_AUTONOMOUS | NOE_UNFORCED,
    .nnonholonomic = 1,
    .nzc = 3,
    .lagrangian = hamel_lagrangian,
    .first = hamel_first,
    .second = hamel_second,
    .constraints = hamel_constraints,
    .constraints_second = hamel_constraints_second,
};

/* --- Suslov's body: L = W.I W/2, W_3 = 0. */
static const double suslov_I[9] = {2, 0, .4, 0, 3, .3, .4, .3, 1.5};
static const struct noe_factor rotation_factor[] = {{&noe_space_so3, 1}};

static real suslov_lagrangian(ARGUMENTS) {
    real sum = 0;
    (void)s, (void)t, (void)q;
    for (int e = 0; e < 9; e++) sum += suslov_I[e] * v[e / 3] * v[e % 3] / 2;
    return sum;
}

static void suslov_first(ARGUMENTS, real *p, real *w) {
    UNUSED;
    for (int i = 0; i < 3; i++) {
        p[i] = w[i] = 0;
        for (int j = 0; j < 3; j++) p[i] += suslov_I[3 * i + j] * v[j];
    }
    w[2] = v[3];
}

static void suslov_second(ARGUMENTS, real *p, real *w, real *d) {
    suslov_first(s, t, q, v, p, w);
    memset(d, 0, 36 * sizeof *d);
    for (int e = 0; e < 9; e++) d[e] = suslov_I[e];
}

static void suslov_constraints(ARGUMENTS, real *c) {
    UNUSED;
    c[0] = v[2];
}

static void suslov_constraints_second(ARGUMENTS, real *c, real *d) {
    suslov_constraints(s, t, q, v, c);
    c[1] = 0;
    d[0] = 1;
    d[1] = 0;
}

const struct noe_system suslov = {
    .name = "Suslov's body",
    .n = 3,
    .nfactors = 1,
    .factors = rotation_factor,
    .nz = 9,
    .traits = mechanical,
    .nnonholonomic = 1,
    .nzc = 1,
    .crow = (const int[]){0},
    .ccol = (const int[]){2},
    .lagrangian = suslov_lagrangian,
    .first = suslov_first,
    .second = suslov_second,
    .constraints = suslov_constraints,
    .constraints_second = suslov_constraints_second,
};

/* --- A heavy top as a body whose centre of mass, at X from the fixed point, has its own
 * coordinates x:
 * L = W.J W/2 + m|u|^2/2 + m gamma.x, g = X - y, y = R^T x. With y' = y cross W + R^T u:
 * w = (lambda cross y, m gamma + R lambda), (y cross)' on both sides. */
static const double joined_J[3] = {0.234375, 0.46875, 0.234375}, joined_m = 15;
static const struct noe_factor joined_factors[] = {{&noe_space_so3, 1}, {&noe_space_vector, 3}};

static real joined_lagrangian(ARGUMENTS) {
    real sum = joined_m * vec3_dot(v + 3, v + 3) / 2 - joined_m * (real)9.81 * q[11];
    (void)s, (void)t;
    for (int i = 0; i < 3; i++) sum += joined_J[i] * v[i] * v[i] / 2;
    return sum;
}

static void joined_first(ARGUMENTS, real *p, real *w) {
    real y[3];
    UNUSED;
    vec3_apply_transposed(y, q, q + 9);
    for (int i = 0; i < 3; i++) {
        p[i] = joined_J[i] * v[i];
        p[3 + i] = joined_m * v[3 + i];
    }
    vec3_cross(w, v + 6, y);
    vec3_apply(w + 3, q, v + 6);
    w[5] -= joined_m * (real)9.81;
}

/* Along a rotation s: y' = y cross s, (R lambda)' = R (s cross lambda).
 * Along x by u: y' = R^T u. */
static void joined_second(ARGUMENTS, real *p, real *w, real *d) {
    const real *lambda = v + 6;
    real y[3], *wq = d + 108;
    joined_first(s, t, q, v, p, w);
    memset(d, 0, 144 * sizeof *d);
    vec3_apply_transposed(y, q, q + 9);
    for (int j = 0; j < 3; j++) {
        real e[3] = {0}, dy[3], rotated[3], column[3];
        d[7 * j] = joined_J[j];
        d[7 * (3 + j)] = joined_m;
        e[j] = 1;
        vec3_cross(dy, y, e);
        vec3_cross(column, lambda, dy);
        for (int i = 0; i < 3; i++) wq[6 * i + j] = column[i];
        vec3_cross(rotated, e, lambda);
        vec3_apply(column, q, rotated);
        for (int i = 0; i < 3; i++) wq[6 * (3 + i) + j] = column[i];
        vec3_apply_transposed(dy, q, e);
        vec3_cross(column, lambda, dy);
        for (int i = 0; i < 3; i++) wq[6 * i + 3 + j] = column[i];
    }
}

static void joined_constraints(ARGUMENTS, real *c) {
    real y[3], u[3];
    (void)s, (void)t;
    vec3_apply_transposed(y, q, q + 9);
    vec3_apply_transposed(u, q, v + 3);
    vec3_cross(c + 3, y, v);
    for (int i = 0; i < 3; i++) {
        c[i] = (i == 1 ? 1 : 0) - y[i];
        c[3 + i] = -c[3 + i] - u[i];
    }
}

/* psi = -y cross W - R^T u. Along a rotation s: -(y cross s) cross W - (R^T u) cross s.
 * Along x by b: -(R^T b) cross W. */
static void joined_constraints_second(ARGUMENTS, real *c, real *d) {
    real y[3], u[3], *pv = d, *pq = d + 18;
    joined_constraints(s, t, q, v, c);
    memset(c + 6, 0, 3 * sizeof *c);
    vec3_apply_transposed(y, q, q + 9);
    vec3_apply_transposed(u, q, v + 3);
    for (int j = 0; j < 3; j++) {
        real e[3] = {0}, a[3], b[3], column[3];
        e[j] = 1;
        vec3_cross(a, y, e);
        vec3_cross(b, a, v);
        vec3_cross(column, u, e);
        for (int i = 0; i < 3; i++) {
            pv[6 * i + j] = -a[i];
            pq[6 * i + j] = -b[i] - column[i];
        }
        vec3_apply_transposed(a, q, e);
        vec3_cross(b, a, v);
        for (int i = 0; i < 3; i++) {
            pv[6 * i + 3 + j] = -a[i];
            pq[6 * i + 3 + j] = -b[i];
        }
    }
}

const struct noe_system joined_top = {
    .name = "heavy top with a joint",
    .n = 6,
    .nfactors = 2,
    .factors = joined_factors,
    .nz = 36,
    .traits = mechanical,
    .nholonomic = 3,
    .nzc = 18,
    .lagrangian = joined_lagrangian,
    .first = joined_first,
    .second = joined_second,
    .constraints = joined_constraints,
    .constraints_second = joined_constraints_second,
};
