/* Butcher tableau of a partitioned Runge-Kutta method, computed to full precision. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_RUNGE_KUTTA_TABLEAU_H
#define METHODS_RUNGE_KUTTA_TABLEAU_H

#include <stdbool.h>

#include "base/real.h"

enum { TABLEAU_STAGES_MAX = 36 };

typedef __float128
    exact; /* coefficients are computed in quad precision and split into two numbers */

/* A coefficient, rounded, and split into a short and a small number. Sums with the two parts are
 * accurate far below the last bit. Otherwise the rounding error of a coefficient, which is the same
 * in every step, would cause drift (Hairer, McLachlan and Razakarivony, 2008). */
struct coefficient {
    scalar value, high, low;
};

/* Coefficients in SIMD layout: a_ij is stored at [j][i]. Rows i beyond the last stage repeat it.
 * Columns j beyond it are zero. */
enum { TABLEAU_WIDE_MAX = 16 };
typedef scalar tableau_matrix[TABLEAU_WIDE_MAX][TABLEAU_WIDE_MAX];
struct wide_coefficients {
    _Alignas(64) tableau_matrix value;
    tableau_matrix high, low;
};

/* Q_i = q + h sum_j a_ij V_j, P_i = p + h sum_j ahat_ij W_j, q1 = q + h sum_j b_j V_j, p1 = p + h
 * sum_j bhat_j W_j, at times t + c_i h. If nkicks > 0, the same map on separable systems is p += h
 * kick_i W(q), q += h drift_i V(p) for i = 0, 1, ... */
struct tableau {
    int s;
    struct coefficient a[TABLEAU_STAGES_MAX][TABLEAU_STAGES_MAX];
    struct coefficient ahat[TABLEAU_STAGES_MAX][TABLEAU_STAGES_MAX];
    struct coefficient b[TABLEAU_STAGES_MAX], bhat[TABLEAU_STAGES_MAX];
    scalar c[TABLEAU_STAGES_MAX];
    bool couples[TABLEAU_STAGES_MAX][TABLEAU_STAGES_MAX]; /* true if R_i depends on V_j */
    bool has_low;                                         /* some coefficient has a low part */
    bool is_explicit; /* a and ahat are strictly lower triangular */
    bool in_frame;    /* on groups: a Runge-Kutta method in the frame of the start */
    int nkicks;
    scalar kick[TABLEAU_STAGES_MAX], drift[TABLEAU_STAGES_MAX];
    scalar error[TABLEAU_STAGES_MAX]; /* b minus the weights of the embedded formula, or zero */
    bool has_wide;                    /* the members below are set */
    struct wide_coefficients wide_a, wide_ahat, wide_square; /* a, ahat, and a ahat */
    _Alignas(64) tableau_matrix
        wide_ahead; /* extrapolation of the stage polynomial to the stages of the next step */
    _Alignas(64) scalar wide_c[TABLEAU_WIDE_MAX];
    _Alignas(64) scalar wide_c_high[TABLEAU_WIDE_MAX],
        wide_c_low[TABLEAU_WIDE_MAX]; /* high and low parts of wide_c */
};

/* Nodes on [0,1] of Gauss-Legendre quadrature, s points, and their weights. */
void tableau_gauss_nodes(int s, exact *c);
void tableau_gauss_weights(int s, const exact *c, exact *b);
/* Nodes of Gauss-Lobatto quadrature, s >= 2 points, 0 and 1 among them. */
void tableau_lobatto_nodes(int s, exact *c);

/* Variational methods: collocation a on the given nodes and its symplectic partner
 * ahat_ij = b_j (1 - a_ji/b_i). */
void tableau_collocation(struct tableau *tableau, int s, const exact *c);
/* The symplectic Euler methods: one stage, a given (0 or 1). */
void tableau_euler(struct tableau *tableau, int a);
/* A Runge-Kutta method on (q,p): ahat = a (s x s, row-major), bhat = b. `embedded` may be NULL. */
void tableau_runge_kutta(struct tableau *tableau, int s, const exact *a, const exact *b,
                         const exact *embedded);
/* The average vector field method by Gauss quadrature with s points. */
void tableau_average(struct tableau *tableau, int s);
/* A splitting method with s kicks and s drifts. */
void tableau_kicks(struct tableau *tableau, int s, const exact *kick, const exact *drift);

#endif
