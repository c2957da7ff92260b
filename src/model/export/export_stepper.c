/* Step functions of an exported model, from templates in which names and numbers are
 * substituted. */
/* SPDX-License-Identifier: MIT */
#include "model/export/export_stepper.h"

#include <string.h>

void export_stepper_template(struct writer *out, const struct export_names *names,
                             const char *text) {
    while (*text) {
        const size_t plain = strcspn(text, "@$");
        writer_bytes(out, text, plain);
        text += plain;
        if (*text == '@') writer_put(out, names->lower);
        if (*text == '$') writer_put(out, names->upper);
        if (*text) text++;
    }
}

void export_stepper_array(struct writer *out, const char *head, int count, const real *value) {
    writer_print(out, "%s = {", head);
    size_t start = out->length;
    for (int i = 0; i < count; i++) {
        const bool is_full = i == 0 || out->length - start > 70;
        if (is_full) {
            writer_put(out, "\n    ");
            start = out->length;
        }
        writer_number(out, value[i], "");
        writer_put(out, i + 1 < count ? ", " : "\n");
    }
    writer_put(out, "};\n");
}

static const char splitting_head[] =
    "struct @_work {\n"
    "    double v[$_N], w[$_N];\n"
    "};\n"
    "\n"
    "/* p = L_v at the start. */\n"
    "void @_start(struct @_work *work, double t, const double *q, const double *v, double *p)\n"
    "{\n"
    "    for (int i = 0; i < $_N; i++) work->v[i] = v[i];\n"
    "    @_first(t, q, v, p, work->w);\n"
    "}\n"
    "\n";

static const char splitting_step[] =
    "/* Advances (q, p) from t to t + h. Returns 0. */\n"
    "int @_step(struct @_work *work, double t, double h, double *q, double *p)\n"
    "{\n"
    "    for (int k = 0; k < $_SUBSTEPS; k++) {\n"
    "        if (@_kick[k] != 0) {\n"
    "            @_force(t, q, work->v, work->w);\n"
    "            for (int i = 0; i < $_N; i++) p[i] += @_kick[k]*h*work->w[i];\n"
    "        }\n"
    "        for (int i = 0; i < $_N; i++) {\n"
    "            work->v[i] = p[i]/@_mass[i];\n"
    "            q[i] += @_drift[k]*h*work->v[i];\n"
    "        }\n"
    "        t += @_drift[k]*h;\n"
    "    }\n"
    "    return 0;\n"
    "}\n";

void export_stepper_splitting(struct writer *out, const struct export_names *names, int n,
                              const real *mass, const struct export_method *method) {
    struct writer line = {0};
    export_stepper_template(&line, names, "enum { $_SUBSTEPS = ");
    writer_print(out, "\n%s%d };\n\n", line.text ? line.text : "", method->nsubsteps);
    writer_clear(&line);
    export_stepper_template(out, names, splitting_head);
    export_stepper_template(out, names, "static const double @_mass[$_N]");
    export_stepper_array(out, "", n, mass);
    export_stepper_template(out, names, "static const double @_kick[$_SUBSTEPS]");
    export_stepper_array(out, "", method->nsubsteps, method->kick);
    export_stepper_template(out, names, "static const double @_drift[$_SUBSTEPS]");
    export_stepper_array(out, "", method->nsubsteps, method->drift);
    writer_put(out, "\n");
    export_stepper_template(out, names, splitting_step);
}

static const char stages_head[] =
    "enum { $_UNKNOWNS = $_STAGES*$_N, $_ITERATIONS = 50 };\n"
    "\n"
    "/* Memory of one run: the stages' velocities V, forces W and the linear system. */\n"
    "struct @_work {\n"
    "    double v[$_STAGES][$_N], w[$_STAGES][$_N], momentum[$_STAGES][$_N];\n"
    "    double d[$_STAGES][4*$_NZ];\n"
    "    double r[$_UNKNOWNS], j[$_UNKNOWNS][$_UNKNOWNS];\n"
    "};\n"
    "\n"
    "/* p = L_v at the start; v is the initial guess of the velocities. */\n"
    "void @_start(struct @_work *work, double t, const double *q, const double *v, double *p)\n"
    "{\n"
    "    for (int k = 0; k < $_STAGES; k++) {\n"
    "        for (int i = 0; i < $_N; i++) work->v[k][i] = v[i];\n"
    "    }\n"
    "    @_first(t, q, v, p, work->w[0]);\n"
    "}\n"
    "\n";

static const char stages_residual[] =
    "/* Q_k = q + h sum_l a_kl V_l. */\n"
    "static void @_stage(const struct @_work *work, int k, double h, const double *q,\n"
    "    double *stage)\n"
    "{\n"
    "    for (int i = 0; i < $_N; i++) {\n"
    "        double sum = 0;\n"
    "        for (int l = 0; l < $_STAGES; l++) sum += @_a[k*$_STAGES + l]*work->v[l][i];\n"
    "        stage[i] = q[i] + h*sum;\n"
    "    }\n"
    "}\n"
    "\n"
    "/* r_k = L_v(Q_k, V_k) - p - h sum_l ahat_kl W_l. */\n"
    "static void @_residual(struct @_work *work, double t, double h, const double *q,\n"
    "    const double *p)\n"
    "{\n"
    "    double stage[$_N];\n"
    "    for (int k = 0; k < $_STAGES; k++) {\n"
    "        @_stage(work, k, h, q, stage);\n"
    "        @_second(t + @_c[k]*h, stage, work->v[k],\n"
    "            work->momentum[k], work->w[k], work->d[k]);\n"
    "    }\n"
    "    for (int k = 0; k < $_STAGES; k++) {\n"
    "        for (int i = 0; i < $_N; i++) {\n"
    "            double sum = 0;\n"
    "            for (int l = 0; l < $_STAGES; l++) sum += @_ahat[k*$_STAGES + l]*work->w[l][i];\n"
    "            work->r[k*$_N + i] = work->momentum[k][i] - p[i] - h*sum;\n"
    "        }\n"
    "    }\n"
    "}\n"
    "\n"
    "/* dr_k/dV_m = [k = m] p_v + h a_km p_q - h sum_l ahat_kl ([l = m] w_v + h a_lm w_q). */\n"
    "static void @_jacobian(struct @_work *work, double h)\n"
    "{\n"
    "    for (int i = 0; i < $_UNKNOWNS; i++) {\n"
    "        for (int j = 0; j < $_UNKNOWNS; j++) work->j[i][j] = 0;\n"
    "    }\n"
    "    for (int k = 0; k < $_STAGES; k++) {\n"
    "        for (int m = 0; m < $_STAGES; m++) {\n"
    "            for (int e = 0; e < $_NZ; e++) {\n"
    "                double sum = h*@_a[k*$_STAGES + m]*work->d[k][$_NZ + e];\n"
    "                if (k == m) sum += work->d[k][e];\n"
    "                sum -= h*@_ahat[k*$_STAGES + m]*work->d[m][2*$_NZ + e];\n"
    "                for (int l = 0; l < $_STAGES; l++) {\n"
    "                    sum -= h*h*@_ahat[k*$_STAGES + l]*@_a[l*$_STAGES + m]\n"
    "                           *work->d[l][3*$_NZ + e];\n"
    "                }\n"
    "                work->j[k*$_N + @_row[e]][m*$_N + @_col[e]] = sum;\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "}\n"
    "\n";

const char export_stepper_solve[] =
    "/* Solves j x = r by Gaussian elimination with pivoting, x in place of r; 1 if singular. */\n"
    "static int @_solve(struct @_work *work)\n"
    "{\n"
    "    for (int k = 0; k < $_UNKNOWNS; k++) {\n"
    "        int pivot = k;\n"
    "        for (int i = k + 1; i < $_UNKNOWNS; i++) {\n"
    "            if (fabs(work->j[i][k]) > fabs(work->j[pivot][k])) pivot = i;\n"
    "        }\n"
    "        if (!(fabs(work->j[pivot][k]) > 0)) return 1;\n"
    "        for (int j = 0; j < $_UNKNOWNS; j++) {\n"
    "            const double kept = work->j[k][j];\n"
    "            work->j[k][j] = work->j[pivot][j];\n"
    "            work->j[pivot][j] = kept;\n"
    "        }\n"
    "        const double kept = work->r[k];\n"
    "        work->r[k] = work->r[pivot];\n"
    "        work->r[pivot] = kept;\n"
    "        for (int i = k + 1; i < $_UNKNOWNS; i++) {\n"
    "            const double factor = work->j[i][k]/work->j[k][k];\n"
    "            if (factor == 0) continue;\n"
    "            for (int j = k + 1; j < $_UNKNOWNS; j++) work->j[i][j] -= factor*work->j[k][j];\n"
    "            work->r[i] -= factor*work->r[k];\n"
    "        }\n"
    "    }\n"
    "    for (int k = $_UNKNOWNS - 1; k >= 0; k--) {\n"
    "        for (int j = k + 1; j < $_UNKNOWNS; j++) work->r[k] -= work->j[k][j]*work->r[j];\n"
    "        work->r[k] /= work->j[k][k];\n"
    "    }\n"
    "    return 0;\n"
    "}\n"
    "\n";

static const char stages_step[] =
    "/* Advances (q, p) from t to t + h. Returns 0, or 1 with (q, p) unchanged if Newton's\n"
    " * method did not converge. One correction follows the first small one. */\n"
    "int @_step(struct @_work *work, double t, double h, double *q, double *p)\n"
    "{\n"
    "    int is_small = 0, converged = 0;\n"
    "    for (int iteration = 0; iteration < $_ITERATIONS && !converged; iteration++) {\n"
    "        double correction = 0, size = 0;\n"
    "        @_residual(work, t, h, q, p);\n"
    "        @_jacobian(work, h);\n"
    "        if (@_solve(work) != 0) return 1;\n"
    "        for (int k = 0; k < $_UNKNOWNS; k++) {\n"
    "            double *const v = &work->v[k/$_N][k%$_N];\n"
    "            *v -= work->r[k];\n"
    "            if (!(fabs(work->r[k]) <= correction)) correction = fabs(work->r[k]);\n"
    "            if (!(fabs(h*(*v)) <= size)) size = fabs(h*(*v));\n"
    "            if (!(fabs(q[k%$_N]) <= size)) size = fabs(q[k%$_N]);\n"
    "        }\n"
    "        if (!(correction < HUGE_VAL)) return 1;\n"
    "        converged = is_small;\n"
    "        is_small = fabs(h*correction) <= 1e-9*size;\n"
    "    }\n"
    "    if (!converged) return 1;\n"
    "    @_residual(work, t, h, q, p);\n"
    "    for (int i = 0; i < $_N; i++) {\n"
    "        double dq = 0, dp = 0;\n"
    "        for (int k = 0; k < $_STAGES; k++) {\n"
    "            dq += @_b[k]*work->v[k][i];\n"
    "            dp += @_bhat[k]*work->w[k][i];\n"
    "        }\n"
    "        q[i] += h*dq;\n"
    "        p[i] += h*dp;\n"
    "    }\n"
    "    return 0;\n"
    "}\n";

static void write_table(struct writer *out, const struct export_names *names, const char *head,
                        int count, const real *value) {
    export_stepper_template(out, names, head);
    export_stepper_array(out, "", count, value);
}

void export_stepper_stages(struct writer *out, const struct export_names *names,
                           const struct export_method *method) {
    const int s = method->stages;
    export_stepper_template(out, names, "\nenum { $_STAGES = ");
    writer_print(out, "%d };\n", s);
    export_stepper_template(out, names, stages_head);
    write_table(out, names, "static const double @_a[$_STAGES*$_STAGES]", s * s, method->a);
    write_table(out, names, "static const double @_ahat[$_STAGES*$_STAGES]", s * s, method->ahat);
    write_table(out, names, "static const double @_b[$_STAGES]", s, method->b);
    write_table(out, names, "static const double @_bhat[$_STAGES]", s, method->bhat);
    write_table(out, names, "static const double @_c[$_STAGES]", s, method->c);
    writer_put(out, "\n");
    export_stepper_template(out, names, stages_residual);
    export_stepper_template(out, names, export_stepper_solve);
    export_stepper_template(out, names, stages_step);
}
