/* Start of a run, and observation of its current state. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/status.h"
#include "engine/advance.h"
#include "engine/consistent_start.h"
#include "engine/regular_start.h"

/* Largest distance of a point from its space that counts as round-off. */
static const double defect_most = 1e-8;

/* Projects the configuration to the nearest point of its space. */
static enum noe_status repair(const struct noe_system *system, real *q, struct noe_error *error) {
    for (int i = 0; system->factors && i < system->nfactors; i++) {
        const struct noe_space *space = system->factors[i].space;
        if (space->retractions) {
            const real defect = space->maps.defect(q);
            if (!(defect <= defect_most))
                return status_set(error, NOE_BAD_INPUT,
                                  "the start of factor %d is no point of %s: it is off by %.3g "
                                  "(at most %g is taken for round-off)",
                                  i + 1, space->name, (double)defect, defect_most);
            space->maps.project(q);
        }
        q += space->point * system->factors[i].size;
    }
    return NOE_OK;
}

/* Computes the discrete energy before the first step, whose step size is given. */
static void find_discrete_energy(struct noe_work *work) {
    if (!work->problem->internals->scheme->energy_equation) return;
    advance_interval(work, work->h_next);
    work->interval.is_fixed = true;
    if (adaptive_step_solve(work) != NOE_OK) work->now->energy = real_broadcast(NAN);
    work->adaptive_step.length.tries = 0;
    work_restart(work);
}

/* True if momenta do not give velocities at the start. */
static bool is_degenerate(struct noe_work *work) {
    const struct noe_state *now = work->now;
    real *v = work->velocity;
    if (work->has_singular_mass) return true;
    memcpy(v, work->interval.velocity, (size_t)work->problem->system->n * sizeof *v);
    return legendre_velocity(&work->legendre, now->t, now->q, now->p, v) == NOE_SINGULAR;
}

/* The methods that serve a degenerate Lagrangian. */
static const char *advice_for(const struct noe_system *system) {
    if (system->nnoises) return ", and no method serves that with noise";
    if (constraint_count(system)) return "; midpoint and lobatto stages=3 serve it";
    return system->traits & NOE_LINEAR
               ? "; projected-gauss serves it, as do gauss and midpoint, which may drift off p = "
                 "L_v"
               : "; variational methods such as midpoint and gauss serve it";
}

/* Checks that the Legendre transform can be inverted, if the method computes velocities from
 * momenta or its stages need a regular Lagrangian. */
static enum noe_status check_regular(struct noe_work *work, struct noe_error *error) {
    const struct noe_problem *problem = work->problem;
    const unsigned needs = NOE_NEEDS_HAMILTONIAN | NOE_NEEDS_REGULAR;
    if (!(problem->traits & needs) && !problem->internals->scheme->energy_equation) return NOE_OK;
    if (!is_degenerate(work)) return NOE_OK;
    return status_set(error, NOE_NOT_SERVED,
                      "%s needs %s, and this Lagrangian is degenerate: its mass matrix "
                      "is singular at the start, so that momenta do not give velocities%s",
                      problem->method->name,
                      problem->traits & NOE_NEEDS_REGULAR ? "a regular Lagrangian"
                                                          : "a Hamiltonian",
                      advice_for(problem->system));
}

/* Checks that the equations of motion determine the motion. */
static enum noe_status check_inertia(struct noe_work *work, struct noe_error *error) {
    const struct noe_system *system = work->problem->system;
    const struct noe_state *now = work->now;
    int component = 0;
    switch (regular_start_find(system, now->t, now->q, work->interval.velocity, &component,
                               &work->has_singular_mass)) {
    case REGULAR_START_NO_MEMORY:
        return status_set(error, NOE_NO_MEMORY, "out of memory for the mass matrix");
    case REGULAR_START_NONE:
        return status_set(error, NOE_BAD_INPUT, "coordinate %d %s", component + 1,
                          regular_start_words(system));
    default: return NOE_OK;
    }
}

/* Checks constraints, inertia along them, and the needs of the method. */
static enum noe_status check_motion(struct noe_work *work, struct noe_error *error) {
    const bool is_constrained = constraint_count(work->problem->system);
    enum noe_status status = is_constrained ? consistent_start_check(work, error) : NOE_OK;
    if (status == NOE_OK) status = check_inertia(work, error);
    if (status == NOE_OK) status = check_regular(work, error);
    if (status == NOE_OK && is_constrained) status = consistent_start(work, error);
    return status;
}

static enum noe_status begin(struct noe_work *work, real t, struct noe_error *error) {
    const struct noe_problem *problem = work->problem;
    const size_t n = (size_t)problem->system->n;
    struct noe_state *now = work->now;
    now->t = t;
    work_restart(work);
    work->has_start = real_is_finite(real_norm((size_t)problem->np, now->q)) &&
                      real_is_finite(real_norm(n, now->p)) && real_is_finite(t);
    if (work->has_start) {
        const enum noe_status status = check_motion(work, error);
        if (status == NOE_OK) advance_orient(work);
        work->has_start = status == NOE_OK;
        if (work->has_start) find_discrete_energy(work);
        return status;
    }
    return status_set(error, NOE_NOT_FINITE,
                      "the start is not finite: q, v, or the momentum dL/dv at the start is not a "
                      "finite number");
}

static enum noe_status place(struct noe_work *work, const real *q, struct noe_error *error) {
    const struct noe_problem *problem = work->problem;
    memmove(work->now->q, q, (size_t)problem->np * sizeof *q);
    work->has_start = false;
    return repair(problem->system, work->now->q, error);
}

enum noe_status noe_work_start(struct noe_work *work, noe_real t, const noe_real *q,
                               const noe_real *v, struct noe_error *error) {
    const struct noe_system *system = work->problem->system;
    const enum noe_status status = place(work, q, error);
    if (status != NOE_OK) return status;
    real *velocity = work->interval.velocity;
    memmove(velocity, v, (size_t)system->n * sizeof *v);
    memset(velocity + system->n, 0, (size_t)constraint_count(system) * sizeof *v);
    system->first(system, t, work->now->q, velocity, work->now->p,
                  work->velocity); /* w is not used */
    return begin(work, t, error);
}

enum noe_status noe_work_start_momentum(struct noe_work *work, noe_real t, const noe_real *q,
                                        const noe_real *p, struct noe_error *error) {
    const size_t n = (size_t)work->problem->system->n;
    enum noe_status status = place(work, q, error);
    if (status != NOE_OK) return status;
    memmove(work->now->p, p, n * sizeof *p);
    memset(work->interval.velocity, 0, n * sizeof *p);
    status = legendre_velocity(&work->legendre, t, work->now->q, p, work->interval.velocity);
    if (status != NOE_OK)
        return status_set(error, status, "no velocity has this momentum: %s",
                          noe_status_text(status));
    return begin(work, t, error);
}

enum noe_status noe_work_observe(struct noe_work *work, struct noe_observation *moment,
                                 struct noe_error *error) {
    const enum noe_status status = advance_measure(work, &moment->energy);
    moment->v = work->velocity;
    moment->values = work->values;
    moment->multipliers = work->now->multipliers;
    if (status == NOE_OK) return NOE_OK;
    return status_set(error, status, "step %ld: no velocity has this momentum: %s", work->now->k,
                      noe_status_text(status));
}
