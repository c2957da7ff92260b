/* Systems on groups written by hand, with their exact first and second derivatives. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "spaces/vec3.h"
#include "systems.h"

#define ARGUMENTS const struct noe_system *s, real t, const real *q, const real *v
#define UNUSED    (void)s, (void)t, (void)q, (void)v

extern const struct noe_space noe_space_so3, noe_space_se3, noe_space_s3, noe_space_se2,
    noe_space_vector;

static const struct noe_factor rotation_factor[] = {{&noe_space_so3, 1}};
static const struct noe_factor pose_factor[] = {{&noe_space_se3, 1}};
static const struct noe_factor plane_factor[] = {{&noe_space_se2, 1}};
static const struct noe_factor quaternion_factor[] = {{&noe_space_s3, 1}};
static const struct noe_factor mixed_factors[] = {{&noe_space_so3, 1}, {&noe_space_vector, 2}};

/* The last row of R, which is e3 of space in body coordinates. */
static void third_row(const real *R, real *up) {
    for (int i = 0; i < 3; i++) up[i] = R[6 + i];
}

/* --- A body with the inertia and the weight in `data`, fixed at a point:
 * L = v.J v/2 - weight arm.up, up = R^T e3; up' = up cross v. */
struct body {
    double J[3], weight, arm[3];
};

static const struct body *body_of(const struct noe_system *s) { return s->data; }

static real top_potential(const struct body *body, const real *up) {
    real sum = 0;
    for (int i = 0; i < 3; i++) sum += body->weight * body->arm[i] * up[i];
    return sum;
}

static void top_up(const struct noe_system *s, const real *q, real *up) {
    if (s->factors->space == &noe_space_s3) {
        const real w = q[0], x = q[1], y = q[2], z = q[3];
        up[0] = 2 * (x * z - w * y);
        up[1] = 2 * (y * z + w * x);
        up[2] = w * w - x * x - y * y + z * z;
    } else {
        third_row(q, up);
    }
}

static real top_lagrangian(ARGUMENTS) {
    const struct body *body = body_of(s);
    real up[3], sum;
    (void)t;
    top_up(s, q, up);
    sum = -top_potential(body, up);
    for (int i = 0; i < 3; i++) sum += body->J[i] * v[i] * v[i] / 2;
    return sum;
}

/* w = up cross weight arm. */
static void top_first(ARGUMENTS, real *p, real *w) {
    const struct body *body = body_of(s);
    real up[3], arm[3];
    (void)t;
    top_up(s, q, up);
    for (int i = 0; i < 3; i++) {
        p[i] = body->J[i] * v[i];
        arm[i] = body->weight * body->arm[i];
    }
    vec3_cross(w, up, arm);
}

/* w' = (up cross s) cross arm = -arm^ up^ s. */
static void top_second(ARGUMENTS, real *p, real *w, real *d) {
    const struct body *body = body_of(s);
    real up[3], arm[3], hat[9];
    top_first(s, t, q, v, p, w);
    top_up(s, q, up);
    memset(d, 0, 36 * sizeof *d);
    for (int i = 0; i < 3; i++) {
        d[4 * i] = body->J[i];
        arm[i] = body->weight * body->arm[i];
    }
    vec3_zero(hat);
    vec3_add_hat(hat, 1, up);
    vec3_hat_times(d + 27, -1, arm, hat);
}

#define BODY(its_name, its_factor, its_body, its_traits)                                           \
    {                                                                                              \
        .name = its_name, .n = 3, .nfactors = 1, .factors = its_factor, .nz = 9,                   \
        .traits = NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE | NOE_AUTONOMOUS |             \
                  NOE_UNFORCED | (its_traits),                                                     \
        .data = its_body, .lagrangian = top_lagrangian, .first = top_first, .second = top_second,  \
    }

static const struct body top_body = {{1, 2, 2.5}, 1.5, {0, 0, 1}};
static const struct body tilted_body = {{1, 2, 2.5}, 2.5, {0.3, -0.4, 1}};
static const struct body pendulum_body = {{1, 2.8, 2}, -9.81, {0, 0, 1}};
static const struct body free_body = {{2, 3, 4}, 0, {0}};

const struct noe_system heavy_top = BODY("heavy top", rotation_factor, &top_body, 0);
const struct noe_system tilted_top = BODY("tilted top", rotation_factor, &tilted_body, 0);
const struct noe_system quaternion_top =
    BODY("top of quaternions", quaternion_factor, &tilted_body, 0);
const struct noe_system rotation_pendulum = BODY("3D pendulum", rotation_factor, &pendulum_body, 0);
const struct noe_system rigid_body =
    BODY("free rigid body", rotation_factor, &free_body, NOE_LEFT_INVARIANT);

/* --- A rigid body with weight, tied to the origin at its point `rho` by a stiffening spring:
 * L = v.M v/2 - (r2/2 + r2^2/8) k - weight x_3, y = x + R rho, r2 = |y|^2. With z = R^T y:
 * w = -k (1 + r2/2) (rho cross z, z) - weight (0, up), z' = v2 + v1 cross rho - v1 cross z. */
struct vehicle {
    double mass[36], rho[3], k, weight;
};

static const struct vehicle *vehicle_of(const struct noe_system *s) { return s->data; }

struct tie {
    real z[3], up[3], rho[3], r2, factor;
};

static struct tie tie_at(const struct vehicle *body, const real *q) {
    struct tie tie;
    for (int i = 0; i < 3; i++) tie.rho[i] = body->rho[i];
    vec3_apply_transposed(tie.z, q, q + 9);
    for (int i = 0; i < 3; i++) tie.z[i] += body->rho[i];
    third_row(q, tie.up);
    tie.r2 = vec3_dot(tie.z, tie.z);
    tie.factor = body->k * (1 + tie.r2 / 2);
    return tie;
}

static real vehicle_lagrangian(ARGUMENTS) {
    const struct vehicle *body = vehicle_of(s);
    const struct tie tie = tie_at(body, q);
    real sum = -body->k * (tie.r2 / 2 + tie.r2 * tie.r2 / 8) - body->weight * q[11];
    (void)t;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) sum += v[i] * body->mass[6 * i + j] * v[j] / 2;
    return sum;
}

static void vehicle_first(ARGUMENTS, real *p, real *w) {
    const struct vehicle *body = vehicle_of(s);
    const struct tie tie = tie_at(body, q);
    (void)t;
    vec3_cross(w, tie.rho, tie.z);
    for (int i = 0; i < 3; i++) {
        w[i] *= -tie.factor;
        w[3 + i] = -tie.factor * tie.z[i] - body->weight * tie.up[i];
    }
    for (int i = 0; i < 6; i++) {
        p[i] = 0;
        for (int j = 0; j < 6; j++) p[i] += body->mass[6 * i + j] * v[j];
    }
}

static void vehicle_second(ARGUMENTS, real *p, real *w, real *d) {
    const struct vehicle *body = vehicle_of(s);
    const struct tie tie = tie_at(body, q);
    real *wq = d + 108;
    vehicle_first(s, t, q, v, p, w);
    memset(d, 0, 144 * sizeof *d);
    for (int e = 0; e < 36; e++) d[e] = body->mass[e];
    for (int j = 0; j < 6; j++) { /* along the tangent e_j */
        real e[3] = {0}, dz[3], rotated[3], dup[3] = {0}, a[3], b[3];
        e[j % 3] = 1;
        if (j < 3) {
            vec3_cross(dz, e, tie.rho);
            vec3_cross(rotated, e, tie.z);
            vec3_add(dz, -1, rotated);
            vec3_cross(dup, tie.up, e);
        } else {
            memcpy(dz, e, sizeof e);
        }
        const real dfactor = body->k * vec3_dot(tie.z, dz);
        vec3_cross(a, tie.rho, tie.z);
        vec3_cross(b, tie.rho, dz);
        for (int i = 0; i < 3; i++) {
            wq[6 * i + j] = -dfactor * a[i] - tie.factor * b[i];
            wq[6 * (3 + i) + j] = -dfactor * tie.z[i] - tie.factor * dz[i] - body->weight * dup[i];
        }
    }
}

#define VEHICLE(its_name, its_body, its_traits)                                                    \
    {                                                                                              \
        .name = its_name, .n = 6, .nfactors = 1, .factors = pose_factor, .nz = 36,                 \
        .traits = NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE | NOE_AUTONOMOUS |             \
                  NOE_UNFORCED | (its_traits),                                                     \
        .data = its_body, .lagrangian = vehicle_lagrangian, .first = vehicle_first,                \
        .second = vehicle_second,                                                                  \
    }

/* clang-format off */
static const struct vehicle tied_body = {
    {1.2, 0, 0, 0, 0.2, 0,   0, 1.7, 0, -0.2, 0, 0.1,   0, 0, 2.1, 0, -0.1, 0,
     0, -0.2, 0, 2, 0, 0,    0.2, 0, -0.1, 0, 2.4, 0,   0, 0.1, 0, 0, 0, 3},
    {0.3, -0.2, 0.5}, 2, 1.5};
static const struct vehicle kirchhoff_body = {
    {1.09, 0, 0, 0, 0, 0,  0, 2.16, 0, 0, 0, 0,  0, 0, 2.68, 0, 0, 0,
     0, 0, 0, 3.72, 0, 0,  0, 0, 0, 0, 7.42, 0,  0, 0, 0, 0, 0, 4.29},
    {0}, 0, 0};
static const struct vehicle sunk_body = {
    {5.46, 0, 0, 0, 0, 0,  0, 5.29, 0, 0, 0, 0,  0, 0, 5.72, 0, 0, 0,
     0, 0, 0, 188.8, 0, 0,  0, 0, 0, 0, 193.8, 0,  0, 0, 0, 0, 0, 198.8},
    {0}, 0, -(123.8 * 9.81 - 1215.8)};
static const struct vehicle tied_flat_body = {
    {1.2, 0, 0, 0, 0, 0,     0, 1.7, 0, 0, 0, 0,       0, 0, 2.1, 0.2, -0.3, 0,
     0, 0, 0.2, 2, 0.1, 0,   0, 0, -0.3, 0.1, 2.4, 0,  0, 0, 0, 0, 0, 3},
    {0.3, -0.2, 0}, 2, 0};
static const struct vehicle free_flat_body = {
    {1.09, 0, 0, 0, 0, 0,  0, 2.16, 0, 0, 0, 0,  0, 0, 2.68, 0, 0, 0,
     0, 0, 0, 3.72, 0, 0,  0, 0, 0, 0, 7.42, 0,  0, 0, 0, 0, 0, 4.29},
    {0}, 0, 0};
/* clang-format on */

const struct noe_system tied_vehicle = VEHICLE("tied body", &tied_body, 0);
const struct noe_system kirchhoff_vehicle =
    VEHICLE("Kirchhoff vehicle", &kirchhoff_body, NOE_LEFT_INVARIANT);
const struct noe_system underwater_vehicle = VEHICLE("underwater vehicle", &sunk_body, 0);

const struct noe_system tied_sledge_in_space = VEHICLE("flat tied body", &tied_flat_body, 0);
const struct noe_system free_sledge_in_space =
    VEHICLE("flat free body", &free_flat_body, NOE_LEFT_INVARIANT);

/* --- The last two in their plane, with v = (turn, x, y): z = R^T p + rho, J a = (-a_y, a_x),
 * w = -k (1 + r2/2) (z.J rho, z), z' = v2 + v1 (J rho - J z). */
static const int in_space[3] = {2, 3, 4};

static real sledge_mass(const struct vehicle *body, int i, int j) {
    return body->mass[6 * in_space[i] + in_space[j]];
}

static void sledge_arm(const struct vehicle *body, const real *g, real *z) {
    z[0] = g[0] * g[2] + g[3] * g[5] + body->rho[0];
    z[1] = g[1] * g[2] + g[4] * g[5] + body->rho[1];
}

static real sledge_lagrangian(ARGUMENTS) {
    const struct vehicle *body = vehicle_of(s);
    real z[2];
    (void)t;
    sledge_arm(body, q, z);
    const real r2 = z[0] * z[0] + z[1] * z[1];
    real sum = -body->k * (r2 / 2 + r2 * r2 / 8);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum += v[i] * sledge_mass(body, i, j) * v[j] / 2;
    return sum;
}

static void sledge_first(ARGUMENTS, real *p, real *w) {
    const struct vehicle *body = vehicle_of(s);
    real z[2];
    (void)t;
    sledge_arm(body, q, z);
    const real factor = body->k * (1 + (z[0] * z[0] + z[1] * z[1]) / 2);
    w[0] = -factor * (z[1] * body->rho[0] - z[0] * body->rho[1]);
    w[1] = -factor * z[0];
    w[2] = -factor * z[1];
    for (int i = 0; i < 3; i++) {
        p[i] = 0;
        for (int j = 0; j < 3; j++) p[i] += sledge_mass(body, i, j) * v[j];
    }
}

static void sledge_second(ARGUMENTS, real *p, real *w, real *d) {
    const struct vehicle *body = vehicle_of(s);
    const double *rho = body->rho;
    real z[2], *wq = d + 27;
    sledge_first(s, t, q, v, p, w);
    sledge_arm(body, q, z);
    memset(d, 0, 36 * sizeof *d);
    for (int e = 0; e < 9; e++) d[e] = sledge_mass(body, e / 3, e % 3);
    const real factor = body->k * (1 + (z[0] * z[0] + z[1] * z[1]) / 2);
    const real dz[3][2] = {{z[1] - rho[1], rho[0] - z[0]}, {1, 0}, {0, 1}};
    for (int j = 0; j < 3; j++) {
        const real dfactor = body->k * (z[0] * dz[j][0] + z[1] * dz[j][1]);
        wq[j] = -dfactor * (z[1] * rho[0] - z[0] * rho[1]) -
                factor * (dz[j][1] * rho[0] - dz[j][0] * rho[1]);
        for (int i = 0; i < 2; i++) wq[3 + 3 * i + j] = -dfactor * z[i] - factor * dz[j][i];
    }
}

#define SLEDGE(its_name, its_body, its_traits)                                                     \
    {                                                                                              \
        .name = its_name, .n = 3, .nfactors = 1, .factors = plane_factor, .nz = 9,                 \
        .traits = NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE | NOE_AUTONOMOUS |             \
                  NOE_UNFORCED | (its_traits),                                                     \
        .data = its_body, .lagrangian = sledge_lagrangian, .first = sledge_first,                  \
        .second = sledge_second,                                                                   \
    }

const struct noe_system tied_sledge = SLEDGE("tied planar body", &tied_flat_body, 0);
const struct noe_system free_sledge =
    SLEDGE("free planar body", &free_flat_body, NOE_LEFT_INVARIANT);

/* --- A rotation and two coordinates, in mass, potential and forces: with y in R^2, u = y',
 * L = W.J W/2 + (1 + up_1^2 + y_1^2/2) |u|^2/2 + (y.u)(b.W)/5 - 2 up_3 - y_2 up_2 - |y|^2/2,
 * f = (-W/10 + e2 sin(t)/5, -u/20). */
static const double mixed_J[3] = {1.5, 2, 3.2}, mixed_b[3] = {1, 0.5, -0.3};

static real mixed_mass(const real *up, const real *y) {
    return 1 + up[0] * up[0] + y[0] * y[0] / 2;
}

static real mixed_twist(const real *W) { /* b.W/5 */
    return (mixed_b[0] * W[0] + mixed_b[1] * W[1] + mixed_b[2] * W[2]) / 5;
}

static real mixed_lagrangian(ARGUMENTS) {
    const real *y = q + 9, *u = v + 3;
    real up[3], sum;
    (void)s, (void)t;
    third_row(q, up);
    sum = mixed_mass(up, y) * (u[0] * u[0] + u[1] * u[1]) / 2 +
          (y[0] * u[0] + y[1] * u[1]) * mixed_twist(v) - 2 * up[2] - y[1] * up[1] -
          (y[0] * y[0] + y[1] * y[1]) / 2;
    for (int i = 0; i < 3; i++) sum += mixed_J[i] * v[i] * v[i] / 2;
    return sum;
}

/* p and L_q. */
static void mixed_free(ARGUMENTS, real *p, real *w) {
    const real *y = q + 9, *u = v + 3, u2 = u[0] * u[0] + u[1] * u[1];
    const real yu = (y[0] * u[0] + y[1] * u[1]) / 5, twist = mixed_twist(v);
    real up[3], slope[3];
    (void)s, (void)t;
    third_row(q, up);
    slope[0] = up[0] * u2;
    slope[1] = -y[1];
    slope[2] = -2;
    vec3_cross(w, slope, up);
    for (int i = 0; i < 3; i++) p[i] = mixed_J[i] * v[i] + yu * mixed_b[i];
    for (int i = 0; i < 2; i++) {
        p[3 + i] = mixed_mass(up, y) * u[i] + twist * y[i];
        w[3 + i] = twist * u[i] - y[i];
    }
    w[3] += u2 * y[0] / 2;
    w[4] -= up[1];
}

static void mixed_gradient(ARGUMENTS, real *gradient) {
    real p[5];
    mixed_free(s, t, q, v, p, gradient);
    gradient[5] = 0;
}

static void mixed_first(ARGUMENTS, real *p, real *w) {
    mixed_free(s, t, q, v, p, w);
    for (int i = 0; i < 5; i++) w[i] -= v[i] / (i < 3 ? 10 : 20);
    w[1] += noe_sin(t) / 5;
}

/* Rows and columns 0 .. 2 belong to the rotation, 3 and 4 to y. */
static void mixed_second(ARGUMENTS, real *p, real *w, real *d) {
    const real *y = q + 9, *u = v + 3, u2 = u[0] * u[0] + u[1] * u[1], twist = mixed_twist(v);
    real *pv = d, *pq = d + 25, *wv = d + 50, *wq = d + 75, up[3];
    mixed_first(s, t, q, v, p, w);
    third_row(q, up);
    memset(d, 0, 100 * sizeof *d);
    const real slope[3] = {up[0] * u2, -y[1], -2}, first[3] = {1, 0, 0}, second[3] = {0, 1, 0};
    real a[3], b[3];
    vec3_cross(a, first, up);
    vec3_cross(b, second, up);
    for (int i = 0; i < 3; i++) {
        pv[6 * i] = mixed_J[i];
        wv[6 * i] = -0.1;
        wq[5 * i + 4] = -b[i];
        for (int j = 0; j < 2; j++) {
            pv[5 * i + 3 + j] = pv[5 * (3 + j) + i] = mixed_b[i] * y[j] / 5;
            pq[5 * i + 3 + j] = mixed_b[i] * u[j] / 5;
            wv[5 * i + 3 + j] = a[i] * 2 * up[0] * u[j];
            wv[5 * (3 + j) + i] = mixed_b[i] * u[j] / 5;
        }
    }
    for (int j = 0; j < 3; j++) { /* along the rotation e_j */
        real e[3] = {0}, dup[3], rotated[3];
        e[j] = 1;
        vec3_cross(dup, up, e);
        vec3_cross(rotated, slope, dup);
        for (int i = 0; i < 3; i++) wq[5 * i + j] = a[i] * u2 * dup[0] + rotated[i];
        for (int i = 0; i < 2; i++) pq[5 * (3 + i) + j] = u[i] * 2 * up[0] * dup[0];
        wq[20 + j] = -dup[1];
    }
    for (int i = 0; i < 2; i++) {
        pv[6 * (3 + i)] = mixed_mass(up, y);
        pq[6 * (3 + i)] += twist;
        pq[5 * (3 + i) + 3] += u[i] * y[0];
        wv[6 * (3 + i)] += twist - 0.05;
        wv[15 + 3 + i] += y[0] * u[i];
        wq[6 * (3 + i)] -= 1;
    }
    wq[18] += u2 / 2;
}

const struct noe_system mixed = {
    .name = "rotation and plane",
    .n = 5,
    .nfactors = 2,
    .factors = mixed_factors,
    .nz = 25,
    .traits = NOE_QUADRATIC,
    .lagrangian = mixed_lagrangian,
    .first = mixed_first,
    .second = mixed_second,
    .gradient = mixed_gradient,
};
