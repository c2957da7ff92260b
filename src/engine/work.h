/* The mutable state of a run, in one block of memory. */
/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_WORK_H
#define ENGINE_WORK_H

#include "base/arena.h"
#include "engine/adaptive_step.h"
#include "engine/continuation.h"
#include "engine/fixed_point.h"
#include "engine/newton.h"
#include "engine/predictor.h"
#include "mechanics/interval.h"
#include "mechanics/legendre.h"
#include "mechanics/multipliers.h"
#include "methods/method.h"

struct noe_work {
    const struct noe_problem *problem;
    struct noe_state state[2], *now, *next; /* `now` changes only if a step succeeds */
    real t0;                                /* time of step 0 */
    real t0_before; /* time of step 0 before the last step of a given step size */
    real h;         /* step size of the problem */
    real h_next;    /* next step size if the method adapts it */
    struct noe_interval interval;
    struct legendre legendre;
    struct newton newton;
    struct predictor predictor;
    struct fixed_point fixed_point;
    struct adaptive_step adaptive_step;
    struct continuation follow;
    bool has_guess; /* newton.u holds the initial guess */
    /* Library versions of advance_by_newton, advance_newton_fallback and continuation_solve, for a
     * specialised stepper that seldom needs them or has large matrices. */
    noe_lane_status (*by_newton)(struct noe_work *);
    noe_lane_status (*newton_fallback)(struct noe_work *, noe_lane_status, mask);
    noe_lane_status (*continuation_solve)(struct noe_work *, noe_lane_status, mask);
    struct multipliers multipliers;
    real *velocity, *values; /* results of noe_work_observe; multipliers follow the velocity */
    real *constraint;        /* constraint functions g, psi, psi_t */
    real *variation;         /* 4n numbers: a tangent vector before and after a step */
    struct noe_step_stats effort;
    noe_lane_status outcome; /* status of inactive lanes */
    lane_index last_step;    /* last step of inactive lanes */
    bool has_start;
    bool has_singular_mass;      /* L_vv is singular at the start */
    struct work_parameters *own; /* the run's own parameters; NULL: those of the problem */
};

/* Measures or carves the memory of a run, like linear_layout. Returns NULL while it measures. */
struct noe_work *work_layout(struct arena *arena, const struct noe_problem *problem);
/* Initialises carved memory, which must be zero. */
enum noe_status work_open(struct noe_work *work, const struct noe_problem *problem);
/* Frees memory outside the block. */
void work_close(struct noe_work *work);
/* Starts from the time, configuration and momentum in `now`. */
void work_restart(struct noe_work *work);
/* After a change of parameters in the lanes `where`, at whose old values the state has the energy
 * `before`: updates everything that depends on parameters. Targets of the energy move by the jump
 * of the energy. */
void work_parameters_changed(struct noe_work *work, mask where, real before);

/* The problem of a run. It is a compile-time constant in a specialised stepper, as in
 * interval_problem. */
static inline const struct noe_problem *work_problem(const struct noe_work *work) {
    return interval_problem(&work->interval);
}

/* Parts of the step path that the problem of a specialised stepper does not use. The generated file
 * defines these macros, so that the preprocessor removes them. */
#ifdef NOE_WITHOUT_ENERGY_EQUATION
#define WORK_HAS_ENERGY_EQUATION(work) false
#else
#define WORK_HAS_ENERGY_EQUATION(work)                                                             \
    (work_problem(work)->internals->scheme->energy_equation != NULL)
#endif
#ifdef NOE_WITHOUT_FIXED_POINT
#define WORK_HAS_FIXED_POINT(work) false
#else
#define WORK_HAS_FIXED_POINT(work) kernel_is_fixed_point(work_problem(work))
#endif

/* The linear solver in use: "none", "dense", "lapack" or "sparse". */
const char *work_solver(const struct noe_work *work);

#endif
