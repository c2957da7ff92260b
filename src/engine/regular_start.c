/* Regularity of the equations of motion at the start.
 *
 * Along a motion p_v v' = w - g_q^T lambda - p_q v - p_t, and psi_v v' is given. Let T be the null
 * space of psi_v, and N the vectors z of T with y.p_v z = 0 for all y of T. If N = 0, accelerations
 * and multipliers follow (the matrix of p_v and psi_v is regular). Else the equation along z of N
 * has no acceleration,
 *     z.(w - p_q v - p_t) = 0,
 * and determines the velocity along N if B = p_q - w_v is regular there. Without forces and for an
 * L linear in v, B = theta_q - theta_q^T is the symplectic form. If B is singular on N, the
 * equation restricts the configuration, or it says nothing at all. */
/* SPDX-License-Identifier: MIT */
#include "engine/regular_start.h"

#include <stdlib.h>
#include <string.h>

#include "linalg/null_space.h"
#include "mechanics/constraint.h"
#include "spaces/product.h"

enum { SIZE_MAX_DENSE = 400 }; /* larger matrices take too long */
/* Pivots of scaled matrices at most this large count as zero. */
static const scalar least_pivot = 1e-10;

/* Dense matrices at the start, scaled so that the largest entry of each row of p_v is about 1. */
struct start_matrices {
    int n, m;
    int *order;
    real *scale; /* v = y/scale */
    real *M, *B; /* p_v and p_q - w_v, n x n */
    real *A;     /* psi_v, m x n */
    real *T, *N; /* bases: rows of n numbers */
    real *X, *Y; /* n x n scratch */
    real *p, *d, *c, *e, *v;
};

static bool carve(struct start_matrices *at, const struct noe_system *system, real **memory) {
    const size_t n = (size_t)system->n, m = (size_t)constraint_count(system), nn = n * n;
    const size_t nz = (size_t)system->nz, nzc = (size_t)system->nzc;
    const size_t rows = m > n ? m : n;
    *memory = calloc(6 * nn + rows * n + 4 * n + m + 4 * nz + 2 * nzc + 3 * m + 1, sizeof **memory);
    at->order = calloc(n + 1, sizeof *at->order);
    if (!*memory || !at->order) return false;
    at->n = system->n;
    at->m = (int)m;
    at->M = *memory;
    at->B = at->M + nn;
    at->T = at->B + nn;
    at->N = at->T + nn;
    at->X = at->N + nn;
    at->Y = at->X + nn;
    at->A = at->Y + nn;
    at->scale = at->A + rows * n;
    at->p = at->scale + n;
    at->v = at->p + 2 * n;
    at->d = at->v + n + m;
    at->e = at->d + 4 * nz;
    at->c = at->e + 2 * nzc;
    return true;
}

/* M, B and A at (t,q,v), with zero multipliers. */
static void evaluate(struct start_matrices *at, const struct noe_system *system, real t,
                     const real *q, const real *v) {
    const int n = at->n, nz = system->nz;
    memcpy(at->v, v, (size_t)n * sizeof *v);
    system->second(system, t, q, at->v, at->p, at->p + n, at->d);
    for (int k = 0; k < nz; k++) {
        const int row = system->row ? system->row[k] : k / n;
        const int col = system->row ? system->col[k] : k % n;
        at->M[row * n + col] += at->d[k];
        at->B[row * n + col] += at->d[nz + k] - at->d[2 * nz + k];
    }
    if (at->m) system->constraints_second(system, t, q, at->v, at->c, at->e);
    for (int k = 0; at->m && k < system->nzc; k++)
        at->A[constraint_row(system, k) * n + constraint_col(system, k)] += at->e[k];
}

/* Divides rows and columns by the scale of their velocity, and rows of A by their largest entry. */
static void equilibrate(struct start_matrices *at) {
    const int n = at->n;
    for (int i = 0; i < n; i++) {
        real most = 0;
        for (int j = 0; j < n; j++) most = noe_max(most, noe_abs(at->M[i * n + j]));
        at->scale[i] = most > 0 ? noe_sqrt(most) : 1;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            at->M[i * n + j] /= at->scale[i] * at->scale[j];
            at->B[i * n + j] /= at->scale[i] * at->scale[j];
        }
    for (int a = 0; a < at->m; a++) {
        real most = 0, *row = at->A + a * n;
        for (int j = 0; j < n; j++) row[j] /= at->scale[j];
        for (int j = 0; j < n; j++) most = noe_max(most, noe_abs(row[j]));
        for (int j = 0; most > 0 && j < n; j++) row[j] /= most;
    }
}

/* X = V W V^T for the `count` rows of V. */
static void restrict_to(struct start_matrices *at, int count, const real *V, const real *W) {
    const int n = at->n;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < n; j++) {
            real sum = 0;
            for (int k = 0; k < n; k++) sum += V[i * n + k] * W[k * n + j];
            at->Y[i * n + j] = sum;
        }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            real sum = 0;
            for (int k = 0; k < n; k++) sum += at->Y[i * n + k] * V[j * n + k];
            at->X[i * count + j] = sum;
        }
}

/* Rows of `to`: the combinations of rows of V whose coefficients are the `count` rows of Y. */
static void combine(const struct start_matrices *at, int size, const real *V, int count, real *to) {
    const int n = at->n;
    memset(to, 0, (size_t)count * (size_t)n * sizeof *to);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < size; k++)
            for (int j = 0; j < n; j++) to[i * n + j] += at->Y[i * size + k] * V[k * n + j];
}

static real largest(size_t count, const real *x) {
    real most = 0;
    for (size_t i = 0; i < count; i++) most = noe_max(most, noe_abs(x[i]));
    return most;
}

/* The component of y that is largest, the first of equal ones. */
static int main_component(const struct start_matrices *at, const real *y) {
    int main = 0;
    for (int i = 1; i < at->n; i++)
        if (noe_abs(y[i]) > noe_abs(y[main]) * (1 + least_pivot)) main = i;
    return main;
}

static enum regular_start classify(struct start_matrices *at, int *component, bool *is_singular) {
    const int n = at->n;
    memcpy(at->X, at->M, (size_t)n * (size_t)n * sizeof *at->X);
    *is_singular = null_space(n, n, at->X, least_pivot, at->Y, at->order) > 0;
    if (!*is_singular && at->m == 0) return REGULAR_START_FULL;
    const int free = null_space(at->m, n, at->A, least_pivot, at->T, at->order);
    restrict_to(at, free, at->T, at->M);
    const int lost = null_space(free, free, at->X, least_pivot, at->Y, at->order);
    if (lost == 0) return REGULAR_START_FULL;
    combine(at, free, at->T, lost, at->N);
    restrict_to(at, lost, at->N, at->B);
    const real size = largest((size_t)n * (size_t)n, at->B);
    const int still = null_space(lost, lost, at->X, least_pivot * size, at->Y, at->order);
    if (still == 0 && at->m == 0) return REGULAR_START_FIRST_ORDER;
    if (still) combine(at, lost, at->N, 1, at->T);
    *component = main_component(at, still ? at->T : at->N);
    return REGULAR_START_NONE;
}

enum regular_start regular_start_find(const struct noe_system *system, noe_real t,
                                      const noe_real *q, const noe_real *v, int *component,
                                      bool *is_singular) {
    struct start_matrices at = {0};
    real *memory = NULL;
    *is_singular = false;
    if (system->n > SIZE_MAX_DENSE || product_has_groups(system)) return REGULAR_START_FULL;
    enum regular_start found = REGULAR_START_NO_MEMORY;
    if (carve(&at, system, &memory)) {
        evaluate(&at, system, t, q, v);
        equilibrate(&at);
        found = real_all_finite((size_t)system->n * (size_t)system->n, at.M)
                    ? classify(&at, component, is_singular)
                    : REGULAR_START_FULL;
    }
    free(memory);
    free(at.order);
    return found;
}

const char *regular_start_words(const struct noe_system *system) {
    return constraint_count(system)
               ? "has no inertia along the constraints: the mass matrix is singular there, so that "
                 "no equation gives its acceleration; give it a mass, or constrain it"
               : "has no inertia: the mass matrix is singular, and no equation gives its "
                 "acceleration or its velocity; give it a mass, or state it by 'let' in terms of "
                 "the others";
}
