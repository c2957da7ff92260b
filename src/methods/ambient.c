/* Explicit Runge-Kutta methods on the numbers of (g,p), with a projection to the group at the end
 * of each step: what people compare with.
 *
 *     K_i = g_i v_i,    k_i = ad*_v p_i + W(g_i, v_i),    L_v(g_i, v_i) = p_i,
 *     g_i = g + h sum_j a_ij K_j,   p_i = p + h sum_j a_ij k_j,   p1 = p + h sum_j b_j k_j,
 * and g1 is the point of the group that is nearest to g + h sum_j b_j K_j. */
/* SPDX-License-Identifier: MIT */
#include "base/sum.h"
#include "methods/prk.h"

/* Kg = rate of g with velocity v; kp += ad*_v p, factor by factor. */
STEP_INLINE void ambient_rates(const struct prk_view *at, const real *g, const real *v,
                               const real *p, real *Kg, real *kp) {
    for (int f = 0; f < at->system->nfactors; f++) {
        const struct noe_factor *factor = &at->system->factors[f];
        const struct noe_space *space = factor->space;
        const int point = space->point * factor->size, tangent = space->tangent * factor->size;
        if (space->nretractions) {
            real B[SMALL_SQUARE];
            small_zero(point, Kg);
            for (int i = 0; i < space->nframe; i++) {
                const struct noe_frame *frame = &space->frame[i];
                Kg[frame->point] += (scalar)frame->factor * g[frame->from] * v[frame->tangent];
            }
            space->poisson(B, p);
            small_add_apply(tangent, tangent, kp, 1, B, v);
        } else {
            for (int i = 0; i < point; i++) Kg[i] = v[i];
        }
        g += point;
        Kg += point;
        v += tangent;
        p += tangent;
        kp += tangent;
    }
}

/* y = x + h sum_j coefficient_j k_j over s arrays of `count` numbers. */
STEP_INLINE void ambient_sum(const struct prk_view *at, const struct coefficient *coefficient,
                             int s, int count, const real *k, const real *x, real *y) {
    for (int i = 0; i < count; i++) {
        real sum = {0};
        for (int j = 0; j < s; j++) sum += coefficient[j].value * k[j * count + i];
        y[i] = x ? x[i] + at->h * sum : at->h * sum;
    }
}

STEP_INLINE void ambient_project(const struct noe_system *system, real *g) {
    for (int f = 0; f < system->nfactors; f++) {
        const struct noe_factor *factor = &system->factors[f];
        if (factor->space->nretractions) factor->space->project(g);
        g += factor->space->point * factor->size;
    }
}

noe_outcome ambient_kernel(struct noe_interval *interval, long count) {
    const struct prk_view at = prk_view(interval);
    const struct tableau *t = at.tableau;
    const struct noe_state *from = interval->from;
    struct noe_state *to = interval->to;
    real *Kg = at.Q, *kp = at.V, *g = at.groups.stages, *p = at.P, *v = at.W;
    noe_outcome outcome = outcome_of(NOE_OK);
    (void)count;
    for (int k = 0; k < at.n; k++) v[k] = interval->velocity[k];
    for (int i = 0; i < at.s; i++) {
        const real time = interval_time(interval, t->c[i]);
        ambient_sum(&at, t->a[i], i, at.np, Kg, from->q, g);
        ambient_sum(&at, t->a[i], i, at.n, kp, from->p, p);
        const noe_outcome found = legendre_velocity(interval->legendre, time, g, p, v);
        outcome = outcome_select(outcome == NOE_OK, found, outcome);
        if (!truth_any(outcome == NOE_OK)) return outcome;
        interval_force(at.system, at.self, time, g, v, at.x, kp + i * at.n);
        ambient_rates(&at, g, v, p, Kg + i * at.np, kp + i * at.n);
    }
    ambient_sum(&at, t->b, at.s, at.np, Kg, from->q, to->q);
    ambient_sum(&at, t->b, at.s, at.n, kp, NULL, at.x);
    ambient_project(at.system, to->q);
    sum_add(at.n, to->p, to->p_carry, from->p, from->p_carry, at.x);
    for (int k = 0; k < at.n; k++) {
        to->q_carry[k] = real_of(0);
        interval->velocity[k] = v[k];
    }
    interval->reach = real_of(0);
    interval->evaluations += at.s;
    interval->taken = 1;
    return outcome;
}
