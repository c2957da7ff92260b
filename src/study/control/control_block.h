/* The blocks of an optimal control problem: its intervals, its end, and its start where that is
 * open. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_CONTROL_CONTROL_BLOCK_H
#define STUDY_CONTROL_CONTROL_BLOCK_H

#include "spaces/product.h"
#include "study/control/control.h"

/* Blocks 0 .. N-1 are the intervals and N the end. Block N + 1 ties the velocity of the start to
 * its momentum, as the end does; it costs nothing. */
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

/* Where the length of a step stands, and the velocity of an open start. */
static inline int control_step_at(const struct control *control) { return control->nx - 1; }
static inline int control_start_velocity_at(const struct control *control) {
    return control->nx - 1 - control->transcription->n;
}

/* The first row of the paths of interval k. */
static inline long control_path_row(const struct control *control, long k) {
    const struct noe_transcription *t = control->transcription;
    return k * t->interval.nc + (t->s + 2) * t->n + t->nmultipliers;
}

/* Variable j of block k. */
int control_variable(const struct control *control, long k, int j);
/* A part of block k at x, valid until the next call; weights are control->weights. */
const real *control_evaluate(const struct control *control, const double *x, long k,
                             enum noe_block_part part);
/* Adds the derivative of cost + lambda.c of block k to `out`, which has a number for each of its
 * variables; lambda is that of its rows. */
void control_block_derivative(const struct control *control, const double *x, const double *lambda,
                              long k, double *out);

/* The sizes nx, ng, nj, nh, and memory for them. */
enum noe_status control_program_make(struct control *control, struct noe_error *error);
/* How many numbers a guess works with. */
size_t control_guess_room(const struct control *control);
/* The problem as a nonlinear program, whose data is `control`. */
struct nlp control_program(struct control *control);
/* The violation of equations and bounds at x, whose constraints are written to g. */
double control_violation(struct control *control, const double *x, double *g);

/* The coefficients of a method whose step is stationary for a discrete action. */
enum noe_status control_read_stages(struct control *control, const char *method,
                                    struct noe_error *error);

/* What the factors of the space are; of R^n as a whole there is one. */
struct control_factors {
    int count;
    const struct noe_factor *factor;
    struct noe_factor whole;
};
void control_list_factors(struct control_factors *factors, const struct noe_system *system);
/* The number of a point that says whether tangent i of a factor is final or periodic: its own on
 * R^n; of a group that of R, or of the position of a pose, which are given as wholes. */
static inline int control_number_of(const struct noe_factor *factor, int i) {
    return factor->space->frame ? (i < 3 ? 0 : 9) : i;
}

/* Which numbers of a node are periodic, and whether all that is stated of the ends can be. */
enum noe_status control_read_ends(struct control *control, struct noe_error *error);
/* Bounds of all variables and equations, with the start and what is final. */
void control_set_bounds(struct control *control);
/* Takes nodes on groups about the points of x itself. */
void control_recentre(struct control *control, double *x);

#endif
