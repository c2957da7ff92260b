/* Simulation of the controls of a solution in the continuous dynamics. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "study/control/control.h"

enum { FINE_PARTS = 8 }; /* steps of the reference method per interval */

/* The system of the model with the controls of a solution as parameters. */
struct replay {
    struct noe_system system; /* must be first: callbacks cast it to struct replay */
    struct noe_system held;   /* the system of the model, with `parameters` */
    const struct control *control;
    const double *x;
    real *parameters, *u;
    real h;
    long k; /* index of the interval that contains the step */
};

static const struct noe_system *hold(const struct noe_system *system, real t) {
    const struct replay *replay = (const struct replay *)system;
    const struct control *control = replay->control;
    const real c = (t - control->from) / replay->h - replay->k;
    control_input(control, replay->x, replay->k, c, replay->u);
    transcription_hold(control->transcription, replay->u, replay->parameters);
    return &replay->held;
}

static noe_real lagrangian(const struct noe_system *s, noe_real t, const noe_real *q,
                           const noe_real *v) {
    const struct noe_system *held = hold(s, t);
    return held->lagrangian(held, t, q, v);
}

static void first(const struct noe_system *s, noe_real t, const noe_real *q, const noe_real *v,
                  noe_real *p, noe_real *w) {
    const struct noe_system *held = hold(s, t);
    held->first(held, t, q, v, p, w);
}

static void momentum(const struct noe_system *s, noe_real t, const noe_real *q, const noe_real *v,
                     noe_real *p, noe_real *pv) {
    const struct noe_system *held = hold(s, t);
    held->momentum(held, t, q, v, p, pv);
}

static void second(const struct noe_system *s, noe_real t, const noe_real *q, const noe_real *v,
                   noe_real *p, noe_real *w, noe_real *d) {
    const struct noe_system *held = hold(s, t);
    held->second(held, t, q, v, p, w, d);
}

static void open_replay(struct replay *replay, const struct control *control, const double *x,
                        real *memory) {
    const struct noe_system *system = control->model->system;
    *replay = (struct replay){.system = *system,
                              .held = *system,
                              .control = control,
                              .x = x,
                              .u = memory,
                              .parameters = memory + control->transcription->m,
                              .h = (real)x[control->nx - 1]};
    replay->held.parameters = replay->parameters;
    replay->system.traits &= ~(unsigned)(NOE_AUTONOMOUS | NOE_UNFORCED);
    replay->system.nquantities = replay->system.nvalues = replay->system.nevents = 0;
    replay->system.lagrangian = lagrangian;
    replay->system.force = NULL;
    replay->system.first = first;
    replay->system.momentum = momentum;
    replay->system.second = second;
    replay->system.gradient = NULL;
    replay->system.force_simd = NULL;
    replay->system.stage_simd = NULL;
}

/* Integrates to the end. noe_work_state(work) is then the final state. */
static enum noe_status run(struct replay *replay, int parts, struct noe_work *work) {
    const struct control *control = replay->control;
    const int n = control->transcription->n, np = control->transcription->np;
    real *q = calloc((size_t)(np + n) + 1, sizeof *q), *p = q + np;
    enum noe_status status = q ? NOE_OK : NOE_NO_MEMORY;
    if (q) {
        control_point(control, replay->x, 0, q);
        for (int i = 0; i < n; i++) p[i] = control_momentum(control, replay->x, 0)[i];
        status = noe_work_start_momentum(work, control->from, q, p, NULL);
    }
    for (replay->k = 0; status == NOE_OK && replay->k < control->N; replay->k++)
        status = noe_work_steps(work, parts, NULL);
    free(q);
    return status;
}

/* Largest difference of q from the last node, and of p if there are no constraints. With
 * constraints p is defined only up to the constraint forces at the end. */
static real distance_to_end(const struct control *control, const double *x,
                            const struct noe_state *state, real *q) {
    const struct noe_transcription *t = control->transcription;
    const double *p = control_momentum(control, x, control->N);
    real error = 0;
    control_point(control, x, control->N, q);
    for (int i = 0; i < t->np; i++) error = noe_max(error, noe_abs(state->q[i] - q[i]));
    for (int i = 0; i < t->n && t->nmultipliers == 0; i++)
        error = noe_max(error, noe_abs(state->p[i] - (real)p[i]));
    return error;
}

/* Writes the distance at the end, NaN on failure. */
static enum noe_status follow(const struct control *control, const double *x, const char *method,
                              int parts, real *error) {
    const struct noe_transcription *t = control->transcription;
    const size_t numbers =
        (size_t)(control->model->system->nparameters + control->model->system->nprepared);
    real *memory = calloc((size_t)t->m + numbers + (size_t)t->np + 1, sizeof *memory);
    struct replay replay;
    struct noe_problem problem;
    struct noe_work *work = NULL;
    *error = (real)NAN;
    if (!memory) return NOE_NO_MEMORY;
    open_replay(&replay, control, x, memory);
    enum noe_status status =
        noe_problem_init(&problem, &replay.system, method, replay.h / parts, NULL);
    if (status == NOE_OK) status = noe_work_create(&work, &problem, NULL);
    if (status == NOE_OK) status = run(&replay, parts, work);
    if (status == NOE_OK)
        *error = distance_to_end(control, x, noe_work_state(work), memory + (size_t)t->m + numbers);
    noe_work_free(work);
    noe_problem_clear(&problem);
    free(memory);
    return status;
}

real control_follow(const struct control *control, const double *x, const char *method, int parts) {
    real error;
    follow(control, x, method, parts, &error);
    return error;
}

enum noe_status control_replay(const struct control *control, const double *x, real *error) {
    const bool is_free = control->transcription->nmultipliers == 0;
    return is_free ? follow(control, x, "gauss stages=4", FINE_PARTS, error)
                   : follow(control, x, "lobatto stages=4", 1, error);
}
