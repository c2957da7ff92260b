/* Methods on coadjoint orbits for the Euler-Poincare equations p' = ad*_v p, p = Mv: g1 = g exp(x),
 * p1 = Ad*_exp(x) p with sw    x = x~,                  x~ = h v + (h^2/2) v',   v' = M^-1 ad*_v p
 *     swp   x = x~ + lambda H'(x~),  H(x) = E
 *     kr    x = lambda x~,           H(x) = E
 * where E is the energy at the start of the run, so that round-off does not accumulate, H(x) =
 * p1.M^-1 p1/2 and H'(x) = -T(x)^T ad*_v1 p1 (Simo and Wong, 1991; Krysl, 2005). The spatial
 * momentum is preserved for every x. */
/* SPDX-License-Identifier: MIT */
#include "methods/euler_poincare/coadjoint_orbit.h"

#include "spaces/so3_retraction.h"

/* The end of a step with increment x. */
struct orbit {
    real change[SMALL_MAX], v[SMALL_MAX]; /* p1 - p, M^-1 p1 */
    real energy, slope[SMALL_MAX];        /* H(x), H'(x) */
};

REAL_INLINE mask orbit_at(const struct euler_poincare *at, const real *p, const real *x,
                          struct orbit *orbit) {
    const int n = at->n;
    real p1[SMALL_MAX], turned[SMALL_MAX], T[SMALL_SQUARE];
    at->space->maps.coadjoint_change(SO3_EXP, orbit->change, x, p);
    for (int k = 0; k < n; k++) p1[k] = p[k] + orbit->change[k];
    const mask is_good = euler_poincare_velocity(at, p1, orbit->v);
    orbit->energy = real_broadcast(0);
    for (int k = 0; k < n; k++) orbit->energy += p1[k] * orbit->v[k] / 2;
    euler_poincare_coadjoint_change(at, orbit->v, p1, turned);
    at->space->maps.dtau(SO3_EXP, T, x);
    small_zero(n, orbit->slope);
    small_add_dual(n, n, orbit->slope, -1, T, turned);
    return is_good;
}

/* x~ = h v + (h^2/2) v'. */
REAL_INLINE mask orbit_increment(const struct euler_poincare *at, const real *p, real *x) {
    real v[SMALL_MAX], turned[SMALL_MAX], rate[SMALL_MAX];
    mask is_good = euler_poincare_velocity(at, p, v);
    euler_poincare_coadjoint_change(at, v, p, turned);
    is_good &= euler_poincare_velocity(at, turned, rate);
    for (int k = 0; k < at->n; k++) x[k] = at->h * (v[k] + at->h * 0.5 * rate[k]);
    return is_good;
}

REAL_INLINE real orbit_dot(int n, const real *x, const real *y) {
    real sum = {0};
    for (int k = 0; k < n; k++) sum += x[k] * y[k];
    return sum;
}

/* x <- x + lambda d with H(x) = `energy`, by a Newton iteration for lambda until it stagnates. If
 * the energy does not change along d, x is unchanged. */
REAL_INLINE mask orbit_correct(const struct euler_poincare *at, const real *p, const real *d,
                               real energy, real *x) {
    enum { ITERATIONS_MAX = 40 };
    const int n = at->n;
    real last = real_broadcast(HUGE_VAL);
    mask is_going = mask_broadcast(true), is_good = mask_broadcast(true);
    for (int i = 0; i < ITERATIONS_MAX && mask_any(is_going); i++) {
        struct orbit orbit;
        is_good &= orbit_at(at, p, x, &orbit);
        const real miss = orbit.energy - energy, slope = orbit_dot(n, orbit.slope, d);
        const real size = noe_abs(miss);
        const mask is_flat = noe_abs(slope) <= NOE_EPSILON * energy;
        const mask is_round_off = (size >= last) & (size <= 1e-9 * energy);
        is_going &= mask_not(is_flat | is_round_off | (miss == 0));
        for (int k = 0; k < n; k++) x[k] = real_select(is_going, x[k] - miss / slope * d[k], x[k]);
        last = size;
    }
    return is_good & mask_not(is_going);
}

REAL_INLINE noe_lane_status orbit_end(struct noe_interval *interval,
                                      const struct euler_poincare *at, const real *x,
                                      mask is_good) {
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    struct orbit orbit;
    is_good &= orbit_at(at, from->p, x, &orbit);
    at->space->advance(1, SO3_EXP, to->q, to->q_carry, from->q, from->q_carry, x);
    compensated_add(at->n, to->p, to->p_carry, from->p, from->p_carry, orbit.change);
    for (int k = 0; k < at->n; k++) interval->velocity[k] = orbit.v[k];
    interval->retraction_load = at->space->maps.retraction_load(SO3_EXP, x);
    interval->taken = 1;
    is_good &= interval->retraction_load < 1;
    return lane_status_join(lane_status_broadcast(NOE_OK), mask_not(is_good), NOE_NOT_CONVERGED);
}

static noe_lane_status coadjoint_sw(struct noe_interval *interval, long count) {
    const struct euler_poincare at = euler_poincare_view(interval);
    real x[SMALL_MAX];
    (void)count;
    const mask is_good = orbit_increment(&at, interval->from->p, x);
    return orbit_end(interval, &at, x, is_good);
}

REAL_INLINE noe_lane_status orbit_keep(struct noe_interval *interval, bool along_slope) {
    const struct euler_poincare at = euler_poincare_view(interval);
    const real *p = interval->from->p, kept = interval->from->energy_target;
    real *x = interval->scratch, d[SMALL_MAX], v[SMALL_MAX];
    struct orbit orbit;
    mask is_good = orbit_increment(&at, p, x);
    is_good &= euler_poincare_velocity(&at, p, v);
    is_good &= orbit_at(&at, p, x, &orbit);
    for (int k = 0; k < at.n; k++) d[k] = along_slope ? orbit.slope[k] : x[k];
    const real energy = real_select(kept == kept, kept, orbit_dot(at.n, p, v) * 0.5);
    is_good &= orbit_correct(&at, p, d, energy, x);
    interval->to->energy_target = energy;
    return orbit_end(interval, &at, x, is_good);
}

static noe_lane_status coadjoint_swp(struct noe_interval *interval, long count) {
    (void)count;
    return orbit_keep(interval, true);
}

static noe_lane_status coadjoint_kr(struct noe_interval *interval, long count) {
    (void)count;
    return orbit_keep(interval, false);
}

const struct kernel coadjoint_sw_kernel = {
    .name = "coadjoint-orbit",
    .symbol = "coadjoint_sw_kernel",
    .source = "methods/euler_poincare/coadjoint_orbit_step.c",
    .steps = coadjoint_sw,
};

const struct kernel coadjoint_swp_kernel = {
    .name = "coadjoint-orbit",
    .symbol = "coadjoint_swp_kernel",
    .source = "methods/euler_poincare/coadjoint_orbit_step.c",
    .steps = coadjoint_swp,
};

const struct kernel coadjoint_kr_kernel = {
    .name = "coadjoint-orbit",
    .symbol = "coadjoint_kr_kernel",
    .source = "methods/euler_poincare/coadjoint_orbit_step.c",
    .steps = coadjoint_kr,
};
