/* Tangent map of methods on coadjoint orbits.
 *
 * For `swp` and `kr` it is that of the map which preserves the energy of the state at its start.
 * The increment is reconstructed from the step. */
/* SPDX-License-Identifier: MIT */
#include "methods/euler_poincare/coadjoint_orbit.h"
#include "spaces/so3_retraction.h"

struct orbit_variation {
    struct euler_poincare at;
    const struct lie_product *lie_product;
    const real *p, *dp;
    int n;
};

static struct orbit_variation variation_of(const struct noe_interval *interval, const real *dz) {
    const int n = interval->problem->system->n;
    return (struct orbit_variation){.at = euler_poincare_view(interval),
                                    .lie_product = interval->problem->internals->lie_product,
                                    .p = interval->from->p,
                                    .dp = dz + n,
                                    .n = n};
}

/* d(ad*_v m) = ad*_v dm + ad*_dv m. */
static void vary_turn(const struct orbit_variation *on, const real *v, const real *m,
                      const real *dv, const real *dm, real *y) {
    real other[SMALL_MAX];
    euler_poincare_coadjoint_change(&on->at, v, dm, y);
    euler_poincare_coadjoint_change(&on->at, dv, m, other);
    for (int k = 0; k < on->n; k++) y[k] += other[k];
}

/* x~ = h v + (h^2/2) M^-1 ad*_v p, and its variation. */
static void vary_increment(const struct orbit_variation *on, real *x, real *dx) {
    const real h = on->at.h;
    real v[SMALL_MAX], dv[SMALL_MAX], turned[SMALL_MAX], rate[SMALL_MAX];
    euler_poincare_velocity(&on->at, on->p, v);
    euler_poincare_velocity(&on->at, on->dp, dv);
    euler_poincare_coadjoint_change(&on->at, v, on->p, turned);
    euler_poincare_velocity(&on->at, turned, rate);
    for (int k = 0; k < on->n; k++) x[k] = h * (v[k] + h / 2 * rate[k]);
    vary_turn(on, v, on->p, dv, on->dp, turned);
    euler_poincare_velocity(&on->at, turned, rate);
    for (int k = 0; k < on->n; k++) dx[k] = h * (dv[k] + h / 2 * rate[k]);
}

/* p1 = Ad*_exp(x) p, v1, and their variations with x and p. */
struct orbit_end {
    real p[SMALL_MAX], v[SMALL_MAX], dp[SMALL_MAX], dv[SMALL_MAX];
};

static void vary_end(const struct orbit_variation *on, const real *x, const real *dx,
                     struct orbit_end *end) {
    const struct noe_space *space = on->at.space;
    const int n = on->n;
    real T[SMALL_SQUARE], s[SMALL_MAX] = {0}, B[SMALL_SQUARE];
    space->maps.coadjoint_change(SO3_EXP, end->p, x, on->p);
    space->maps.coadjoint_change(SO3_EXP, end->dp, x, on->dp);
    for (int k = 0; k < n; k++) {
        end->p[k] += on->p[k];
        end->dp[k] += on->dp[k];
    }
    space->maps.dtau(SO3_EXP, T, x);
    small_add_apply(n, n, s, 1, T, dx);
    space->maps.poisson(B, end->p);
    small_add_apply(n, n, end->dp, 1, B, s);
    euler_poincare_velocity(&on->at, end->p, end->v);
    euler_poincare_velocity(&on->at, end->dp, end->dv);
}

/* H'(x) = -T(x)^T ad*_v1 p1, and its variation. */
static void vary_slope(const struct orbit_variation *on, const real *x, const real *dx, real *d,
                       real *dd) {
    const struct noe_space *space = on->at.space;
    const int n = on->n;
    struct orbit_end end;
    real T[SMALL_SQUARE], S[SMALL_SQUARE], turned[SMALL_MAX], change[SMALL_MAX];
    vary_end(on, x, dx, &end);
    euler_poincare_coadjoint_change(&on->at, end.v, end.p, turned);
    vary_turn(on, end.v, end.p, end.dv, end.dp, change);
    space->maps.dtau(SO3_EXP, T, x);
    space->maps.dtau_dual_derivative(SO3_EXP, S, x, turned);
    small_zero(n, d);
    small_zero(n, dd);
    small_add_dual(n, n, d, -1, T, turned);
    small_add_dual(n, n, dd, -1, T, change);
    small_add_apply(n, n, dd, -1, S, dx);
}

static real dot_of(int n, const real *x, const real *y) {
    real sum = 0;
    for (int k = 0; k < n; k++) sum += x[k] * y[k];
    return sum;
}

static void end_step(const struct noe_interval *interval, const struct orbit_variation *on,
                     const real *x, const real *dx, const real *dz, real *dz1) {
    lie_product_end_tangent(on->lie_product, SO3_EXP,
                            &(struct lie_product_variation){on->n, x, dx, interval->to->p, on->dp},
                            dz, dz1);
}

static void sw_tangent(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                       noe_real *dz1) {
    const struct orbit_variation on = variation_of(interval, dz);
    real x[SMALL_MAX], dx[SMALL_MAX];
    (void)du;
    vary_increment(&on, x, dx);
    end_step(interval, &on, x, dx, dz, dz1);
}

/* x = x~ + lambda d with H(x) = H(0). The variation of lambda preserves the energy, v1.dp1 = v.dp.
 * It is zero if d does not change the energy. */
static void vary_kept(struct noe_interval *interval, bool along_slope, const real *dz, real *dz1) {
    const struct orbit_variation on = variation_of(interval, dz);
    const int n = on.n;
    const real *ended = interval->scratch;
    real x[SMALL_MAX], dx[SMALL_MAX], d[SMALL_MAX], dd[SMALL_MAX], v[SMALL_MAX], slope[SMALL_MAX],
        unused[SMALL_MAX];
    struct orbit_end end;
    vary_increment(&on, x, dx);
    if (along_slope) vary_slope(&on, x, dx, d, dd);
    for (int k = 0; !along_slope && k < n; k++) {
        d[k] = x[k];
        dd[k] = dx[k];
    }
    real lambda = 0;
    for (int k = 0; k < n; k++) lambda += (ended[k] - x[k]) * d[k] / dot_of(n, d, d);
    for (int k = 0; k < n; k++) dx[k] += lambda * dd[k];
    euler_poincare_velocity(&on.at, on.p, v);
    vary_end(&on, ended, dx, &end);
    vary_slope(&on, ended, dx, slope, unused);
    const real rest = dot_of(n, v, on.dp) - dot_of(n, end.v, end.dp);
    const real along = dot_of(n, slope, d);
    for (int k = 0; k < n && along != 0; k++) dx[k] += rest / along * d[k];
    end_step(interval, &on, ended, dx, dz, dz1);
}

static void swp_tangent(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                        noe_real *dz1) {
    (void)du;
    vary_kept(interval, true, dz, dz1);
}

static void kr_tangent(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                       noe_real *dz1) {
    (void)du;
    vary_kept(interval, false, dz, dz1);
}

const struct scheme_tangent coadjoint_sw_tangent = {.update = sw_tangent};
const struct scheme_tangent coadjoint_swp_tangent = {.update = swp_tangent};
const struct scheme_tangent coadjoint_kr_tangent = {.update = kr_tangent};
