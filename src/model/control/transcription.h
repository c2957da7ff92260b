/* Optimal control: the transcription of a model's control problem to a nonlinear program. The
 * horizon is divided into intervals, each of which is one step of a method. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CONTROL_TRANSCRIPTION_H
#define MODEL_CONTROL_TRANSCRIPTION_H

#include "noether_model.h"

/* The equations that an interval takes from its stages. */
enum noe_stage_rule {
    NOE_STAGES_VARIATIONAL, /* a discrete action with the stages of a tableau */
    NOE_STAGES_HAMILTONIAN, /* Hamilton's equations by a Runge-Kutta tableau, on R^n */
    NOE_STAGES_MIDPOINT,    /* one node at the midpoint, on groups or with constraints */
    NOE_STAGES_ENDPOINT,    /* nodes at the ends of the step with one velocity, on groups */
};

/* The coefficients of a step: nodes c, weights b, matrix a, row-major. With NOE_STAGES_MIDPOINT and
 * NOE_STAGES_ENDPOINT the velocity of a stage is the unknown itself. */
struct noe_stages {
    int s;
    const noe_real *a, *b, *c;
    enum noe_stage_rule rule;
    int retraction; /* index of that of the step in the order of NOE_RETRACTIONS */
};

/* True if the controls are constant on an interval. They have one value per stage else. */
static inline bool noe_stages_hold_controls(const struct noe_stages *stages) {
    return stages->rule == NOE_STAGES_HAMILTONIAN;
}

/* A function c(z), with a cost behind it as its last value, and its derivatives: entries of dc/dz
 * and those at and below the diagonal of the second derivative of weights . c. */
struct noe_block {
    int nz, nc; /* variables; values without the cost */
    int nj, nh;
    const int *jrow, *jcol, *hrow, *hcol;
};

enum noe_block_part { NOE_VALUES, NOE_JACOBIAN, NOE_HESSIAN };

/* A declared control: components first .. first + rows - 1. */
struct noe_control {
    const char *name;
    int rank, rows, first;
};

/* A path constraint min <= c(q, v, u) <= max, enforced at every stage. Bounds of single variables
 * are in struct noe_control_bounds. */
struct noe_path {
    const char *text;
    noe_real min, max;
};

/* Bounds of controls, and of coordinates and velocities of R^n that are bounded alone; infinite if
 * none is stated. */
struct noe_control_bounds {
    const noe_real *u_min, *u_max, *q_min, *q_max, *v_min, *v_max;
};

/* Conditions at the end: given values, or equality with the start. */
struct noe_control_boundary {
    const bool *q_is_final, *v_is_final, *q_is_periodic, *v_is_periodic;
    const noe_real *q_final, *v_final;
};

/* The end time and the number of intervals. */
struct noe_horizon {
    bool has_free_end;
    noe_real end_min, end_max; /* bounds of a free end time */
    long steps;                /* 0: not stated */
};

/* A transcription; read-only. A point is g tau(x) with x in R^n; on R^n g is zero, so that x is the
 * point itself.
 *
 * Variables of an interval: x0 p0, velocities of stages, values of the controls, multipliers, the
 * step size, x1 p1. Its values: the discrete Euler-Lagrange equations (s n), the momentum at the
 * start (n), the point at the end (n), constraints there, and the path constraints, stage after
 * stage. Variables of the end: x p v, multipliers, and the step size. Its values: the Legendre
 * transform of v minus p after the reaction, and the constraints of v. */
struct noe_transcription {
    int n, np, m, s;  /* components of velocity, point and controls; stages */
    int ninputs;      /* values of the controls in an interval: s, or 1 if they are held */
    int nmultipliers; /* multipliers of holonomic constraints; only midpoint supports them */
    struct noe_horizon horizon;
    int ncontrols;
    const struct noe_control *control;
    int npaths;
    const struct noe_path *path;
    struct noe_control_bounds bounds;
    struct noe_control_boundary boundary;
    struct noe_block interval, end;
    const char *note; /* reason why it is interpreted; else NULL */
};

/* Transcribes the model's control problem with the coefficients of a method. Free with
 * transcription_free; the model must outlive it. */
enum noe_status transcription_create(struct noe_transcription **transcription,
                                     const struct noe_model *model, const struct noe_stages *stages,
                                     const struct noe_model_settings *settings,
                                     struct noe_error *error);
void transcription_free(struct noe_transcription *transcription);

/* An interval or the end: its number k, and the base points g of its two ends. */
struct noe_interval_place {
    long k;
    const noe_real *g0, *g1;
};

/* Evaluates values, Jacobian or Hessian of a block; only NOE_HESSIAN reads `weights` (nc + 1). */
void transcription_interval(const struct noe_transcription *transcription, enum noe_block_part part,
                            const struct noe_interval_place *place, const noe_real *z,
                            const noe_real *weights, noe_real *values);
void transcription_end(const struct noe_transcription *transcription, enum noe_block_part part,
                       const struct noe_interval_place *place, const noe_real *z,
                       const noe_real *weights, noe_real *values);
/* The guess that the file states at time t; NaN if it states none. */
void transcription_guess(const struct noe_transcription *transcription, noe_real t, noe_real *q,
                         noe_real *u);
/* The parameters of a run with controls u: system->nparameters + system->nprepared numbers. */
void transcription_hold(const struct noe_transcription *transcription, const noe_real *u,
                        noe_real *parameters);

/* The number of intervals that the model states; 0: none is stated. */
long transcription_control_steps(const struct noe_model *model);

#endif
