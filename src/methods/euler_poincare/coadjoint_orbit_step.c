/* Steps along coadjoint orbits for p' = ad*_v p, p = Mv: g1 = g exp(x), p1 = Ad*_exp(x) p with
 *     sw    x = x~,                  x~ = h v + (h^2/2) v',   v' = M^-1 ad*_v p
 *     swp   x = x~ + lambda H'(x~),  H(x) = E
 *     kr    x = lambda x~,           H(x) = E
 * where E is the energy that the run began with, so that the round-off of steps does not add up,
 * H(x) = p1.M^-1 p1/2 and H'(x) = -T(x)^T ad*_v1 p1 (Simo and Wong, 1991; Krysl, 2005). The
 * momentum in space is kept whatever x is. */
/* SPDX-License-Identifier: MIT */
#include "methods/euler_poincare/coadjoint_orbit.h"

#include "spaces/so3_retraction.h"

/* The end that an increment x leads to. */
struct orbit {
    real change[SMALL_MAX], v[SMALL_MAX]; /* p1 - p, M^-1 p1 */
    real energy, slope[SMALL_MAX];        /* H(x), H'(x) */
};

STEP_INLINE truth orbit_at(const struct reduced *at, const real *p, const real *x,
                           struct orbit *orbit) {
    const int n = at->n;
    real p1[SMALL_MAX], turned[SMALL_MAX], T[SMALL_SQUARE];
    at->space->coadjoint_change(ROTATION_EXP, orbit->change, x, p);
    for (int k = 0; k < n; k++) p1[k] = p[k] + orbit->change[k];
    const truth is_good = reduced_velocity(at, p1, orbit->v);
    orbit->energy = real_of(0);
    for (int k = 0; k < n; k++) orbit->energy += p1[k] * orbit->v[k] / 2;
    reduced_turn(at, orbit->v, p1, turned);
    at->space->dtau(ROTATION_EXP, T, x);
    small_zero(n, orbit->slope);
    small_add_dual(n, n, orbit->slope, -1, T, turned);
    return is_good;
}

/* x~ = h v + (h^2/2) v'. */
STEP_INLINE truth orbit_increment(const struct reduced *at, const real *p, real *x) {
    real v[SMALL_MAX], turned[SMALL_MAX], rate[SMALL_MAX];
    truth is_good = reduced_velocity(at, p, v);
    reduced_turn(at, v, p, turned);
    is_good &= reduced_velocity(at, turned, rate);
    for (int k = 0; k < at->n; k++) x[k] = at->h * (v[k] + at->h * 0.5 * rate[k]);
    return is_good;
}

STEP_INLINE real orbit_dot(int n, const real *x, const real *y) {
    real sum = {0};
    for (int k = 0; k < n; k++) sum += x[k] * y[k];
    return sum;
}

/* x <- x + lambda d with H(x) = `energy`, by Newton's method for lambda until it stagnates. Where
 * the energy does not change along d there is nothing to find. */
STEP_INLINE truth orbit_correct(const struct reduced *at, const real *p, const real *d, real energy,
                                real *x) {
    enum { ITERATIONS_MAX = 40 };
    const int n = at->n;
    real last = real_of(HUGE_VAL);
    truth is_going = truth_of(true), is_good = truth_of(true);
    for (int i = 0; i < ITERATIONS_MAX && truth_any(is_going); i++) {
        struct orbit orbit;
        is_good &= orbit_at(at, p, x, &orbit);
        const real miss = orbit.energy - energy, slope = orbit_dot(n, orbit.slope, d);
        const real size = noe_abs(miss);
        const truth is_flat = noe_abs(slope) <= NOE_EPSILON * energy;
        const truth is_round_off = (size >= last) & (size <= 1e-9 * energy);
        is_going &= truth_not(is_flat | is_round_off | (miss == 0));
        for (int k = 0; k < n; k++) x[k] = real_select(is_going, x[k] - miss / slope * d[k], x[k]);
        last = size;
    }
    return is_good & truth_not(is_going);
}

STEP_INLINE noe_outcome orbit_end(struct noe_interval *interval, const struct reduced *at,
                                  const real *x, truth is_good) {
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    struct orbit orbit;
    is_good &= orbit_at(at, from->p, x, &orbit);
    at->space->advance(1, ROTATION_EXP, to->q, to->q_carry, from->q, from->q_carry, x);
    sum_add(at->n, to->p, to->p_carry, from->p, from->p_carry, orbit.change);
    for (int k = 0; k < at->n; k++) interval->velocity[k] = orbit.v[k];
    interval->reach = at->space->reach(ROTATION_EXP, x);
    interval->taken = 1;
    is_good &= interval->reach < 1;
    return outcome_join(outcome_of(NOE_OK), truth_not(is_good), NOE_NOT_CONVERGED);
}

noe_outcome coadjoint_sw(struct noe_interval *interval, long count) {
    const struct reduced at = reduced_view(interval);
    real x[SMALL_MAX];
    (void)count;
    const truth is_good = orbit_increment(&at, interval->from->p, x);
    return orbit_end(interval, &at, x, is_good);
}

STEP_INLINE noe_outcome orbit_keep(struct noe_interval *interval, bool along_slope) {
    const struct reduced at = reduced_view(interval);
    const real *p = interval->from->p, kept = interval->from->anchor;
    real *x = interval->scratch, d[SMALL_MAX], v[SMALL_MAX];
    struct orbit orbit;
    truth is_good = orbit_increment(&at, p, x);
    is_good &= reduced_velocity(&at, p, v);
    is_good &= orbit_at(&at, p, x, &orbit);
    for (int k = 0; k < at.n; k++) d[k] = along_slope ? orbit.slope[k] : x[k];
    const real energy = real_select(kept == kept, kept, orbit_dot(at.n, p, v) * 0.5);
    is_good &= orbit_correct(&at, p, d, energy, x);
    interval->to->anchor = energy;
    return orbit_end(interval, &at, x, is_good);
}

noe_outcome coadjoint_swp(struct noe_interval *interval, long count) {
    (void)count;
    return orbit_keep(interval, true);
}

noe_outcome coadjoint_kr(struct noe_interval *interval, long count) {
    (void)count;
    return orbit_keep(interval, false);
}
