/* Coefficients of partitioned Runge-Kutta methods. */
/* SPDX-License-Identifier: MIT */
#include "methods/runge_kutta/tableau.h"

#include <math.h>
#include <string.h>

static struct coefficient split(exact x) {
    const real scale = 1 << 26; /* half the bits of a double */
    const real value = (real)x, high = noe_floor(value * scale + (real)0.5) / scale;
    return (struct coefficient){value, high, (real)(x - high)};
}

/* P_n(x), P_n'(x) and P_n''(x) for |x| < 1, by the three-term recurrence and Legendre's equation.
 */
static void legendre_polynomial(int n, exact x, exact value[3]) {
    exact last = 1, now = x;
    for (int k = 2; k <= n; k++) {
        const exact next = ((2 * k - 1) * x * now - (k - 1) * last) / k;
        last = now;
        now = next;
    }
    value[0] = now;
    value[1] = n * (last - x * now) / (1 - x * x);
    value[2] = (2 * x * value[1] - n * (n + 1) * now) / (1 - x * x);
}

/* The root near `guess` of the k-th derivative (k = 0 or 1) of P_n. */
static exact polish(int n, int k, double guess) {
    exact x = guess, value[3];
    for (int i = 0; i < 12;
         i++) { /* quadratic convergence from 1e-3; six iterations would suffice */
        legendre_polynomial(n, x, value);
        x -= value[k] / value[k + 1];
    }
    return x;
}

void tableau_gauss_nodes(int s, exact *c) {
    for (int i = 0; 2 * i < s; i++) { /* Tricomi's guess; the other half follows by symmetry */
        const double guess = cos(M_PI * (i + 0.75) / (s + 0.5));
        const exact x = 2 * i + 1 == s ? 0 : polish(s, 0, guess);
        c[i] = (1 - x) / 2;
        c[s - 1 - i] = (1 + x) / 2;
    }
}

void tableau_lobatto_nodes(int s, exact *c) {
    c[0] = 0;
    c[s - 1] = 1;
    for (int i = 1; 2 * i < s; i++) { /* roots of P'_{s-1}, near those of Chebyshev-Lobatto */
        const exact x = 2 * i + 1 == s ? 0 : polish(s - 1, 1, cos(M_PI * i / (s - 1)));
        c[i] = (1 - x) / 2;
        c[s - 1 - i] = (1 + x) / 2;
    }
}

/* Lagrange's polynomial l_j on the nodes c. */
static exact lagrange(int s, const exact *c, int j, exact x) {
    exact product = 1;
    for (int k = 0; k < s; k++)
        if (k != j) product *= (x - c[k]) / (c[j] - c[k]);
    return product;
}

/* 1/((1-x^2) P'^2). */
void tableau_gauss_weights(int s, const exact *c, exact *b) {
    for (int i = 0; i < s; i++) {
        exact value[3];
        const exact x = 2 * c[i] - 1;
        legendre_polynomial(s, x, value);
        b[i] = 1 / ((1 - x * x) * value[1] * value[1]);
    }
}

/* Integral of l_j from 0 to x, by Gauss quadrature with as many points as nodes, which is exact. */
static exact lagrange_integral(int s, const exact *c, int j, exact x) {
    exact node[TABLEAU_STAGES_MAX], weight[TABLEAU_STAGES_MAX], sum = 0;
    tableau_gauss_nodes(s, node);
    tableau_gauss_weights(s, node, weight);
    for (int k = 0; k < s; k++) sum += weight[k] * lagrange(s, c, j, x * node[k]);
    return x * sum;
}

static bool has_low(const struct tableau *t) {
    for (int i = 0; i < t->s; i++) {
        if (t->b[i].low != 0 || t->bhat[i].low != 0) return true;
        for (int j = 0; j < t->s; j++)
            if (t->a[i][j].low != 0 || t->ahat[i][j].low != 0) return true;
    }
    return false;
}

/* R_i depends on V_j through Q_i (a_ij), through W_j (ahat_ij) and through the W_l of the Q_l that
 * V_j moves. */
static void find_structure(struct tableau *t) {
    t->has_low = has_low(t);
    t->is_explicit = true;
    for (int i = 0; i < t->s; i++)
        for (int j = 0; j < t->s; j++) {
            bool couples = i == j || t->a[i][j].value != 0 || t->ahat[i][j].value != 0;
            for (int l = 0; l < t->s; l++)
                couples = couples || (t->ahat[i][l].value != 0 && t->a[l][j].value != 0);
            t->couples[i][j] = couples;
            if (j >= i && (t->a[i][j].value != 0 || t->ahat[i][j].value != 0))
                t->is_explicit = false;
        }
}

typedef exact exact_matrix[TABLEAU_STAGES_MAX][TABLEAU_STAGES_MAX];

static void widen(struct wide_coefficients *wide, int s, exact_matrix a) {
    for (int j = 0; j < s; j++)
        for (int i = 0; i < TABLEAU_WIDE_MAX; i++) {
            const struct coefficient c = split(a[i < s ? i : s - 1][j]);
            wide->value[j][i] = c.value;
            wide->high[j][i] = c.high;
            wide->low[j][i] = c.low;
        }
}

/* Coefficients in SIMD layout from a, ahat and c. */
static void make_wide(struct tableau *t, const exact *c, exact_matrix a, exact_matrix ahat) {
    const int s = t->s;
    exact_matrix square;
    t->has_wide = s >= 2 && s <= TABLEAU_WIDE_MAX;
    if (!t->has_wide) return;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            square[i][j] = 0;
            for (int l = 0; l < s; l++) square[i][j] += a[i][l] * ahat[l][j];
        }
    widen(&t->wide_a, s, a);
    widen(&t->wide_ahat, s, ahat);
    widen(&t->wide_square, s, square);
    for (int i = 0; i < TABLEAU_WIDE_MAX; i++) {
        const exact node = c[i < s ? i : s - 1];
        const struct coefficient parts = split(node);
        t->wide_c[i] = parts.value;
        t->wide_c_high[i] = parts.high;
        t->wide_c_low[i] = parts.low;
        for (int j = 0; j < s; j++) t->wide_ahead[j][i] = (scalar)lagrange(s, c, j, 1 + node);
    }
}

void tableau_collocation(struct tableau *t, int s, const exact *c) {
    exact_matrix a, ahat;
    exact b[TABLEAU_STAGES_MAX];
    memset(t, 0, sizeof *t);
    t->s = s;
    for (int j = 0; j < s; j++) {
        b[j] = lagrange_integral(s, c, j, 1);
        for (int i = 0; i < s; i++)
            a[i][j] = c[i] == 0 ? 0 : c[i] == 1 ? b[j] : lagrange_integral(s, c, j, c[i]);
    }
    for (int i = 0; i < s; i++) {
        t->c[i] = (real)c[i];
        t->b[i] = t->bhat[i] = split(b[i]);
        for (int j = 0; j < s; j++) {
            t->a[i][j] = split(a[i][j]);
            ahat[i][j] = b[j] * (1 - a[j][i] / b[i]);
            t->ahat[i][j] = split(ahat[i][j]);
        }
    }
    find_structure(t);
    make_wide(t, c, a, ahat);
    if (s != 2 || c[0] != 0) return;
    t->nkicks = 2; /* Lobatto with two stages: half kick, drift, half kick */
    t->kick[0] = t->kick[1] = 0.5;
    t->drift[0] = 1;
}

void tableau_euler(struct tableau *t, int a) {
    memset(t, 0, sizeof *t);
    t->s = 1;
    t->c[0] = a;
    t->a[0][0] = split(a);
    t->ahat[0][0] = split(1 - a);
    t->b[0] = t->bhat[0] = split(1);
    find_structure(t);
    t->nkicks = a ? 2 : 1; /* a = 1: drift, then kick */
    t->kick[a] = t->drift[0] = 1;
}

void tableau_runge_kutta(struct tableau *t, int s, const exact *a, const exact *b,
                         const exact *embedded) {
    memset(t, 0, sizeof *t);
    t->s = s;
    for (int i = 0; i < s; i++) {
        exact c = 0;
        for (int j = 0; j < s; j++) {
            t->a[i][j] = t->ahat[i][j] = split(a[i * s + j]);
            c += a[i * s + j];
        }
        t->c[i] = (real)c;
        t->b[i] = t->bhat[i] = split(b[i]);
        if (embedded) t->error[i] = (real)(b[i] - embedded[i]);
    }
    find_structure(t);
}

/* a_ij = c_i b_j = ahat_ij. */
void tableau_average(struct tableau *t, int s) {
    exact_matrix a;
    exact b[TABLEAU_STAGES_MAX], c[TABLEAU_STAGES_MAX];
    memset(t, 0, sizeof *t);
    t->s = s;
    tableau_gauss_nodes(s, c);
    tableau_gauss_weights(s, c, b);
    for (int i = 0; i < s; i++) {
        t->c[i] = (real)c[i];
        t->b[i] = t->bhat[i] = split(b[i]);
        for (int j = 0; j < s; j++) {
            a[i][j] = c[i] * b[j];
            t->a[i][j] = t->ahat[i][j] = split(a[i][j]);
        }
    }
    find_structure(t);
    make_wide(t, c, a, a);
}

void tableau_kicks(struct tableau *t, int s, const exact *kick, const exact *drift) {
    exact c = 0;
    memset(t, 0, sizeof *t);
    t->s = t->nkicks = s;
    for (int i = 0; i < s; i++) {
        t->c[i] = (real)c;
        t->kick[i] = (real)kick[i];
        t->drift[i] = (real)drift[i];
        t->b[i] = split(drift[i]);
        t->bhat[i] = split(kick[i]);
        for (int j = 0; j < i; j++) t->a[i][j] = split(drift[j]);
        for (int j = 0; j <= i; j++) t->ahat[i][j] = split(kick[j]);
        c += drift[i];
    }
    find_structure(t);
}
