/* Step function of an exported model with rotations or poses: Hamilton-Pontryagin methods with one
 * velocity per step.
 *
 * The equations are those of the library's methods. Newton's method uses the exact derivatives of
 * the system, but those of the retraction only to first order in the increment x. An error then
 * shrinks by a factor of order |x|^2 in every iteration, and the code needs no second
 * derivatives. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "model/export/export_stepper.h"
#include "model/model.h"

static const char head[] =
    "enum { $_UNKNOWNS = $_N, $_ITERATIONS = 50 };\n"
    "\n"
    "/* Memory of one run: the velocity v of a step and the terms of its equations. */\n"
    "struct @_work {\n"
    "    double v[$_N], x[$_N], m[$_N], after[$_N];\n"
    "    double p0[$_N], w0[$_N], d0[4*$_NZ], p1[$_N], w1[$_N], d1[4*$_NZ], q1[$_NP];\n"
    "    double r[$_UNKNOWNS], j[$_UNKNOWNS][$_UNKNOWNS];\n"
    "};\n"
    "\n"
    "/* p = L_v at the start; v is the initial guess of the velocity. */\n"
    "void @_start(struct @_work *work, double t, const double *q, const double *v, double *p)\n"
    "{\n"
    "    for (int i = 0; i < $_N; i++) work->v[i] = v[i];\n"
    "    @_first(t, q, v, p, work->w0);\n"
    "}\n"
    "\n";

static const char turn_head[] =
    "/* tau(w) = 1 + c0 hat(w) + c1 hat(w)^2 has the tangent T(w) = c0 - c1 hat(w) + c2 w w^T:\n"
    " * tau^-1 dtau = hat(T dw). c3, c4, c5 are the derivatives of c0, c1, c2 in w.w. */\n"
    "static void @_turn(const double *w, double *c)\n"
    "{\n"
    "    const double t = w[0]*w[0] + w[1]*w[1] + w[2]*w[2];\n";

static const char turn_cay[] = "    const double k = 2/(4 + t);\n"
                               "    c[0] = 2*k, c[1] = k, c[2] = 0;\n"
                               "    c[3] = -k*k, c[4] = -k*k/2, c[5] = 0;\n"
                               "}\n\n"
                               "static const double @_limit = HUGE_VAL; /* bound of w.w */\n\n";

static const char turn_exp[] =
    "    if (t < 1) { /* c[k] = sum_j (-t)^j/(2j + k + 1)! */\n"
    "        for (int k = 0; k < 3; k++) {\n"
    "            double term = k == 0 ? 1.0 : k == 1 ? 1.0/2 : 1.0/6;\n"
    "            c[k] = c[3 + k] = 0;\n"
    "            for (int j = 0; j < 12; j++) {\n"
    "                const double next = -term/((2*j + k + 2)*(2*j + k + 3));\n"
    "                c[k] += term;\n"
    "                c[3 + k] += (j + 1)*next;\n"
    "                term = next*t;\n"
    "            }\n"
    "        }\n"
    "        return;\n"
    "    }\n"
    "    const double s = sqrt(t);\n"
    "    c[0] = sin(s)/s, c[1] = (1 - cos(s))/t, c[2] = (s - sin(s))/(s*t);\n"
    "    c[3] = (cos(s) - c[0])/(2*t), c[4] = (c[0] - 2*c[1])/(2*t), c[5] = (c[1] - "
    "3*c[2])/(2*t);\n"
    "}\n\n"
    "static const double @_limit = 39.478417604357434; /* bound of w.w: (2 pi)^2 */\n\n";

static const char turn_new[] = "    const double r = sqrt(1 - t/4);\n"
                               "    c[0] = r, c[1] = 0.5, c[2] = 1/(4*r);\n"
                               "    c[3] = -1/(8*r), c[4] = 0, c[5] = 1/(32*r*r*r);\n"
                               "}\n\n"
                               "static const double @_limit = 4; /* bound of w.w */\n\n";

static const char turn_skew[] = "    const double r = sqrt(1 - t), c1 = 1/(1 + r);\n"
                                "    c[0] = 1, c[1] = c1, c[2] = c1/r;\n"
                                "    c[3] = 0, c[4] = c1*c1/(2*r), c[5] = c[4]/r + c1/(2*r*r*r);\n"
                                "}\n\n"
                                "static const double @_limit = 1; /* bound of w.w */\n\n";

static const char rotations[] =
    "static double @_dot(const double *x, const double *y)\n"
    "{\n"
    "    return x[0]*y[0] + x[1]*y[1] + x[2]*y[2];\n"
    "}\n"
    "\n"
    "static void @_cross(const double *x, const double *y, double *z)\n"
    "{\n"
    "    z[0] = x[1]*y[2] - x[2]*y[1];\n"
    "    z[1] = x[2]*y[0] - x[0]*y[2];\n"
    "    z[2] = x[0]*y[1] - x[1]*y[0];\n"
    "}\n"
    "\n"
    "/* y = tau(w) m, or with sign = -1 its transpose times m. */\n"
    "static void @_rotate(double sign, const double *w, const double *m, double *y)\n"
    "{\n"
    "    double c[6], z[3], u[3];\n"
    "    @_turn(w, c);\n"
    "    @_cross(w, m, z);\n"
    "    @_cross(w, z, u);\n"
    "    for (int i = 0; i < 3; i++) y[i] = m[i] + sign*c[0]*z[i] + c[1]*u[i];\n"
    "}\n"
    "\n"
    "/* y = T(w) m, which is T(-w)^T m. */\n"
    "static void @_tangent(const double *w, const double *m, double *y)\n"
    "{\n"
    "    double c[6], z[3];\n"
    "    @_turn(w, c);\n"
    "    @_cross(w, m, z);\n"
    "    const double along = c[2]*@_dot(w, m);\n"
    "    for (int i = 0; i < 3; i++) y[i] = c[0]*m[i] - c[1]*z[i] + along*w[i];\n"
    "}\n"
    "\n"
    "/* R1 = R0 tau(w), then rows orthonormalised to round-off. */\n"
    "static void @_move_rotation(double *R1, const double *R0, const double *w)\n"
    "{\n"
    "    double R[9];\n"
    "    for (int i = 0; i < 3; i++) @_rotate(-1, w, R0 + 3*i, R + 3*i);\n"
    "    for (int i = 0; i < 3; i++) {\n"
    "        for (int k = 0; k < 3; k++) {\n"
    "            double sum = 1.5*R[3*i + k];\n"
    "            for (int l = 0; l < 3; l++) sum -= @_dot(R + 3*i, R + 3*l)*R[3*l + k]/2;\n"
    "            R1[3*i + k] = sum;\n"
    "        }\n"
    "    }\n"
    "}\n"
    "\n";

/* Each variant defines a = K v, the translation in tau(w, v) = (tau(w), K(w) v), and y = T(-x)^T
 * m. */
static const char poses_mean[] =
    "/* a pose moves by tau(w, v) = (tau(w), a), a = (1 + tau(w)) v/2. */\n"
    "static void @_arm(const double *x, double *a)\n"
    "{\n"
    "    @_rotate(1, x, x + 3, a);\n"
    "    for (int i = 0; i < 3; i++) a[i] = (x[3 + i] + a[i])/2;\n"
    "}\n"
    "\n"
    "static void @_dual_pose(const double *x, const double *m, double *y)\n"
    "{\n"
    "    double c[3];\n"
    "    @_cross(m + 3, x + 3, c);\n"
    "    for (int i = 0; i < 3; i++) c[i] = m[i] + c[i]/2;\n"
    "    @_tangent(x, c, y);\n"
    "    @_rotate(-1, x, m + 3, y + 3);\n"
    "    for (int i = 3; i < 6; i++) y[i] = (m[i] + y[i])/2;\n"
    "}\n"
    "\n";

static const char poses_exp[] =
    "/* a pose moves by tau(w, v) = (tau(w), a), a = T(w)^T v. */\n"
    "static void @_arm(const double *x, double *a)\n"
    "{\n"
    "    const double back[3] = {-x[0], -x[1], -x[2]};\n"
    "    @_tangent(back, x + 3, a);\n"
    "}\n"
    "\n"
    "/* T of poses is that of rotations at w + e v, e^2 = 0. */\n"
    "static void @_dual_pose(const double *x, const double *m, double *y)\n"
    "{\n"
    "    const double *const w = x, *const v = x + 3, *const f = m + 3;\n"
    "    double c[6], wf[3], vf[3];\n"
    "    @_turn(w, c);\n"
    "    @_cross(w, f, wf);\n"
    "    @_cross(v, f, vf);\n"
    "    const double s = 2*@_dot(w, v), a = @_dot(w, f), b = @_dot(v, f);\n"
    "    @_tangent(w, m, y);\n"
    "    @_tangent(w, f, y + 3);\n"
    "    for (int i = 0; i < 3; i++) {\n"
    "        y[i] += s*(c[3]*f[i] - c[4]*wf[i] + c[5]*a*w[i]);\n"
    "        y[i] += c[2]*(a*v[i] + b*w[i]) - c[1]*vf[i];\n"
    "    }\n"
    "}\n"
    "\n";

static const char poses_shift[] =
    "/* a pose moves by tau(w, v) = (tau(w), v). */\n"
    "static void @_arm(const double *x, double *a)\n"
    "{\n"
    "    for (int i = 0; i < 3; i++) a[i] = x[3 + i];\n"
    "}\n"
    "\n"
    "static void @_dual_pose(const double *x, const double *m, double *y)\n"
    "{\n"
    "    double c[3];\n"
    "    @_cross(m + 3, x + 3, c);\n"
    "    for (int i = 0; i < 3; i++) c[i] += m[i];\n"
    "    @_tangent(x, c, y);\n"
    "    for (int i = 3; i < 6; i++) y[i] = m[i];\n"
    "}\n"
    "\n";

static const char poses_none[] =
    "static void @_arm(const double *x, double *a) { (void)x, (void)a; }\n"
    "static void @_dual_pose(const double *x, const double *m, double *y)\n"
    "{\n"
    "    (void)x, (void)m, (void)y;\n"
    "}\n"
    "\n";

static const char products[] =
    "/* q1 = q0 tau(x), factor by factor. */\n"
    "static void @_move(double *q1, const double *q0, const double *x)\n"
    "{\n"
    "    for (int f = 0; f < $_FACTORS; f++) {\n"
    "        const int size = @_factor[f].size;\n"
    "        if (!@_factor[f].is_group) {\n"
    "            for (int i = 0; i < size; i++) *q1++ = *q0++ + *x++;\n"
    "            continue;\n"
    "        }\n"
    "        if (size == 6) {\n"
    "            double a[3];\n"
    "            @_arm(x, a);\n"
    "            for (int i = 0; i < 3; i++) q1[9 + i] = q0[9 + i] + @_dot(q0 + 3*i, a);\n"
    "        }\n"
    "        @_move_rotation(q1, q0, x);\n"
    "        q1 += size == 6 ? 12 : 9;\n"
    "        q0 += size == 6 ? 12 : 9;\n"
    "        x += size;\n"
    "    }\n"
    "}\n"
    "\n"
    "/* y = T(-x)^T m, factor by factor; 1 if an angle is outside the domain of tau. */\n"
    "static int @_dual(const double *x, const double *m, double *y)\n"
    "{\n"
    "    for (int f = 0; f < $_FACTORS; f++) {\n"
    "        const int size = @_factor[f].size;\n"
    "        if (@_factor[f].is_group && !(@_dot(x, x) < @_limit)) return 1;\n"
    "        for (int i = 0; i < size && !@_factor[f].is_group; i++) y[i] = m[i];\n"
    "        if (@_factor[f].is_group && size == 3) @_tangent(x, m, y);\n"
    "        if (@_factor[f].is_group && size == 6) @_dual_pose(x, m, y);\n"
    "        x += size;\n"
    "        m += size;\n"
    "        y += size;\n"
    "    }\n"
    "    return 0;\n"
    "}\n"
    "\n"
    "/* y = the momentum m in the frame after the motion tau(x), factor by factor. */\n"
    "static void @_carry(const double *x, const double *m, double *y)\n"
    "{\n"
    "    for (int f = 0; f < $_FACTORS; f++) {\n"
    "        const int size = @_factor[f].size;\n"
    "        for (int i = 0; i < size && !@_factor[f].is_group; i++) y[i] = m[i];\n"
    "        if (@_factor[f].is_group && size == 3) @_rotate(-1, x, m, y);\n"
    "        if (@_factor[f].is_group && size == 6) {\n"
    "            double a[3], c[3];\n"
    "            @_arm(x, a);\n"
    "            @_cross(m + 3, a, c);\n"
    "            for (int i = 0; i < 3; i++) c[i] += m[i];\n"
    "            @_rotate(-1, x, c, y);\n"
    "            @_rotate(-1, x, m + 3, y + 3);\n"
    "        }\n"
    "        x += size;\n"
    "        m += size;\n"
    "        y += size;\n"
    "    }\n"
    "}\n"
    "\n"
    "/* j += s hat(m) in the three rows from i and columns from k. */\n"
    "static void @_add_hat(struct @_work *work, double s, const double *m, int i, int k)\n"
    "{\n"
    "    work->j[i][k + 1] -= s*m[2];\n"
    "    work->j[i][k + 2] += s*m[1];\n"
    "    work->j[i + 1][k] += s*m[2];\n"
    "    work->j[i + 1][k + 2] -= s*m[0];\n"
    "    work->j[i + 2][k] -= s*m[1];\n"
    "    work->j[i + 2][k + 1] += s*m[0];\n"
    "}\n"
    "\n"
    "/* Adds -h times the derivative of T(-x)^T m by x near x = 0, half of x -> ad*_x m. */\n"
    "static void @_add_turns(struct @_work *work, double h)\n"
    "{\n"
    "    for (int f = 0, i = 0; f < $_FACTORS; i += @_factor[f++].size) {\n"
    "        const double *const m = work->m + i;\n"
    "        if (!@_factor[f].is_group) continue;\n"
    "        @_add_hat(work, -h/2, m, i, i);\n"
    "        if (@_factor[f].size == 3) continue;\n"
    "        @_add_hat(work, -h/2, m + 3, i, i + 3);\n"
    "        @_add_hat(work, -h/2, m + 3, i + 3, i);\n"
    "    }\n"
    "}\n"
    "\n";

static const char ends_equations[] =
    "/* r = b0 L_v(q, v) + b1 L_v(q1, v) - T(-x)^T m, x = h v, q1 = q tau(x), m = p + h b0 w(q, "
    "v). "
    "*/\n"
    "static int @_residual(struct @_work *work, double t, double h, const double *q,\n"
    "    const double *p)\n"
    "{\n"
    "    double y[$_N];\n"
    "    for (int i = 0; i < $_N; i++) work->x[i] = h*work->v[i];\n"
    "    @_move(work->q1, q, work->x);\n"
    "    @_second(t, q, work->v, work->p0, work->w0, work->d0);\n"
    "    @_second(t + h, work->q1, work->v, work->p1, work->w1, work->d1);\n"
    "    for (int i = 0; i < $_N; i++) work->m[i] = p[i] + h*@_b0*work->w0[i];\n"
    "    if (@_dual(work->x, work->m, y) != 0) return 1;\n"
    "    for (int i = 0; i < $_N; i++) {\n"
    "        work->r[i] = @_b0*work->p0[i] + @_b1*work->p1[i] - y[i];\n"
    "    }\n"
    "    return 0;\n"
    "}\n"
    "\n"
    "/* dr/dv = b0 (p_v - h w_v)(q) + b1 (p_v + h p_q)(q1), and the terms of T. */\n"
    "static void @_jacobian(struct @_work *work, double h)\n"
    "{\n"
    "    const double *const d0 = work->d0, *const d1 = work->d1;\n"
    "    for (int i = 0; i < $_N; i++) {\n"
    "        for (int k = 0; k < $_N; k++) work->j[i][k] = 0;\n"
    "    }\n"
    "    for (int e = 0; e < $_NZ; e++) {\n"
    "        work->j[@_row[e]][@_col[e]] += @_b0*(d0[e] - h*d0[2*$_NZ + e])\n"
    "                                       + @_b1*(d1[e] + h*d1[$_NZ + e]);\n"
    "    }\n"
    "    @_add_turns(work, h);\n"
    "}\n"
    "\n"
    "/* q = q1, p = m in the frame of q1 + h b1 w(q1, v). */\n"
    "static void @_finish(struct @_work *work, double h, double *q, double *p)\n"
    "{\n"
    "    @_carry(work->x, work->m, p);\n"
    "    for (int i = 0; i < $_N; i++) p[i] += h*@_b1*work->w1[i];\n"
    "    for (int i = 0; i < $_NP; i++) q[i] = work->q1[i];\n"
    "}\n"
    "\n";

static const char midpoint_equations[] =
    "/* r = L_v(q1, v) - (T(x)^T m + T(-x)^T (m + h w))/2, x = h v/2, q1 = q tau(x), m = p in\n"
    " * the frame of q1. */\n"
    "static int @_residual(struct @_work *work, double t, double h, const double *q,\n"
    "    const double *p)\n"
    "{\n"
    "    double back[$_N], y[$_N], z[$_N];\n"
    "    for (int i = 0; i < $_N; i++) work->x[i] = h/2*work->v[i];\n"
    "    for (int i = 0; i < $_N; i++) back[i] = -work->x[i];\n"
    "    @_move(work->q1, q, work->x);\n"
    "    @_second(t + h/2, work->q1, work->v, work->p1, work->w1, work->d1);\n"
    "    @_carry(work->x, p, work->m);\n"
    "    for (int i = 0; i < $_N; i++) work->after[i] = work->m[i] + h*work->w1[i];\n"
    "    if (@_dual(back, work->m, y) != 0 || @_dual(work->x, work->after, z) != 0) return 1;\n"
    "    for (int i = 0; i < $_N; i++) work->r[i] = work->p1[i] - (y[i] + z[i])/2;\n"
    "    return 0;\n"
    "}\n"
    "\n"
    "/* dr/dv = p_v + (h/2) p_q - (h/2) (w_v + (h/2) w_q), and the terms of T. */\n"
    "static void @_jacobian(struct @_work *work, double h)\n"
    "{\n"
    "    const double *const d = work->d1;\n"
    "    for (int i = 0; i < $_N; i++) {\n"
    "        for (int k = 0; k < $_N; k++) work->j[i][k] = 0;\n"
    "    }\n"
    "    for (int e = 0; e < $_NZ; e++) {\n"
    "        work->j[@_row[e]][@_col[e]] +=\n"
    "            d[e] + h/2*(d[$_NZ + e] - d[2*$_NZ + e] - h/2*d[3*$_NZ + e]);\n"
    "    }\n"
    "    @_add_turns(work, h);\n"
    "}\n"
    "\n"
    "/* q = q1 tau(x), p = m + h w in the frame of q. */\n"
    "static void @_finish(struct @_work *work, double h, double *q, double *p)\n"
    "{\n"
    "    (void)h;\n"
    "    @_carry(work->x, work->after, p);\n"
    "    @_move(q, work->q1, work->x);\n"
    "}\n"
    "\n";

static const char step[] =
    "/* Advances (q, p) from t to t + h. Returns 0, or 1 with (q, p) unchanged if Newton's\n"
    " * method did not converge or an angle left the domain of tau. It iterates until corrections\n"
    " * no longer shrink. */\n"
    "int @_step(struct @_work *work, double t, double h, double *q, double *p)\n"
    "{\n"
    "    double last = HUGE_VAL, size = 0;\n"
    "    for (int i = 0; i < $_NP; i++) {\n"
    "        if (!(fabs(q[i]) <= size)) size = fabs(q[i]);\n"
    "    }\n"
    "    for (int iteration = 0;; iteration++) {\n"
    "        double correction = 0;\n"
    "        if (iteration == $_ITERATIONS || @_residual(work, t, h, q, p) != 0) return 1;\n"
    "        @_jacobian(work, h);\n"
    "        if (@_solve(work) != 0) return 1;\n"
    "        for (int i = 0; i < $_N; i++) {\n"
    "            work->v[i] -= work->r[i];\n"
    "            if (!(fabs(h*work->r[i]) <= correction)) correction = fabs(h*work->r[i]);\n"
    "        }\n"
    "        if (!(correction < HUGE_VAL)) return 1;\n"
    "        if (correction >= last/2 && correction <= 1e-12*size) break;\n"
    "        if (correction <= 1e-18*size) break;\n"
    "        last = correction;\n"
    "    }\n"
    "    if (@_residual(work, t, h, q, p) != 0) return 1;\n"
    "    @_finish(work, h, q, p);\n"
    "    return 0;\n"
    "}\n";

static const char *turn_text(const char *retraction) {
    if (strcmp(retraction, "exp") == 0) return turn_exp;
    if (strcmp(retraction, "skew") == 0) return turn_skew;
    return strcmp(retraction, "cay") == 0 ? turn_cay : turn_new;
}

static const char *pose_text(const struct noe_system *system, const char *retraction) {
    bool has_poses = false;
    for (int i = 0; i < system->nfactors; i++)
        has_poses = has_poses || system->factors[i].space->kind.algebra == NOE_ALGEBRA_SE3;
    if (!has_poses) return poses_none;
    if (strcmp(retraction, "exp") == 0) return poses_exp;
    return strcmp(retraction, "shift") == 0 ? poses_shift : poses_mean;
}

static void write_factors(struct writer *out, const struct export_names *names,
                          const struct noe_system *system) {
    export_stepper_template(out, names, "/* Factors of q, in order. */\nenum { $_FACTORS = ");
    writer_print(out, "%d };\n", system->nfactors);
    export_stepper_template(out, names,
                            "static const struct { int is_group, size; } @_factor[$_FACTORS] = {");
    for (int i = 0; i < system->nfactors; i++) {
        const struct noe_factor *factor = &system->factors[i];
        writer_print(out, "%s{%d, %d}", i ? ", " : "", factor->space->retractions != 0,
                     factor->space->tangent * factor->size);
    }
    writer_put(out, "};\n\n");
}

void export_stepper_groups(struct writer *out, const struct export_names *names,
                           const struct noe_system *system, const struct export_method *method) {
    const struct export_groups *groups = method->groups;
    writer_put(out, "\n");
    export_stepper_template(out, names, head);
    write_factors(out, names, system);
    export_stepper_template(out, names, turn_head);
    export_stepper_template(out, names, turn_text(groups->retraction));
    export_stepper_template(out, names, rotations);
    export_stepper_template(out, names, pose_text(system, groups->retraction));
    export_stepper_template(out, names, products);
    if (!groups->in_middle) {
        export_stepper_template(out, names, "static const double @_b0 = ");
        writer_number(out, groups->b0, "");
        export_stepper_template(out, names, ", @_b1 = ");
        writer_number(out, groups->b1, "");
        writer_put(out, ";\n\n");
    }
    export_stepper_template(out, names, groups->in_middle ? midpoint_equations : ends_equations);
    export_stepper_template(out, names, export_stepper_solve);
    export_stepper_template(out, names, step);
}
