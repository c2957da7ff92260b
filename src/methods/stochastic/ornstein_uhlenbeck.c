/* Exact solution of the Ornstein-Uhlenbeck process over one step: friction and noise of a heat
 * bath.
 *
 * phi and S follow from their Taylor series over a short time and from
 *
 *     phi(2s) = (1 + E(s)) phi(s),    S(2s) = S(s) + E(s) S(s) E(s)^T,    E = 1 - A phi. */
/* SPDX-License-Identifier: MIT */
#include "methods/stochastic/ornstein_uhlenbeck.h"

enum {
    ORNSTEIN_UHLENBECK_TERMS =
        sizeof(scalar) > sizeof(double) ? 24 : 13, /* 0.25 to this power is round-off */
    ORNSTEIN_UHLENBECK_HALVINGS_MAX = 64
};
static const scalar ornstein_uhlenbeck_short = 0.125; /* largest |A| times the short time */
static const scalar ornstein_uhlenbeck_rest =
    32 * NOE_EPSILON; /* relative to S; smaller remainders are round-off */

/* C = A B, all n x n. */
static void ornstein_uhlenbeck_multiply(int n, real *restrict C, const real *A, const real *B) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            real sum = {0};
            for (int k = 0; k < n; k++) sum += A[i * n + k] * B[k * n + j];
            C[i * n + j] = sum;
        }
}

/* The fraction 2^-k of h over which |A| is small, lane by lane. */
static real ornstein_uhlenbeck_part(const struct ornstein_uhlenbeck *bath, real h) {
    real largest = {0}, part = real_broadcast(1);
    for (int i = 0; i < bath->n; i++) {
        real sum = {0};
        for (int j = 0; j < bath->n; j++) sum += noe_abs(bath->A[i * bath->n + j]);
        largest = real_max(sum, largest);
    }
    largest *= noe_abs(h);
    for (int k = 0; k < ORNSTEIN_UHLENBECK_HALVINGS_MAX; k++) {
        const mask is_long = largest * part > ornstein_uhlenbeck_short;
        if (!mask_any(is_long)) break;
        part = real_select(is_long, 0.5 * part, part);
    }
    return part;
}

/* phi = sum_k s (-sA)^k/(k+1)!. */
static void ornstein_uhlenbeck_series_phi(const struct ornstein_uhlenbeck *bath, real s) {
    const int n = bath->n;
    real *x = bath->x, *y = bath->y;
    for (int e = 0; e < n * n; e++) bath->phi[e] = x[e] = e % (n + 1) == 0 ? s : real_broadcast(0);
    for (int k = 1; k < ORNSTEIN_UHLENBECK_TERMS; k++) {
        const real factor = -s / (scalar)(k + 1);
        ornstein_uhlenbeck_multiply(n, y, bath->A, x);
        for (int e = 0; e < n * n; e++) bath->phi[e] += x[e] = factor * y[e];
    }
}

/* S = sum_k s^(k+1)/(k+1)! D^k b b^T, where D X = -(A X + X A^T). */
static void ornstein_uhlenbeck_series_covariance(const struct ornstein_uhlenbeck *bath, real s) {
    const int n = bath->n, m = bath->m;
    real *x = bath->x, *y = bath->y;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            real sum = {0};
            for (int k = 0; k < m; k++) sum += bath->b[i * m + k] * bath->b[j * m + k];
            bath->S[i * n + j] = x[i * n + j] = s * sum;
        }
    for (int k = 1; k < ORNSTEIN_UHLENBECK_TERMS; k++) {
        const real factor = -s / (scalar)(k + 1);
        ornstein_uhlenbeck_multiply(n, y, bath->A, x);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                bath->S[i * n + j] += x[i * n + j] = factor * (y[i * n + j] + y[j * n + i]);
    }
}

/* Doubles the time from s to 2s in the lanes `where`. */
static void ornstein_uhlenbeck_double(const struct ornstein_uhlenbeck *bath, mask where) {
    const int n = bath->n;
    real *x = bath->x, *y = bath->y;
    ornstein_uhlenbeck_multiply(n, y, bath->F, bath->S);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            real sum = {0};
            for (int k = 0; k < n; k++) sum += y[i * n + k] * bath->F[j * n + k];
            x[i * n + j] = 2 * bath->S[i * n + j] + (y[i * n + j] + y[j * n + i]) + sum;
        }
    for (int e = 0; e < n * n; e++) bath->S[e] = real_select(where, x[e], bath->S[e]);
    ornstein_uhlenbeck_multiply(n, y, bath->F, bath->phi);
    for (int e = 0; e < n * n; e++)
        bath->phi[e] = real_select(where, 2 * bath->phi[e] + y[e], bath->phi[e]);
}

static void ornstein_uhlenbeck_find_change(const struct ornstein_uhlenbeck *bath) {
    ornstein_uhlenbeck_multiply(bath->n, bath->F, bath->A, bath->phi);
    for (int e = 0; e < bath->n * bath->n; e++) bath->F[e] = -bath->F[e];
}

/* r with r r^T = S - h c c^T by Cholesky factorisation. Pivots at the round-off of S count as zero,
 * because the rest may be rank-deficient. */
static void ornstein_uhlenbeck_find_rest(const struct ornstein_uhlenbeck *bath, real h) {
    const int n = bath->n, m = bath->m;
    real *r = bath->r;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            real sum = bath->S[i * n + j];
            for (int k = 0; k < m; k++) sum -= h * bath->c[i * m + k] * bath->c[j * m + k];
            for (int k = 0; k < j; k++) sum -= r[i * n + k] * r[j * n + k];
            if (i == j) {
                const mask is_rest = sum > ornstein_uhlenbeck_rest * bath->S[j * n + j];
                r[j * n + j] = noe_sqrt(real_select(is_rest, sum, real_broadcast(0)));
            } else {
                const real root = r[j * n + j];
                const mask is_rest = root > 0;
                r[i * n + j] =
                    real_select(is_rest, sum / real_select(is_rest, root, real_broadcast(1)),
                                real_broadcast(0));
            }
        }
}

void ornstein_uhlenbeck_integrate(const struct ornstein_uhlenbeck *bath, real h) {
    const int n = bath->n, m = bath->m;
    real part = ornstein_uhlenbeck_part(bath, h);
    ornstein_uhlenbeck_series_phi(bath, part * h);
    ornstein_uhlenbeck_series_covariance(bath, part * h);
    ornstein_uhlenbeck_find_change(bath);
    for (int k = 0; k < ORNSTEIN_UHLENBECK_HALVINGS_MAX && mask_any(part < 1); k++) {
        const mask is_part = part < 1;
        ornstein_uhlenbeck_double(bath, is_part);
        ornstein_uhlenbeck_find_change(bath);
        part = real_select(is_part, 2 * part, part);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            real sum = {0};
            for (int k = 0; k < n; k++) sum += bath->phi[i * n + k] * bath->b[k * m + j];
            bath->c[i * m + j] = sum / h;
        }
    ornstein_uhlenbeck_find_rest(bath, h);
}

void ornstein_uhlenbeck_kick(const struct ornstein_uhlenbeck *bath, const real *p, const real *dB,
                             const real *z, real *dp) {
    const int n = bath->n, m = bath->m;
    for (int i = 0; i < n; i++) {
        real sum = {0};
        for (int j = 0; j < n; j++) sum += bath->F[i * n + j] * p[j];
        for (int j = 0; j < m; j++) sum += bath->c[i * m + j] * dB[j];
        for (int j = 0; m && j <= i; j++) sum += bath->r[i * n + j] * z[j];
        dp[i] = sum;
    }
}
