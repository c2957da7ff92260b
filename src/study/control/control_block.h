/* Blocks of a transcribed optimal control problem: its intervals, its end, and its start if the
 * initial velocity is unknown. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_CONTROL_CONTROL_BLOCK_H
#define STUDY_CONTROL_CONTROL_BLOCK_H

#include "spaces/product.h"
#include "study/control/control.h"

/* Blocks 0 .. N-1 are the intervals, and block N is the end. Block N + 1 relates the initial
 * velocity to the initial momentum, as block N does at the end. It has no cost. */
static inline long control_blocks(const struct control *control) {
    return control->N + 1 + control->has_open_start;
}

static inline const struct noe_block *control_block(const struct control *control, long k) {
    const struct noe_transcription *t = control->transcription;
    return k < control->N ? &t->interval : &t->end;
}

static inline bool control_block_costs(const struct control *control, long k) {
    return k <= control->N;
}

/* Index of the step size, and of the unknown initial velocity. */
static inline int control_step_at(const struct control *control) { return control->nx - 1; }
static inline int control_start_velocity_at(const struct control *control) {
    return control->nx - 1 - control->transcription->n;
}

/* First row of the path constraints of interval k. */
static inline long control_path_row(const struct control *control, long k) {
    const struct noe_transcription *t = control->transcription;
    return k * t->interval.nc + (t->s + 2) * t->n + t->nmultipliers;
}

/* Fraction of an interval at which value j of the controls acts: a stage, or the middle if the
 * controls are constant. */
static inline real control_input_place(const struct control *control, int j) {
    return noe_stages_hold_controls(&control->stages) ? (real)0.5 : control->stages.c[j];
}

/* Index of variable j of block k. */
int control_variable(const struct control *control, long k, int j);
/* Evaluates a function of block k at x, with weights control->weights. The result is valid until
 * the next call. */
const real *control_evaluate(const struct control *control, const double *x, long k,
                             enum noe_block_part part);
/* Adds the derivative of cost + lambda.c of block k to `out`, which has one number per variable of
 * the block. lambda are the multipliers of its rows. */
void control_block_derivative(const struct control *control, const double *x, const double *lambda,
                              long k, double *out);

/* Counts the sizes nx, ng, nj, nh and allocates memory for them. */
enum noe_status control_program_make(struct control *control, struct noe_error *error);
/* Number of reals that a guess needs as scratch. */
size_t control_guess_room(const struct control *control);
/* The problem as a nonlinear program whose callback data is `control`. */
struct nlp control_program(struct control *control);
/* Violation of equations and bounds at x. Writes the constraints to g. */
double control_violation(struct control *control, const double *x, double *g);

/* Reads the coefficients of a method whose step is stationary for a discrete action. */
enum noe_status control_read_stages(struct control *control, const char *method,
                                    struct noe_error *error);

/* Factors of the configuration space. R^n as a whole is one factor. */
struct control_factors {
    int count;
    const struct noe_factor *factor;
    struct noe_factor whole;
};
void control_list_factors(struct control_factors *factors, const struct noe_system *system);
/* Index of the component of q that decides whether tangent component i of a factor is final or
 * periodic. On R^n it is component i. A rotation, and the position of a pose, are given as
 * wholes. */
static inline int control_number_of(const struct noe_factor *factor, int i) {
    return factor->space->frame ? (i < 3 ? 0 : 9) : i;
}

/* Finds the periodic components of a node. Fails if the boundary conditions cannot be met. */
enum noe_status control_read_ends(struct control *control, struct noe_error *error);
/* Sets the bounds of all variables and equations, including initial and final values. */
void control_set_bounds(struct control *control);
/* Moves the reference points of nodes on groups to the current configuration. */
void control_recentre(struct control *control, double *x);

#endif
