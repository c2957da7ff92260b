/* Tangent map of Lie-Newmark and Lie-Verlet methods. */
/* SPDX-License-Identifier: MIT */
#include "methods/euler_poincare/lie_newmark.h"

/* Matrices of a variation: M, A(v) with A(v) m = ad*_v m, and B(m) with B(m) v = ad*_v m. */
struct variation {
    struct euler_poincare at;
    const struct lie_product *lie_product;
    int n;
};

static struct variation variation_of(const struct noe_interval *interval) {
    const struct noe_problem *problem = interval->problem;
    return (struct variation){euler_poincare_view(interval), problem->internals->lie_product,
                              problem->system->n};
}

/* y += factor d(ad*_v m) = factor (A(v) dm + B(m) dv). */
static void add_turn(const struct variation *on, scalar factor, const real *v, const real *m,
                     const real *dv, const real *dm, real *y) {
    real turned[SMALL_MAX];
    euler_poincare_coadjoint_change(&on->at, v, dm, turned);
    for (int k = 0; k < on->n; k++) y[k] += factor * turned[k];
    euler_poincare_coadjoint_change(&on->at, dv, m, turned);
    for (int k = 0; k < on->n; k++) y[k] += factor * turned[k];
}

/* c = p, or p + (h/2) ad*_v0 p with M v0 = p. */
static void vary_given(const struct noe_interval *interval, const struct variation *on,
                       const real *dp, real *dv0, real *dc) {
    const real *p = interval->from->p;
    real v0[SMALL_MAX];
    for (int k = 0; k < on->n; k++) dc[k] = dp[k];
    euler_poincare_velocity(&on->at, p, v0);
    euler_poincare_velocity(&on->at, dp, dv0);
    if (newmark_of(interval)->is_trapezoidal) add_turn(on, on->at.h / 2, v0, p, dv0, dp, dc);
}

/* R = P(u) - (h/2) ad*_u P(u) - c: dR = -dc. */
static void residual_tangent(struct noe_interval *interval, const noe_real *dz, noe_real *r) {
    const struct variation on = variation_of(interval);
    real dv0[SMALL_MAX];
    vary_given(interval, &on, dz + on.n, dv0, r);
    for (int k = 0; k < on.n; k++) r[k] = -r[k];
}

/* x = h (start v0 + end u); tln: p1 = Mu; mln: p1 = p + h ad*_u Mu. */
static void update_tangent(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                           noe_real *dz1) {
    const struct variation on = variation_of(interval);
    const struct newmark *rule = newmark_of(interval);
    const int n = on.n;
    const real h = on.at.h, *u = interval->velocity;
    real dv0[SMALL_MAX], dc[SMALL_MAX], v0[SMALL_MAX], P[SMALL_MAX], dP[SMALL_MAX];
    real x[SMALL_MAX], dx[SMALL_MAX], *dp1 = dz1 + n;
    vary_given(interval, &on, dz + n, dv0, dc);
    euler_poincare_velocity(&on.at, interval->from->p, v0);
    euler_poincare_momentum(&on.at, u, P);
    euler_poincare_momentum(&on.at, du, dP);
    for (int k = 0; k < n; k++) {
        x[k] = h * (rule->start * v0[k] + rule->end * u[k]);
        dx[k] = h * (rule->start * dv0[k] + rule->end * du[k]);
        dp1[k] = rule->is_trapezoidal ? dP[k] : dz[n + k];
    }
    if (!rule->is_trapezoidal) add_turn(&on, h, u, P, du, dP, dp1);
    lie_product_point_tangent(on.lie_product, 0, x, dx, dz, dz1);
}

/* x <- (1 - (h/2) A(v))^-1 x. */
static void solve_turn(const struct variation *on, const real *v, real *x) {
    const int n = on->n;
    real A[SMALL_SQUARE];
    lane_index pivot[SMALL_MAX];
    lie_product_bracket_matrix(on->at.piece, v, A);
    for (int e = 0; e < n * n; e++) A[e] = (e % (n + 1) == 0) - on->at.h / 2 * A[e];
    dense_factor(n, A, pivot);
    dense_solve(n, x, A, pivot);
}

/* Q - (h/2) ad*_v0 Q = p, Mv1 - (h/2) ad*_v1 Q = Q, p1 = Mv1: (1 - (h/2) A(v0)) dQ = dp +
 * (h/2) B(Q) dv0, (M - (h/2) B(Q)) dv1 = (1 + (h/2) A(v1)) dQ. */
static void vary_verlet(const struct noe_interval *interval, const struct variation *on,
                        const real *dp, real *dv0, real *dv1) {
    const int n = on->n;
    const real half = on->at.h / 2, *p = interval->from->p;
    real v0[SMALL_MAX], Q[SMALL_MAX], dQ[SMALL_MAX], turned[SMALL_MAX];
    real M[SMALL_SQUARE], B[SMALL_SQUARE];
    lane_index pivot[SMALL_MAX];
    euler_poincare_velocity(&on->at, p, v0);
    euler_poincare_velocity(&on->at, dp, dv0);
    for (int k = 0; k < n; k++) Q[k] = p[k];
    solve_turn(on, v0, Q);
    euler_poincare_coadjoint_change(&on->at, dv0, Q, turned);
    for (int k = 0; k < n; k++) dQ[k] = dp[k] + half * turned[k];
    solve_turn(on, v0, dQ);
    euler_poincare_coadjoint_change(&on->at, interval->velocity, dQ, turned);
    for (int k = 0; k < n; k++) dv1[k] = dQ[k] + half * turned[k];
    euler_poincare_mass(&on->at, M);
    on->at.space->maps.poisson(B, Q);
    for (int e = 0; e < n * n; e++) M[e] -= half * B[e];
    dense_factor(n, M, pivot);
    dense_solve(n, dv1, M, pivot);
}

/* g1 = g tau(h v0/2) tau(h v1/2). */
static void lv_tangent(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                       noe_real *dz1) {
    const struct variation on = variation_of(interval);
    const int n = on.n;
    const real half = on.at.h / 2;
    real v0[SMALL_MAX], dv0[SMALL_MAX], dv1[SMALL_MAX], x[SMALL_MAX], dx[SMALL_MAX];
    (void)du;
    vary_verlet(interval, &on, dz + n, dv0, dv1);
    euler_poincare_velocity(&on.at, interval->from->p, v0);
    for (int k = 0; k < n; k++) {
        x[k] = half * v0[k];
        dx[k] = half * dv0[k];
    }
    lie_product_point_tangent(on.lie_product, 0, x, dx, dz, dz1);
    for (int k = 0; k < n; k++) {
        x[k] = half * interval->velocity[k];
        dx[k] = half * dv1[k];
    }
    lie_product_point_tangent(on.lie_product, 0, x, dx, dz1, dz1);
    euler_poincare_momentum(&on.at, dv1, dz1 + n);
}

const struct scheme_tangent newmark_tangent = {residual_tangent, update_tangent};
const struct scheme_tangent newmark_lv_tangent = {.update = lv_tangent};
