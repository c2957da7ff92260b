/* Optimal control: a model's horizon cut into intervals, each of which is one step of a method. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_CONTROL_H
#define NOETHER_CONTROL_H

#include "noether.h"

#pragma GCC visibility push(default)

/* The stages of a step: points a part c of the step after its start, weights b, coefficients a by
 * row. */
struct noe_stages {
    int s;
    const noe_real *a, *b, *c;
    bool is_middle; /* on groups: the velocity of the stage is the unknown itself */
};

/* A function c(z), with a cost behind it as its last value, and its derivatives: entries of dc/dz
 * and those at and below the diagonal of the second derivative of weights . c. */
struct noe_block {
    int nz, nc; /* variables; values without the cost */
    int nj, nh;
    const int *jrow, *jcol, *hrow, *hcol;
};

enum noe_block_part { NOE_VALUES, NOE_JACOBIAN, NOE_HESSIAN };

/* A declared control: `rows` numbers from `first` on. */
struct noe_control {
    const char *name;
    int rank, rows, first;
};

/* What is to stay between two numbers at every stage, besides bounds of single variables. */
struct noe_path {
    const char *text;
    noe_real min, max;
};

/* A model's optimal control problem, read-only for callers. A point is g tau(x) with x in R^n; on
 * R^n g is zero, so that x is the point itself.
 *
 * Variables of an interval: x0 p0, velocities of stages, controls of stages, multipliers, the
 * length of the step, x1 p1. Its values: the discrete equations of Euler and Lagrange (s n), the
 * momentum at the start (n), the point at the end (n), constraints there, and the paths, stage
 * after stage.
 * Variables of the end: x p v, multipliers, and the length of a step. Its values: the Legendre
 * transform of v less p behind the reaction, and the constraints of v. */
struct noe_transcription {
    int n, np, m, s;  /* numbers of velocity, point and controls; stages */
    int nmultipliers; /* of holonomic constraints, which midpoint alone serves */
    bool has_free_end;
    noe_real end_least, end_most; /* of the end time, where it is free */
    long steps;                   /* stated; 0: not */
    int ncontrols;
    const struct noe_control *control;
    const noe_real *min, *max; /* of the controls' numbers */
    /* Bounds of coordinates and velocities of R^n that stand for themselves; infinite without. */
    const noe_real *q_least, *q_most, *v_least, *v_most;
    int npaths;
    const struct noe_path *path;
    const bool *q_is_final, *v_is_final, *q_is_periodic, *v_is_periodic;
    const noe_real *q_final, *v_final;
    struct noe_block interval, end;
    const char *note; /* why it is interpreted; NULL otherwise */
};

/* The equations of the model's problem with the stages of a method. Free with
 * noe_transcription_free; the model must outlive it. */
enum noe_status noe_transcription_create(struct noe_transcription **transcription,
                                         const struct noe_model *model,
                                         const struct noe_stages *stages,
                                         const struct noe_model_settings *settings,
                                         struct noe_error *error);
void noe_transcription_free(struct noe_transcription *transcription);

/* Where an interval, or the end, stands: its number k, and the points g about which its ends are
 * taken. */
struct noe_interval_place {
    long k;
    const noe_real *g0, *g1;
};

/* Evaluates a part of a block: `weights` (nc + 1) are read by NOE_HESSIAN alone. */
void noe_transcription_interval(const struct noe_transcription *transcription,
                                enum noe_block_part part, const struct noe_interval_place *place,
                                const noe_real *z, const noe_real *weights, noe_real *values);
void noe_transcription_end(const struct noe_transcription *transcription, enum noe_block_part part,
                           const struct noe_interval_place *place, const noe_real *z,
                           const noe_real *weights, noe_real *values);
/* The guess that the file states at time t: NaN where it states none. */
void noe_transcription_guess(const struct noe_transcription *transcription, noe_real t, noe_real *q,
                             noe_real *u);
/* The parameters of a run with the controls u: `nparameters` + `nprepared` numbers. */
void noe_transcription_hold(const struct noe_transcription *transcription, const noe_real *u,
                            noe_real *parameters);

/* The number of intervals that the model states; 0: none. */
long noe_model_control_steps(const struct noe_model *model);

#pragma GCC visibility pop

#endif
