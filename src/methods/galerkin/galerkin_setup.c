/* Galerkin methods: sparsity pattern, dense output and tangent map. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "methods/galerkin/galerkin.h"

int galerkin_sparsity(const struct noe_problem *problem, int *row, int *col) {
    const struct noe_system *system = problem->system;
    const int modes = galerkin_of(problem)->modes, n = system->n, nz = system->nz;
    for (int b = 0; row && b < modes * modes; b++)
        for (int e = 0; e < nz; e++) {
            row[b * nz + e] = b / modes * n + (system->row ? system->row[e] : e / n);
            col[b * nz + e] = b % modes * n + (system->row ? system->col[e] : e % n);
        }
    return modes * modes * nz;
}

/* Dense output. P_(j+1) follows from P_j and P_(j-1) by the Legendre recurrence, and int_0^x P_j =
 * (P_(j+1) - P_(j-1))/(4j+2). */
void galerkin_dense_output(struct noe_interval *interval, const noe_real *u, noe_real x,
                           noe_real *q, noe_real *v) {
    const struct galerkin_view at = galerkin_view(interval);
    const real y = 2 * x - 1;
    real last = 1, now = 1, next = y; /* P_(j-1), P_j, P_(j+1) */
    for (int i = 0; i < at.n; i++) {
        q[i] = interval->from->q[i] + at.h * x * u[i];
        v[i] = u[i];
    }
    for (int j = 1; j < at.modal->modes; j++) {
        last = now;
        now = next;
        next = ((2 * j + 1) * y * now - j * last) / (j + 1);
        const real path = at.h * (next - last) / (4 * j + 2);
        for (int i = 0; i < at.n; i++) {
            q[i] += path * u[j * at.n + i];
            v[i] += now * u[j * at.n + i];
        }
    }
}

/* All points vary by dq, so dR_i = sum_k (momentum_ik p_q - h force_ik w_q) dq - start_i dp. */
static void residual_tangent(struct noe_interval *interval, const noe_real *dz, noe_real *r) {
    const struct galerkin_view at = galerkin_view(interval);
    const struct galerkin *modal = at.modal;
    for (int i = 0; i < modal->modes; i++, r += at.n) {
        for (int l = 0; l < at.n; l++) r[l] = -modal->start[i] * dz[at.n + l];
        for (int k = 0; k < modal->nodes; k++) {
            pattern_add_product(at.system, modal->momentum[i][k], galerkin_block(&at, k, 1), dz, r);
            pattern_add_product(at.system, -at.h * modal->force[i][k], galerkin_block(&at, k, 3),
                                dz, r);
        }
    }
}

/* dq1 = dq + h dc_0, dp1 = p_v dv1 + p_q dq1, dv1 = sum_j dc_j. */
static void update_tangent(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                           noe_real *dz1) {
    const struct galerkin_view at = galerkin_view(interval);
    const int n = at.n, last = at.modal->nodes - 1;
    real *dv = at.W + last * n;
    for (int i = 0; i < n; i++) {
        dz1[i] = dz[i] + at.h * du[i];
        dz1[n + i] = dv[i] = 0;
        for (int j = 0; j < at.modal->modes; j++) dv[i] += du[j * n + i];
    }
    pattern_add_product(at.system, 1, galerkin_block(&at, last, 0), dv, dz1 + n);
    pattern_add_product(at.system, 1, galerkin_block(&at, last, 1), dz1, dz1 + n);
}

const struct scheme_tangent galerkin_tangent = {residual_tangent, update_tangent};

/* Writes hexadecimal numbers, which are exact. */
static void write_matrix(FILE *out, const char *name, int rows, int cols, int stride,
                         const scalar *x) {
    fprintf(out, "    .%s = {", name);
    for (int i = 0; i < rows; i++) {
        fputs("{", out);
        for (int j = 0; j < cols; j++) fprintf(out, "%a,", (double)x[i * stride + j]);
        fputs("},", out);
    }
    fputs("},\n", out);
}

static void write_vector(FILE *out, const char *name, int count, const scalar *x) {
    fprintf(out, "    .%s = {", name);
    for (int i = 0; i < count; i++) fprintf(out, "%a,", (double)x[i]);
    fputs("},\n", out);
}

void galerkin_write_coefficients(FILE *out, const struct noe_problem *problem) {
    const struct galerkin *m = galerkin_of(problem);
    fprintf(out, "{\n    .modes = %d, .nodes = %d,\n", m->modes, m->nodes);
    write_vector(out, "time", m->nodes, m->time);
    write_matrix(out, "mode", m->nodes, m->modes, GALERKIN_MODES_MAX, m->mode[0]);
    write_matrix(out, "path", m->nodes, m->modes, GALERKIN_MODES_MAX, m->path[0]);
    write_matrix(out, "momentum", m->modes, m->nodes, GALERKIN_NODES_MAX, m->momentum[0]);
    write_matrix(out, "force", m->modes, m->nodes, GALERKIN_NODES_MAX, m->force[0]);
    write_vector(out, "start", m->modes, m->start);
    fputs("}", out);
}
