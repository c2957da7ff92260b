/* Alignment of shapes: the rotation that maximises the correlation. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/optimise/optimise.h"
#include "study/shape/shape.h"

enum { SEARCH_BAND = 16, CANDIDATES = 16, SWEEPS = 30 };

/* Parameters of accelerated descent by Sharma (2020, section 7.3.2), relative to 1/curvature. */
static const real MOMENTUM = (real)0.15, KICK = (real)1.2;

/* Fraction of the largest curvature below which an axis counts as undetermined. */
static const real FLAT = (real)1e-7;

static int common_band(const struct noe_shape *f, const struct noe_shape *g) {
    return f->band < g->band ? f->band : g->band;
}

/* |f_l| |g_l|, the largest possible contribution of degree l. */
static real share(const struct noe_shape *f, const struct noe_shape *g, int l) {
    return noe_sqrt(shape_power(f, l)) * noe_sqrt(shape_power(g, l));
}

static int choose_band(const struct noe_shape *f, const struct noe_shape *g, int asked) {
    const int both = common_band(f, g);
    if (asked > 0) return asked < both ? asked : both;
    real all = 0, low = 0;
    int band = 1;
    for (int l = 1; l < both; l++) all += share(f, g, l);
    while (band < both && (band < SEARCH_BAND || low < all / 2)) low += share(f, g, band++);
    return band;
}

/* Refines R with the degrees below `band` until the gradient is below `tolerance` times the bound
 * of the curvature, the sum of l^2 |f_l| |g_l|. */
static enum noe_status refine(const struct noe_shape *f, const struct noe_shape *g, int band,
                              real tolerance, real *R, struct noe_descent_result *result,
                              struct noe_error *error) {
    char method[200], number[2][48];
    struct noe_objective *objective;
    real bound = 0;
    for (int l = 1; l < band; l++) bound += (real)l * l * share(f, g, l);
    const enum noe_status made = noe_shape_objective(&objective, f, g, band, error);
    if (made != NOE_OK) return made;
    real_print(number[0], sizeof number[0], noe_sqrt(1 / bound));
    real_print(number[1], sizeof number[1], KICK * noe_sqrt(1 / bound));
    snprintf(method, sizeof method, "agd h=%s epsilon=%s mu=%g", number[0], number[1],
             (double)MOMENTUM);
    const struct noe_descent_settings settings = {
        .method = method, .tolerance = tolerance * bound, .iterations = 20000};
    const enum noe_status status = noe_minimise(objective, &settings, R, result, error);
    noe_objective_free(objective);
    return status;
}

static real angle_cosine(const real *A, const real *B) {
    real trace = 0;
    for (int i = 0; i < 9; i++) trace += A[i] * B[i];
    return (trace - 1) / 2;
}

/* Refines the candidates with the low degrees, removes duplicates, and evaluates the rest with all
 * degrees. The best comes first. */
static enum noe_status refine_candidates(const struct noe_shape *f, const struct noe_shape *g,
                                         int band, struct shape_candidate *list, int *count,
                                         struct noe_error *error) {
    struct noe_descent_result result;
    struct noe_objective *objective;
    real gradient[3];
    const real same = noe_cos((real)0.25 / band);
    enum noe_status status = noe_shape_objective(&objective, f, g, 0, error);
    int kept = 0;
    for (int i = 0; i < *count && status == NOE_OK; i++) {
        struct shape_candidate next = list[i];
        status = refine(f, g, band, (real)1e-6, next.R, &result, error);
        if (status > 0) status = NOE_OK; /* the maximum is flat; the result is still valid */
        bool is_known = false;
        for (int k = 0; k < kept; k++) is_known |= angle_cosine(list[k].R, next.R) > same;
        if (is_known) continue;
        next.value = -objective->evaluate(objective, next.R, gradient);
        int at = kept++;
        for (; at > 0 && list[at - 1].value < next.value; at--) list[at] = list[at - 1];
        list[at] = next;
    }
    noe_objective_free(objective);
    *count = kept;
    return status;
}

/* Eigenvalues of a symmetric 3 x 3 matrix by Jacobi rotations, in increasing order. */
static void eigenvalues(real A[3][3], real *value) {
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (A[p][q] == 0) continue;
                const real theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
                const real t =
                    (theta < 0 ? -1 : 1) / (noe_abs(theta) + noe_sqrt(theta * theta + 1));
                const real c = 1 / noe_sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 3; k++) {
                    const real a = A[k][p], b = A[k][q];
                    A[k][p] = c * a - s * b;
                    A[k][q] = s * a + c * b;
                }
                for (int k = 0; k < 3; k++) {
                    const real a = A[p][k], b = A[q][k];
                    A[p][k] = c * a - s * b;
                    A[q][k] = s * a + c * b;
                }
            }
    for (int i = 0; i < 3; i++) {
        int at = i;
        for (; at > 0 && value[at - 1] > A[i][i]; at--) value[at] = value[at - 1];
        value[at] = A[i][i];
    }
}

/* The second derivative of -<g, U(R exp(x)) f> at x = 0 is the symmetric part of -<h, A_i A_j f>,
 * where h = U(R)^T g. A_i is skew, so it equals that of <A_i h, A_j f>. `room` holds 6 shapes. */
static void add_curvature(int band, const real *h, const real *f, real *room, real A[3][3]) {
    const size_t count = (size_t)band * (size_t)band;
    for (int i = 0; i < 3; i++) {
        shape_rate(band, i, h, room + (size_t)i * count);
        shape_rate(band, i, f, room + (size_t)(3 + i) * count);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const real *a = room + (size_t)i * count, *b = room + (size_t)(3 + j) * count;
            real sum = 0;
            for (size_t k = 1; k < count; k++) sum += a[k] * b[k];
            A[i][j] += sum / 2;
            A[j][i] += sum / 2;
        }
}

static enum noe_status measure(const struct noe_shape *f, const struct noe_shape *g,
                               struct noe_shape_match *match, struct noe_error *error) {
    const int band = common_band(f, g);
    const size_t count = (size_t)band * (size_t)band;
    struct shape_turn turn = {0};
    real *h = calloc(7 * count, sizeof *h), A[3][3] = {{0}};
    real ff = 0, gg = 0, fg = 0, left = 0;
    if (!h || !shape_turn_make(&turn, band)) {
        shape_turn_clear(&turn);
        free(h);
        return status_set(error, NOE_NO_MEMORY, "out of memory for a match");
    }
    shape_turn_back(&turn, match->R, g->c, h);
    add_curvature(band, h, f->c, h + count, A);
    for (int l = 1; l < f->band; l++) ff += shape_power(f, l);
    for (int l = 1; l < g->band; l++) gg += shape_power(g, l);
    for (size_t k = 1; k < count; k++) {
        fg += h[k] * f->c[k];
        left += (h[k] - f->c[k]) * (h[k] - f->c[k]);
    }
    for (int l = band; l < f->band; l++) left += shape_power(f, l);
    for (int l = band; l < g->band; l++) left += shape_power(g, l);
    const real size = noe_sqrt(ff) * noe_sqrt(gg);
    eigenvalues(A, match->curvature);
    for (int i = 0; i < 3; i++) match->curvature[i] /= size;
    match->correlation = fg / size;
    match->gradient_norm /= size;
    match->runner_up /= size;
    match->residual = noe_sqrt(left / gg);
    shape_turn_clear(&turn);
    free(h);
    return NOE_OK;
}

static enum noe_status check(const struct noe_shape *f, const struct noe_shape *g,
                             struct noe_error *error) {
    real sum = 0;
    for (int l = 1; l < common_band(f, g); l++) sum += share(f, g, l);
    if (sum > 0 && real_is_finite(sum)) return NOE_OK;
    if (!real_is_finite(sum))
        return status_set(error, NOE_BAD_INPUT, "a coefficient of a shape is not finite");
    return status_set(
        error, NOE_BAD_INPUT,
        "the shapes have no degree from 1 on in common: every rotation matches alike");
}

enum noe_status noe_shape_match(const struct noe_shape *f, const struct noe_shape *g,
                                int search_band, struct noe_shape_match *match,
                                struct noe_error *error) {
    struct shape_candidate list[CANDIDATES];
    struct noe_descent_result result;
    enum noe_status status = check(f, g, error);
    *match = (struct noe_shape_match){.runner_up = (real)NAN};
    if (status != NOE_OK) return status;
    match->search_band = choose_band(f, g, search_band);
    match->maxima = shape_search(f, g, match->search_band, CANDIDATES, list, &match->grid);
    if (match->maxima < 0) return status_set(error, NOE_NO_MEMORY, "out of memory for the grid");
    status = refine_candidates(f, g, match->search_band, list, &match->maxima, error);
    if (status != NOE_OK) return status;
    memcpy(match->R, list[0].R, sizeof match->R);
    if (match->maxima > 1) match->runner_up = list[1].value;
    status = refine(f, g, common_band(f, g), (real)1e-12, match->R, &result, error);
    match->iterations = result.iterations;
    match->gradient_norm = result.gradient_norm;
    const enum noe_status measured = measure(f, g, match, error);
    if (status != NOE_OK || measured != NOE_OK) return status != NOE_OK ? status : measured;
    if (match->curvature[0] > FLAT * match->curvature[2]) return NOE_OK;
    return status_set(error, NOE_SINGULAR,
                      "the rotation is not determined: the correlation does not change about some "
                      "axis (curvatures %.2g, %.2g, %.2g)",
                      (double)match->curvature[0], (double)match->curvature[1],
                      (double)match->curvature[2]);
}
