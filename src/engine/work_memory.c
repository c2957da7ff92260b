/* Memory layout of a run. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/advance.h"

static void state_layout(struct noe_state *state, struct arena *arena,
                         const struct noe_problem *problem) {
    const size_t n = (size_t)problem->system->n;
    state->q = arena_reals(arena, (size_t)problem->np);
    state->p = arena_reals(arena, n);
    state->q_carry = arena_reals(arena, n);
    state->p_carry = arena_reals(arena, n);
    const int m = constraint_count(problem->system);
    state->multipliers = m ? arena_reals(arena, (size_t)m) : NULL;
}

struct noe_work *work_layout(struct arena *arena, const struct noe_problem *problem) {
    struct noe_work measured = {0}, *carved = arena_take(arena, sizeof measured);
    struct noe_work *work = carved ? carved : &measured;
    const size_t n = (size_t)problem->system->n, m = (size_t)constraint_count(problem->system);
    state_layout(&work->state[0], arena, problem);
    state_layout(&work->state[1], arena, problem);
    legendre_layout(&work->legendre, arena, problem->system, &problem->internals->plan->mass);
    newton_layout(&work->newton, arena, problem);
    work->interval.root = work->newton.u;
    predictor_layout(&work->predictor, arena, problem->internals->nu);
    if (continuation_serves(problem)) continuation_layout(&work->follow, arena, problem);
    if (problem->internals->scheme->energy_equation)
        adaptive_step_layout(&work->adaptive_step, arena, problem->internals->nu);
    if (m) multipliers_layout(&work->multipliers, arena, problem);
    work->velocity = arena_reals(arena, n + m);
    work->constraint = arena_reals(arena, 3 * m);
    work->variation = arena_reals(arena, 4 * n);
    work->values = arena_reals(arena, (size_t)problem->system->nvalues);
    work->interval.velocity = arena_reals(arena, n + m);
    work->interval.normal = arena_reals(arena, (size_t)problem->internals->nnormals);
    work->interval.drawn = arena_take(arena, (size_t)problem->internals->nnormals * sizeof(scalar));
    work->interval.scratch = arena_reals(arena, problem->internals->nscratch);
    return carved;
}

enum noe_status work_open(struct noe_work *work, const struct noe_problem *problem) {
    work->problem = problem;
    work->now = &work->state[0];
    work->next = &work->state[1];
    work->interval.problem = problem;
    for (int lane = 0; lane < REAL_LANES; lane++) work->interval.seed[lane] = problem->seed;
    work->interval.legendre = &work->legendre;
    work->interval.length = &work->adaptive_step.length;
    work->by_newton = advance_by_newton;
    work->newton_fallback = advance_newton_fallback;
    work->continuation_solve = continuation_serves(problem) ? continuation_solve : NULL;
    work->interval.multipliers = &work->multipliers;
    enum noe_status status = newton_init(&work->newton, problem);
    if (status == NOE_OK) status = legendre_init(&work->legendre);
    if (status == NOE_OK && constraint_count(problem->system))
        status = multipliers_init(&work->multipliers, problem);
    return status;
}

void work_close(struct noe_work *work) {
    if (!work->problem) return; /* it was never opened */
    newton_clear(&work->newton);
    legendre_clear(&work->legendre);
    if (constraint_count(work->problem->system)) multipliers_clear(&work->multipliers);
}

void work_restart(struct noe_work *work) {
    const size_t n = (size_t)work->problem->system->n;
    struct noe_state *now = work->now;
    work->t0 = now->t;
    work->h = work->h_next = now->h = real_broadcast(work->problem->h);
    now->k = 0;
    if (!work->problem->internals->scheme->energy_equation)
        now->energy_target = real_broadcast(NAN);
    memset(now->q_carry, 0, n * sizeof *now->q_carry);
    memset(now->p_carry, 0, n * sizeof *now->p_carry);
    work->follow.reached = real_broadcast(1);
    work->predictor.age = 0;
    predictor_start(&work->predictor);
    newton_forget(&work->newton);
    fixed_point_reset(&work->fixed_point);
    if (work->problem->internals->scheme->energy_equation)
        adaptive_step_forget(&work->adaptive_step, work->problem->order, work->h);
    work->newton.factorisations = 0;
    work->interval.has_previous_step = false;
    work->interval.is_active = mask_broadcast(true);
    work->outcome = lane_status_broadcast(NOE_OK);
    memset(&work->effort, 0, sizeof work->effort);
}

void work_parameters_changed(struct noe_work *work, mask where, real before) {
    const struct noe_problem *problem = work_problem(work);
    struct noe_state *now = work->now;
    real after;
    legendre_prepare(&work->legendre, now->q);
    const noe_lane_status outcome = advance_energy(work, &after);
    const mask has_jump = where & (outcome == NOE_OK);
    const real jump = real_select(has_jump, after - before, real_broadcast(0));
    now->energy += jump;
    now->energy_target += jump;
    if (constraint_count(problem->system)) {
        multipliers_demanded(&work->interval, now->t, now->q, work->velocity, now->multipliers);
        advance_orient(work);
    }
    advance_reset_history(work);
}
