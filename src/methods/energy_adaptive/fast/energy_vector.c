/* The midpoint rule of at most SMALL_MAX coordinates with step sizes that preserve the discrete
 * energy, on the stack.
 *
 * If L = V.MV/2 - U(q), with Q = q + hV/2 and W = -U'(Q),
 *     r = MV - p - (h/2) W,   E = V.MV/2 + U(Q),   E_V = MV - (h/2) W,   E_VV = r_V.
 * The energy defect is computed without cancellation as in discrete_energy.c: along dq = -(h/2) V,
 * dp = -(h/2) W the energy changes by
 *     dp.M^-1 dp/2 - int_0^1 (W(Q + s dq) - W).dq ds,
 * besides terms that cancel with the power. The momentum at the end of this line is p + r, so (p +
 * r/2).M^-1 r is subtracted before r = 0. */
/* SPDX-License-Identifier: MIT */
#include "base/compensated_sum.h"
#include "methods/energy_adaptive/discrete_energy.h"
#include "methods/energy_adaptive/energy_line_integral.h"
#include "methods/energy_adaptive/fast/bordered_newton.h"

/* A step. */
struct energy_vector {
    struct noe_interval *interval;
    int n;
    real h;
    real M[SMALL_SQUARE];
    real q[SMALL_MAX], q_carry[SMALL_MAX], p[SMALL_MAX],
        p_carry[SMALL_MAX]; /* state at the start of the step */
    real past[EXTRAPOLATION_DEPTH * SMALL_MAX];
};

/* A block of the model as a matrix. */
REAL_INLINE void energy_vector_gather(const struct noe_system *system, const real *block, real *A) {
    const int n = system->n;
    for (int e = 0; e < n * n; e++) A[e] = system->row ? real_broadcast(0) : block[e];
    for (int e = 0; system->row && e < system->nz; e++)
        A[system->row[e] * n + system->col[e]] = block[e];
}

REAL_INLINE void energy_vector_force(const struct energy_vector *step, const real *q, const real *V,
                                     real *W) {
    struct noe_interval *interval = step->interval;
    real P[SMALL_MAX];
    interval->evaluations++;
    interval_force(interval_problem(interval)->system, interval->problem->system, interval->t, q, V,
                   P, W);
}

/* U(q), which does not depend on time. */
REAL_INLINE real energy_vector_potential(const struct energy_vector *step, const real *q) {
    const struct noe_interval *interval = step->interval;
    real still[SMALL_MAX];
    for (int i = 0; i < step->n; i++) still[i] = real_broadcast(0);
    return -interval_lagrangian(interval_problem(interval)->system, interval->problem->system,
                                interval->t, q, still);
}

REAL_INLINE void energy_vector_momentum(const struct energy_vector *step, const real *V, real *P) {
    const int n = step->n;
    for (int i = 0; i < n; i++) P[i] = bordered_dot(n, step->M + i * n, V);
}

/* x.M^-1 y. */
REAL_INLINE real energy_vector_product(const struct energy_vector *step, const real *x,
                                       const real *y) {
    real v[SMALL_MAX];
    for (int i = 0; i < step->n; i++) v[i] = y[i];
    legendre_solve(step->interval->legendre, v);
    return bordered_dot(step->n, x, v);
}

/* The change of energy from Q along dq = side (h/2) V, dp = side (h/2) W, its round-off, and the
 * force near the end of the line. */
REAL_INLINE real energy_vector_way(const struct energy_vector *step, scalar side, const real *Q,
                                   const real *V, const real *W, real *noise, real *last) {
    const real half = 0.5 * side * step->h;
    const int n = step->n;
    real dq[SMALL_MAX], dp[SMALL_MAX], sum = {0}, size = {0};
    for (int i = 0; i < n; i++) {
        dq[i] = half * V[i];
        dp[i] = half * W[i];
        size += noe_abs(W[i] * dq[i]) + noe_abs(V[i] * dp[i]);
    }
    for (int j = 0; j < ENERGY_NODES; j++) {
        real q[SMALL_MAX], change = {0};
        for (int i = 0; i < n; i++) q[i] = Q[i] + energy_node[j] * dq[i];
        energy_vector_force(step, q, V, last);
        for (int i = 0; i < n; i++) change += (last[i] - W[i]) * dq[i];
        sum += energy_weight[j] * change;
    }
    *noise = 4 * NOE_EPSILON * size;
    return 0.5 * energy_vector_product(step, dp, dp) - sum;
}

/* The midpoint of the step. */
REAL_INLINE void energy_vector_middle(const struct energy_vector *step, const real *V, real *Q) {
    for (int i = 0; i < step->n; i++) Q[i] = step->q[i] + 0.5 * step->h * V[i];
}

/* W at Q and, if D is not NULL, its derivative D. */
REAL_INLINE void energy_vector_forces(const struct energy_vector *step, const real *Q,
                                      const real *V, real *W, real *D) {
    struct noe_interval *interval = step->interval;
    const struct noe_system *system = interval_problem(interval)->system;
    real P[SMALL_MAX], blocks[4 * SMALL_SQUARE];
    if (!D) {
        energy_vector_force(step, Q, V, W);
        return;
    }
    for (int e = 0; e < 4 * system->nz; e++)
        blocks[e] = real_broadcast(0); /* the model does not write zeros */
    interval->evaluations++;
    interval_second(system, interval->problem->system, interval->t, Q, V, P, W, blocks);
    energy_vector_gather(system, blocks + 3 * system->nz, D);
}

/* r and, if J is not NULL, J = M - (h^2/4) D. */
REAL_INLINE void energy_vector_equation(const struct energy_vector *step, const real *P,
                                        const real *W, const real *D, real *r, real *J) {
    const real half = 0.5 * step->h;
    const int n = step->n;
    for (int i = 0; i < n; i++) r[i] = (P[i] - step->p[i]) - half * W[i];
    for (int e = 0; J && e < n * n; e++) J[e] = step->M[e] - half * half * D[e];
}

REAL_INLINE void energy_vector_residual(const void *self, int n, const real *V, real *r, real *J) {
    const struct energy_vector *step = self;
    real Q[SMALL_MAX], P[SMALL_MAX], W[SMALL_MAX], D[SMALL_SQUARE];
    (void)n;
    energy_vector_middle(step, V, Q);
    energy_vector_forces(step, Q, V, W, J ? D : NULL);
    energy_vector_momentum(step, V, P);
    energy_vector_equation(step, P, W, D, r, J);
}

static const struct small_newton_equation energy_vector_few = {.residual = energy_vector_residual};

REAL_INLINE real energy_vector_energy(void *self) {
    const struct energy_vector *step = self;
    return 0.5 * energy_vector_product(step, step->p, step->p) +
           energy_vector_potential(step, step->q);
}

REAL_INLINE void energy_vector_begin(void *self, const struct energy_run_state *clock) {
    (void)self, (void)clock;
}

REAL_INLINE void energy_vector_set(void *self, real h) {
    struct energy_vector *step = self;
    step->h = h;
}

/* r_x = -(h/2) W - (h^2/4) D V. */
REAL_INLINE void energy_vector_evaluate(void *self, const real *V,
                                        struct bordered_evaluation *values) {
    const struct energy_vector *step = self;
    const int n = step->n;
    const real half = 0.5 * step->h;
    real Q[SMALL_MAX], P[SMALL_MAX], W[SMALL_MAX], D[SMALL_SQUARE], mean[SMALL_MAX],
        last[SMALL_MAX];
    energy_vector_middle(step, V, Q);
    energy_vector_forces(step, Q, V, W, D);
    energy_vector_momentum(step, V, P);
    energy_vector_equation(step, P, W, D, values->r, values->J);
    for (int i = 0; i < n; i++) {
        values->rx[i] = -half * (W[i] + half * bordered_dot(n, D + i * n, V));
        values->Eu[i] = P[i] - half * W[i];
        mean[i] = step->p[i] + 0.5 * values->r[i];
    }
    values->energy_defect = energy_vector_way(step, -1, Q, V, W, &values->noise, last) -
                            energy_vector_product(step, mean, values->r);
    values->Ex = -half * bordered_dot(n, W, V);
}

/* E_VV = J, so the quadratic term of d is d.r/2. The remaining error has another factor h. */
REAL_INLINE real energy_vector_quadratic(const void *self, const struct bordered_evaluation *values,
                                         const real *d, real *left) {
    const struct energy_vector *step = self;
    const int n = step->n;
    real Md[SMALL_MAX];
    energy_vector_momentum(step, d, Md);
    const real quadratic = 0.5 * bordered_dot(n, d, values->r), flat = 0.5 * bordered_dot(n, d, Md);
    *left = noe_abs(flat - quadratic) + 0.01 * flat;
    return quadratic;
}

/* The energy defect at the end is that of the start plus its change, or the energy minus the
 * target, each weighted by its accuracy, as in discrete_energy.c. */
REAL_INLINE void energy_vector_end(void *self, long k, const real *V,
                                   struct step_size_search *length,
                                   struct energy_run_state *clock) {
    struct energy_vector *step = self;
    const int n = step->n;
    real Q[SMALL_MAX], P[SMALL_MAX], W[SMALL_MAX], dq[SMALL_MAX], dp[SMALL_MAX], last[SMALL_MAX];
    real noise, size;
    (void)k;
    energy_vector_middle(step, V, Q);
    energy_vector_force(step, Q, V, W);
    energy_vector_momentum(step, V, P);
    clock->energy = 0.5 * bordered_dot(n, P, V) + energy_vector_potential(step, Q);
    if (mask_any(length->is_held)) {
        const real start = energy_vector_way(step, -1, Q, V, W, &noise, last);
        length->energy_defect = real_select(length->is_held, start, length->energy_defect);
    }
    const real end = energy_vector_way(step, 1, Q, V, W, &noise, last);
    const real carried = clock->energy_defect + (end - length->energy_defect);
    for (int i = 0; i < n; i++) {
        dq[i] = step->h * V[i];
        dp[i] = step->h * W[i];
    }
    compensated_add(n, step->q, step->q_carry, step->q, step->q_carry, dq);
    compensated_add(n, step->p, step->p_carry, step->p, step->p_carry, dp);
    const real T = 0.5 * energy_vector_product(step, step->p, step->p);
    const real U = energy_vector_potential(step, step->q), seen = (T + U) - clock->energy_target;
    size = 2 * T + noe_abs(T - U);
    for (int i = 0; i < n; i++) size += noe_abs(last[i] * step->q[i]);
    const real gain = noise / (noise + 16 * NOE_EPSILON * size);
    clock->energy_defect =
        carried + real_select(gain > 0, gain, real_broadcast(0)) * (seen - carried);
}

static const struct energy_rule energy_vector_rule = {
    &energy_vector_few,     energy_vector_energy,    energy_vector_begin, energy_vector_set,
    energy_vector_evaluate, energy_vector_quadratic, energy_vector_end};

REAL_INLINE void energy_vector_probe(void *search, real h, real dx, mask where,
                                     struct step_trial *trial) {
    const struct energy_search *s = search;
    const struct energy_vector *step = s->self;
    bordered_probe(interval_problem(step->interval)->system->n, &energy_vector_rule, search, h, dx,
                   where, trial);
}

/* The history of velocities, which begins where the arrays of the residual do. */
SCRATCH_INLINE real *energy_vector_layout(struct scratch *scratch, int n) {
    return scratch_reals(scratch, EXTRAPOLATION_DEPTH * (size_t)n);
}

static size_t energy_vector_scratch(const struct noe_problem *problem) {
    struct scratch scratch = {0};
    energy_vector_layout(&scratch, problem->system->n);
    return scratch.count;
}

REAL_INLINE void energy_vector_load(struct energy_vector *step) {
    const struct noe_interval *interval = step->interval;
    const struct noe_state *from = interval->from;
    const int n = step->n;
    struct scratch scratch = scratch_carve(interval->scratch);
    const real *past = energy_vector_layout(&scratch, n);
    energy_vector_gather(interval_problem(interval)->system, interval->legendre->blocks, step->M);
    for (int i = 0; i < n; i++) {
        step->q[i] = from->q[i];
        step->p[i] = from->p[i];
        step->q_carry[i] = from->q_carry[i];
        step->p_carry[i] = from->p_carry[i];
    }
    if (!interval->has_previous_step) extrapolation_begin(n, step->past, interval->velocity);
    for (int i = 0; interval->has_previous_step && i < EXTRAPOLATION_DEPTH * n; i++)
        step->past[i] = past[i];
}

REAL_INLINE void energy_vector_store(const struct energy_vector *step) {
    const struct noe_interval *interval = step->interval;
    const struct noe_state *to = interval->to;
    const int n = step->n;
    struct scratch scratch = scratch_carve(interval->scratch);
    real *past = energy_vector_layout(&scratch, n);
    for (int i = 0; i < n; i++) {
        to->q[i] = step->q[i];
        to->p[i] = step->p[i];
        to->q_carry[i] = step->q_carry[i];
        to->p_carry[i] = step->p_carry[i];
        interval->velocity[i] = step->past[i];
    }
    for (int i = 0; i < EXTRAPOLATION_DEPTH * n; i++) past[i] = step->past[i];
}

static noe_lane_status energy_vector_steps(struct noe_interval *interval, long count) {
    struct energy_vector step = {.interval = interval, .n = interval_problem(interval)->system->n};
    struct energy_search search = {.self = &step, .past = step.past};
    struct energy_run_state clock;
    energy_vector_load(&step);
    if (!bordered_run(interval, count, step.n, &energy_vector_rule, energy_vector_probe, &search,
                      &clock))
        return clock.outcome;
    energy_vector_store(&step);
    bordered_store(interval, &clock, count);
    return clock.outcome;
}

static bool energy_vector_serves(const struct noe_problem *problem) {
    const int n = problem->system->n;
    return problem->internals->nu == n && n <= SMALL_MAX && energy_is_conservative(problem->system);
}

const struct kernel energy_vector_kernel = {
    .name = "small-newton",
    .symbol = "energy_vector_kernel",
    .source = "methods/energy_adaptive/fast/energy_vector.c",
    .serves = energy_vector_serves,
    .scratch = energy_vector_scratch,
    .steps = energy_vector_steps,
};
