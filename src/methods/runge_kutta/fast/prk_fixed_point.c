/* Fixed-point iteration for the partitioned Runge-Kutta residual, with the stages in the lanes of
 * vectors.
 *
 * The derivative of the residual tends to the mass matrices M_i = L_vv(Q_i,V_i) as h tends to 0, so
 * that
 *     d_i = M_i^-1 R_i,  V_i <- V_i - d_i
 * contracts like h. With the next term of the inverse of the derivative,
 *     V_i <- V_i - d_i + M_i^-1 (p_q(i) - w_v(i)) h sum_j a_ij d_j,
 * it contracts like h^2 if a = ahat, where w_v is the derivative at a nearby stage. If L = v.Mv/2 -
 * U(t,q) with M diagonal, only the forces are iterated,
 *     W_i <- W(q + h c_i M^-1 p + h^2 M^-1 sum_j (a ahat)_ij W_j),
 * and the iteration contracts like h^2. There is one vector for each component; lanes beyond the
 * last stage repeat it. */
/* SPDX-License-Identifier: MIT */
#include "base/simd_pack.h"
#include "methods/runge_kutta/prk.h"

#ifdef PACK_AVAILABLE

enum {
    MASS_MAX = 12,   /* mass matrices up to this size are factorised */
    UNKNOWNS_MIN = 3 /* for fewer unknowns Newton's method is faster */
};
static const double picard_floor =
    1e-6; /* smaller velocities count as this fraction of the largest */
static const double picard_least = 1e-280; /* smaller numbers lose digits */

/* The stages of a step in SIMD lanes. Arrays of vectors are stored block by block, and in each
 * block component by component. */
struct picard_view {
    struct prk_view prk; /* arrays of the stages one after the other */
    int n, blocks;       /* number of components, and of vectors that hold all stages */
    int terms;           /* number of terms of a sum over the stages, rounded up to 4 */
    bool is_separable;   /* the forces are iterated, not the velocities */
    pack *Q, *V, *P, *W;
    bool is_bent;     /* p depends on q, or w on v */
    pack *M, *L;      /* p_v, p_q, w_v on the sparsity pattern; the factors of p_v */
    pack *next;       /* M^-1 (p_q - w_v) h sum_j a_ij d_j */
    scalar *time;     /* times of the stages */
    real *v, *weight; /* h M^-1 p if M is constant; the inverse size of each component */
};

PACK_INLINE bool picard_is_separable(const struct noe_system *system) {
    const unsigned both = NOE_SEPARABLE | NOE_DIAGONAL_MASS;
    return (system->traits & both) == both;
}

PACK_INLINE int picard_blocks(int s) { return (s + NOE_WIDE - 1) / NOE_WIDE; }

static bool picard_serves(const struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    return prk_tableau(problem)->has_wide && problem->internals->nu >= UNKNOWNS_MIN &&
           !system->factors && (picard_is_separable(system) || system->n <= MASS_MAX);
}

/* `count` vectors, on an address that is a multiple of their size. */
SCRATCH_INLINE pack *picard_packs(struct scratch *scratch, size_t count) {
    scratch_reals(scratch, (NOE_WIDE - scratch->count % NOE_WIDE) % NOE_WIDE);
    return (pack *)scratch_reals(scratch, count * NOE_WIDE);
}

/* Layout behind the arrays of the stages one after the other, `prk`. */
SCRATCH_INLINE struct picard_view picard_layout(struct scratch *scratch, struct prk_view prk) {
    struct picard_view at = {.prk = prk,
                             .n = prk.n,
                             .blocks = picard_blocks(prk.s),
                             .terms = (prk.s + 3) / 4 * 4,
                             .is_separable = picard_is_separable(prk.system),
                             .is_bent = !(prk.system->traits & NOE_SEPARABLE)};
    const size_t n = (size_t)at.n, blocks = (size_t)at.blocks, mass = at.is_separable ? 0 : blocks;
    at.Q = picard_packs(scratch, blocks * n);
    at.V = picard_packs(scratch, blocks * n);
    at.P = picard_packs(scratch, blocks * n);
    at.W = picard_packs(scratch, blocks * n);
    at.time = (scalar *)picard_packs(scratch, blocks);
    at.M = picard_packs(scratch, mass * 3 * prk.nz);
    at.L = picard_packs(scratch, mass * n * n);
    at.next = picard_packs(scratch, mass * n);
    at.v = scratch_reals(scratch, n);
    at.weight = scratch_reals(scratch, n);
    return at;
}

static size_t picard_scratch(const struct noe_problem *problem) {
    struct scratch scratch = {0};
    const struct prk_view prk = prk_layout(&scratch, problem);
    picard_layout(&scratch, prk);
    return scratch.count;
}

PACK_INLINE struct picard_view picard_view(const struct noe_interval *interval) {
    struct scratch scratch = scratch_carve(interval->scratch);
    const struct prk_view prk = prk_view_in(interval, &scratch);
    return picard_layout(&scratch, prk);
}

/* --- Sums over the stages. */

/* a_ij y_j for the stages i of a block, where y is one component. */
PACK_INLINE void picard_term(const struct picard_view *at, const tableau_matrix a, int block,
                             const pack *y, int j, pack *term) {
    const scalar *const Y = (const scalar *)(y + j / NOE_WIDE * at->n) + j % NOE_WIDE;
    *term = *(const pack *)(a[j] + block * NOE_WIDE) * *Y;
}

/* The sum of the terms. Four partial sums shorten the dependency chain. */
PACK_INLINE void picard_sum(const struct picard_view *at, const tableau_matrix a, int block,
                            const pack *y, pack *sum) {
    pack part[4], term;
    for (int l = 0; l < 4; l++) picard_term(at, a, block, y, l, &part[l]);
    for (int j = 4; j < at->terms; j += 4)
        for (int l = 0; l < 4; l++) {
            picard_term(at, a, block, y, j + l, &term);
            part[l] += term;
        }
    *sum = (part[0] + part[1]) + (part[2] + part[3]);
}

/* The sum with the low parts of the coefficients, if `is_accurate`. */
PACK_INLINE void picard_total(const struct picard_view *at, const struct wide_coefficients *a,
                              bool is_accurate, int block, const pack *y, pack *sum) {
    pack low;
    if (!is_accurate) {
        picard_sum(at, a->value, block, y, sum);
        return;
    }
    picard_sum(at, a->high, block, y, sum);
    picard_sum(at, a->low, block, y, &low);
    *sum += low;
}

/* y <- the polynomial through the stages y, at the stages of the next step. */
PACK_INLINE void picard_extrapolate(const struct picard_view *at, pack *y) {
    for (int k = 0; k < at->n; k++) {
        pack ahead[TABLEAU_WIDE_MAX / NOE_WIDE];
        for (int b = 0; b < at->blocks; b++)
            picard_sum(at, at->prk.tableau->wide_ahead, b, y + k, &ahead[b]);
        for (int b = 0; b < at->blocks; b++) y[b * at->n + k] = ahead[b];
    }
}

/* --- Conversion between stages one after the other and stages in lanes. */

/* y <- `count` numbers of each stage, with the distance `stride` in x. */
PACK_INLINE void picard_spread(const struct picard_view *at, int count, size_t stride,
                               const real *x, pack *y) {
    const int s = at->prk.s;
    for (int i = 0; i < at->blocks * NOE_WIDE; i++) {
        scalar *const Y = (scalar *)(y + i / NOE_WIDE * count) + i % NOE_WIDE;
        const real *const from = x + (size_t)(i < s ? i : s - 1) * stride;
        for (int k = 0; k < count; k++) Y[k * NOE_WIDE] = from[k];
    }
}

PACK_INLINE void picard_collect(const struct picard_view *at, const pack *y, real *x) {
    const int n = at->n;
    for (int i = 0; i < at->prk.s; i++) {
        const scalar *const Y = (const scalar *)(y + i / NOE_WIDE * n) + i % NOE_WIDE;
        for (int k = 0; k < n; k++) x[i * n + k] = Y[k * NOE_WIDE];
    }
}

/* --- Evaluation: W and, unless L is separable, P, p_v, p_q and w_v, at Q and V. */

PACK_INLINE void picard_evaluate_points(const struct picard_view *at, pack *W) {
    const struct prk_view *prk = &at->prk;
    const struct noe_system *system = prk->system;
    const int n = at->n;
    picard_collect(at, at->Q, prk->Q);
    if (!at->is_separable) picard_collect(at, at->V, prk->V);
    for (int i = 0; i < prk->s; i++) {
        real *q = prk->Q + i * n, *v = prk->V + i * n, *p = prk->P + i * n, *w = prk->W + i * n;
        real *d = prk->D + (size_t)i * 4 * prk->nz;
        const real t = at->time[i];
        if (at->is_separable && system->force)
            system->force(prk->self, t, q, v, w);
        else if (at->is_separable)
            system->first(prk->self, t, q, v, p, w);
        else
            system->second(prk->self, t, q, v, p, w, d);
    }
    picard_spread(at, n, (size_t)n, prk->W, W);
    if (at->is_separable) return;
    picard_spread(at, n, (size_t)n, prk->P, at->P);
    picard_spread(at, 3 * (int)prk->nz, 4 * prk->nz, prk->D, at->M);
}

PACK_INLINE void picard_evaluate(struct noe_interval *interval, const struct picard_view *at,
                                 pack *W) {
    const struct noe_system *system = at->prk.system, *self = at->prk.self;
    const int n = at->n, nz = (int)at->prk.nz;
    interval->evaluations += at->prk.s;
    if (!(at->is_separable ? system->force_simd != NULL : system->stage_simd != NULL)) {
        picard_evaluate_points(at, W);
        return;
    }
    for (int b = 0; b < at->blocks; b++) {
        const scalar *const t = at->time + b * NOE_WIDE;
        const real *const Q = (real *)(at->Q + b * n), *const V = (real *)(at->V + b * n);
        real *const w = (real *)(W + b * n);
        if (at->is_separable)
            system->force_simd(self, t, Q, V, w);
        else
            system->stage_simd(self, t, Q, V, (real *)(at->P + b * n), w,
                               (real *)(at->M + b * 3 * nz));
    }
}

/* --- Mass matrices: M = L D L^T for all stages of a block, with 1/D on the diagonal of L. */

/* `poison` becomes infinite if a matrix is not positive definite. */
PACK_INLINE void picard_factor(const struct picard_view *at, int block, pack *poison) {
    const struct noe_system *system = at->prk.system;
    const int n = at->n;
    const pack *const M = at->M + block * 3 * (int)at->prk.nz;
    pack *const L = at->L + block * n * n;
    pack_mask is_positive = ~(pack_mask){0};
    for (int e = 0; e < n * n; e++) L[e] = (pack){0};
    for (int e = 0; e < system->nz; e++)
        L[system->row ? system->row[e] * n + system->col[e] : e] = M[e];
    for (int j = 0; j < n; j++) {
        is_positive &= L[j * n + j] > 0;
        L[j * n + j] = 1 / L[j * n + j];
        for (int i = j + 1; i < n; i++) {
            L[j * n + i] = L[i * n + j]; /* above the diagonal: entries that are not divided yet */
            L[i * n + j] *= L[j * n + j];
            for (int k = j + 1; k <= i; k++) L[i * n + k] -= L[i * n + j] * L[j * n + k];
        }
    }
    const pack infinite = (pack){0} + HUGE_VAL;
    *poison += (pack)(~is_positive & (pack_mask)infinite);
}

PACK_INLINE void picard_solve(const struct picard_view *at, int block, pack *x) {
    const int n = at->n;
    const pack *const L = at->L + block * n * n;
    for (int i = 1; i < n; i++)
        for (int k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
    for (int i = n - 1; i >= 0; i--) {
        x[i] *= L[i * n + i];
        for (int k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
    }
}

/* --- One iteration. */

/* The largest change of an iteration, relative to the unknowns. */
struct picard_change {
    pack largest, poison; /* the second is not finite if a change is not */
};

PACK_INLINE void picard_note(struct picard_change *change, const pack *d, real weight) {
    pack size;
    pack_abs(&size, d);
    size *= weight;
    pack_enlarge(&change->largest, &size);
    change->poison += *d;
}

PACK_INLINE real picard_size(const struct picard_change *change) {
    const pack size = change->largest + 0 * change->poison;
    return pack_largest(&size);
}

/* Q = q + h c v + h^2 M^-1 sum_j (a ahat)_ij W_j, v = M^-1 p. */
PACK_INLINE void picard_points_from_forces(const struct noe_interval *interval,
                                           const struct picard_view *at, bool is_accurate) {
    const struct tableau *t = at->prk.tableau;
    const real *const q = interval->from->q, *const inverse = interval->legendre->inverse;
    const real h = at->prk.h;
    for (int b = 0; b < at->blocks; b++) {
        const pack c = *(const pack *)(t->wide_c + b * NOE_WIDE),
                   high = *(const pack *)(t->wide_c_high + b * NOE_WIDE),
                   low = *(const pack *)(t->wide_c_low + b * NOE_WIDE);
        for (int k = 0; k < at->n; k++) {
            pack sum;
            picard_total(at, &t->wide_square, is_accurate, b, at->W + k, &sum);
            if (is_accurate) /* h^2/M would have the same rounding error in every step */
                sum = at->v[k] * high + (at->v[k] * low + inverse[k] * (h * (h * sum)));
            else
                sum = at->v[k] * c + (h * h * inverse[k]) * sum;
            at->Q[b * at->n + k] = q[k] + sum;
        }
    }
}

PACK_INLINE real picard_forces(struct noe_interval *interval, const struct picard_view *at,
                               bool is_accurate) {
    const real *const inverse = interval->legendre->inverse;
    struct picard_change change = {{0}, {0}};
    picard_points_from_forces(interval, at, is_accurate);
    picard_evaluate(interval, at, at->P);
    for (int b = 0; b < at->blocks; b++)
        for (int k = 0; k < at->n; k++) {
            const int e = b * at->n + k;
            const pack d = at->P[e] - at->W[e];
            at->W[e] = at->P[e];
            picard_note(&change, &d, at->weight[k] * (at->prk.h * inverse[k]));
        }
    return picard_size(&change);
}

/* Q = q + h sum_j a_ij V_j. */
PACK_INLINE void picard_points(const struct noe_interval *interval, const struct picard_view *at,
                               bool is_accurate) {
    for (int b = 0; b < at->blocks; b++)
        for (int k = 0; k < at->n; k++) {
            pack sum;
            picard_total(at, &at->prk.tableau->wide_a, is_accurate, b, at->V + k, &sum);
            at->Q[b * at->n + k] = interval->from->q[k] + at->prk.h * sum;
        }
}

/* d_i = M_i^-1 R_i in place of P_i, R_i = P_i - p - h sum_j ahat_ij W_j. */
PACK_INLINE void picard_correct(const struct noe_interval *interval, const struct picard_view *at,
                                bool is_accurate, pack *poison) {
    for (int b = 0; b < at->blocks; b++) {
        pack *const r = at->P + b * at->n;
        picard_factor(at, b, poison);
        for (int k = 0; k < at->n; k++) {
            pack sum;
            picard_total(at, &at->prk.tableau->wide_ahat, is_accurate, b, at->W + k, &sum);
            r[k] = r[k] - interval->from->p[k] - at->prk.h * sum;
        }
        picard_solve(at, b, r);
    }
}

/* The change of d_i by the correction d to first order in h: M_i^-1 (p_q - w_v)_i h sum_j a_ij d_j.
 */
PACK_INLINE void picard_look_ahead(const struct picard_view *at, const pack *d) {
    const struct noe_system *system = at->prk.system;
    const int n = at->n, nz = (int)at->prk.nz;
    for (int b = 0; b < at->blocks; b++) {
        const pack *const pq = at->M + (b * 3 + 1) * nz, *const wv = pq + nz;
        pack x[MASS_MAX], *const y = at->next + b * n;
        for (int k = 0; k < n; k++) {
            picard_sum(at, at->prk.tableau->wide_a.value, b, d + k, &x[k]);
            x[k] *= at->prk.h;
            y[k] = (pack){0};
        }
        for (int e = 0; e < nz; e++) {
            const int row = system->row ? system->row[e] : e / n;
            const int col = system->row ? system->col[e] : e % n;
            y[row] += (pq[e] - wv[e]) * x[col];
        }
        picard_solve(at, b, y);
    }
}

/* W -= w_v d: the forces at the corrected velocities, up to terms of order h. */
PACK_INLINE void picard_correct_forces(const struct picard_view *at, int block, const pack *d) {
    const struct noe_system *system = at->prk.system;
    const int n = at->n, nz = (int)at->prk.nz;
    const pack *const wv = at->M + (block * 3 + 2) * nz;
    for (int e = 0; e < nz; e++) {
        const int row = system->row ? system->row[e] : e / n;
        const int col = system->row ? system->col[e] : e % n;
        at->W[block * n + row] -= wv[e] * d[col];
    }
}

PACK_INLINE real picard_velocities(struct noe_interval *interval, const struct picard_view *at,
                                   bool is_accurate) {
    struct picard_change change = {{0}, {0}};
    const bool may_be_last = is_accurate || !at->prk.tableau->has_low;
    picard_points(interval, at, is_accurate);
    picard_evaluate(interval, at, at->W);
    picard_correct(interval, at, is_accurate, &change.poison);
    if (at->is_bent) picard_look_ahead(at, at->P);
    for (int b = 0; b < at->blocks; b++) {
        pack *const d = at->P + b * at->n, *const V = at->V + b * at->n;
        for (int k = 0; k < at->n; k++) {
            if (at->is_bent) d[k] -= at->next[b * at->n + k];
            V[k] -= d[k];
            picard_note(&change, &d[k], at->weight[k]);
        }
        if (at->is_bent && may_be_last) picard_correct_forces(at, b, d);
    }
    return picard_size(&change);
}

PACK_INLINE real picard_apply(struct noe_interval *interval, bool is_accurate) {
    const struct picard_view at = picard_view(interval);
    return at.is_separable ? picard_forces(interval, &at, is_accurate)
                           : picard_velocities(interval, &at, is_accurate);
}

/* Two copies with a constant argument, which the compiler specialises. */
PACK_CLONES static noe_real picard_pass(struct noe_interval *interval, bool is_accurate) {
    const bool has_low = prk_tableau(interval_problem(interval))->has_low;
    return is_accurate && has_low ? picard_apply(interval, true) : picard_apply(interval, false);
}

/* --- Begin and end. */

/* weight_k = 1/|V_k| for the largest |V_k| of the stages; components far below the largest count
 * more. */
PACK_INLINE void picard_weigh_by(const struct picard_view *at, const real *u) {
    const int n = at->n;
    const real norm = picard_floor * real_norm((size_t)(at->prk.s * n), u);
    const real min = norm > picard_least ? norm : picard_least;
    for (int k = 0; k < n; k++) at->weight[k] = min;
    for (int i = 0; i < at->prk.s; i++)
        for (int k = 0; k < n; k++) at->weight[k] = real_max(noe_abs(u[i * n + k]), at->weight[k]);
    for (int k = 0; k < n; k++) at->weight[k] = 1 / at->weight[k];
}

/* V = M^-1 (p + h sum_j ahat_ij W_j). */
PACK_INLINE void picard_velocities_from_forces(const struct noe_interval *interval,
                                               const struct picard_view *at, bool is_accurate) {
    const real *const p = interval->from->p, *const inverse = interval->legendre->inverse;
    for (int b = 0; b < at->blocks; b++)
        for (int k = 0; k < at->n; k++) {
            pack sum;
            picard_total(at, &at->prk.tableau->wide_ahat, is_accurate, b, at->W + k, &sum);
            at->V[b * at->n + k] = inverse[k] * (p[k] + at->prk.h * sum);
        }
}

PACK_CLONES static void picard_weigh(struct noe_interval *interval) {
    const struct picard_view at = picard_view(interval);
    if (at.is_separable) picard_velocities_from_forces(interval, &at, false);
    picard_collect(&at, at.V, at.prk.V);
    picard_weigh_by(&at, at.prk.V);
}

PACK_INLINE void picard_times(const struct noe_interval *interval, const struct picard_view *at) {
    for (int i = 0; i < at->blocks * NOE_WIDE; i++) {
        const scalar c = at->prk.tableau->wide_c[i];
        at->time[i] = c == 1 ? interval->t1 : interval->t + c * interval->h;
    }
}

PACK_CLONES static void picard_begin(struct noe_interval *interval, const noe_real *u) {
    const struct picard_view at = picard_view(interval);
    const real *const p = interval->from->p, *const inverse = interval->legendre->inverse;
    picard_times(interval, &at);
    picard_weigh_by(&at, u);
    for (int k = 0; k < at.n && at.is_separable; k++) at.v[k] = at.prk.h * (inverse[k] * p[k]);
    if (interval->has_previous_step) {
        picard_extrapolate(&at, at.is_separable ? at.W : at.V);
        return;
    }
    picard_spread(&at, at.n, (size_t)at.n, u, at.V);
    if (!at.is_separable) return;
    picard_points(interval, &at, false);
    picard_evaluate(interval, &at, at.W);
}

PACK_CLONES static void picard_end(struct noe_interval *interval, noe_real *u) {
    const struct picard_view at = picard_view(interval);
    if (at.is_separable) picard_velocities_from_forces(interval, &at, at.prk.tableau->has_low);
    picard_collect(&at, at.V, u);
    picard_collect(&at, at.W, at.prk.W);
}

static void picard_keep(struct noe_interval *interval, const noe_real *u) {
    const struct picard_view at = picard_view(interval);
    if (at.is_separable)
        picard_spread(&at, at.n, (size_t)at.n, at.prk.W, at.W);
    else
        picard_spread(&at, at.n, (size_t)at.n, u, at.V);
}

static const struct noe_fixed_point picard = {
    picard_begin, picard_pass, picard_weigh, picard_end, picard_keep,
};

const struct kernel prk_fixed_point_kernel = {
    .name = "fixed-point",
    .symbol = "prk_fixed_point_kernel",
    .source = "methods/runge_kutta/fast/prk_fixed_point.c",
    .serves = picard_serves,
    .scratch = picard_scratch,
    .fixed_point = &picard,
};

#endif
