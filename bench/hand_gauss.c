/* Coefficients of Gauss' collocation for the loops by hand. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "hand.h"

enum { S = HAND_STAGES };

/* P_S(x) and its derivative. */
static void legendre(long double x, long double *value, long double *slope) {
    long double p0 = 1, p1 = x;
    for (int k = 2; k <= S; k++) {
        const long double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
        p0 = p1;
        p1 = p2;
    }
    *value = p1;
    *slope = S * (x * p1 - p0) / (x * x - 1);
}

static long double node(int i) {
    const long double pi = acosl(-1);
    long double x = -cosl(pi * (i + 0.75L) / (S + 0.5L)), value, slope;
    for (int k = 0; k < 50; k++) {
        legendre(x, &value, &slope);
        x -= value / slope;
    }
    return x;
}

/* Product of (x - c_k)/(c_j - c_k) over k != j. */
static long double lagrange(const long double *c, int j, long double x) {
    long double product = 1;
    for (int k = 0; k < S; k++)
        if (k != j) product *= (x - c[k]) / (c[j] - c[k]);
    return product;
}

/* Integral of the j-th Lagrange polynomial from 0 to x, exact by the quadrature itself. */
static long double integral(const long double *c, const long double *b, int j, long double x) {
    long double sum = 0;
    for (int k = 0; k < S; k++) sum += x * b[k] * lagrange(c, j, x * c[k]);
    return sum;
}

void hand_gauss(struct hand_gauss *gauss) {
    long double c[S], b[S], a[S][S];
    for (int i = 0; i < S; i++) {
        long double value, slope;
        const long double x = node(i);
        legendre(x, &value, &slope);
        c[i] = (1 + x) / 2;
        b[i] = 1 / ((1 - x * x) * slope * slope);
    }
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) a[i][j] = integral(c, b, j, c[i]);
    for (int i = 0; i < S; i++) {
        gauss->c[i] = (double)c[i];
        gauss->b[i] = (double)b[i];
        gauss->ba[i] = (double)(b[i] * (1 - c[i]));
        for (int j = 0; j < S; j++) {
            long double sum = 0;
            for (int k = 0; k < S; k++) sum += a[i][k] * a[k][j];
            gauss->a[i][j] = (double)a[i][j];
            gauss->a2[i][j] = (double)sum;
            gauss->guess[i][j] = (double)lagrange(c, j, 1 + c[i]);
        }
    }
}
