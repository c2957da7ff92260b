/* Optimal control: the steps of a method over a whole horizon as one nonlinear program. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_CONTROL_CONTROL_H
#define STUDY_CONTROL_CONTROL_H

#include "base/real.h"
#include "noether_control.h"
#include "study/control/nlp.h"

/* A problem on a grid of N intervals. Node k has x and p (2n numbers), then the interval its
 * stages' velocities and controls, and multipliers; behind the last node stand its velocity,
 * multipliers and the length of a step. */
struct control {
    const struct noe_model *model;
    struct noe_transcription *transcription;
    struct noe_stages stages;
    real *coefficients;
    long N;
    real from, h; /* h: of the first guess, or given */
    int stride;   /* numbers of a node and the interval after it */
    int nx, ng, nj, nh;
    /* Is the velocity of the start unknown? It stands before the length of a step then. */
    bool has_open_start;
    int nperiodic;
    int *periodic;   /* numbers of x p v that are the same at both ends */
    real *reference; /* g about which node k is taken: np numbers each */
    double *x_least, *x_most, *g_least, *g_most;
    int *jrow, *jcol, *hrow, *hcol;
    real *z, *weights, *values;    /* of one block */
    real *guess;                   /* where guesses are made */
    const volatile int *interrupt; /* not 0: a search ends; may be NULL */
};

struct control_solution {
    enum noe_status status;
    char words[480]; /* how the solver ended */
    double *x, *g, *lambda, *z_least, *z_most;
    double cost, kkt_error, violation;
    int iterations;
    double seconds, seconds_in_derivatives;
    /* The derivative of the Lagrange function by the length of interval k, which a minimum of a
     * problem without time keeps constant: N numbers, and how far apart they are. */
    double *hamiltonian, hamiltonian_spread;
    real replay_error; /* NaN: the replay failed */
};

/* Fills `control` for N intervals of `method` up to `until`. Clear it in every case. */
enum noe_status control_open(struct control *control, const struct noe_model *model,
                             const char *method, real until, long N,
                             const struct noe_model_settings *settings, struct noe_error *error);
void control_clear(struct control *control);

/* Memory for a solution. */
enum noe_status control_solution_make(struct control_solution *solution,
                                      const struct control *control);
void control_solution_clear(struct control_solution *solution);

/* The default guess: straight from the start to what is final, or what the file states; start > 0
 * adds random waves of the stream (seed, start). */
void control_guess(struct control *control, long start, unsigned long seed, double *x);
/* A guess from the solution on another grid. */
void control_guess_from(struct control *control, const struct control *other, const double *other_x,
                        double *x);
/* Solves from the guess in solution->x. */
enum noe_status control_solve(struct control *control, double tolerance, int iterations_max,
                              struct control_solution *solution, struct noe_error *error);
/* Runs the controls from the start with `parts` steps of a method in each interval: the largest
 * difference of q at the end, and without constraints of p; NaN where it fails. */
real control_follow(const struct control *control, const double *x, const char *method, int parts);
/* The same in the continuous dynamics, finely. */
real control_replay(const struct control *control, const double *x);

/* Node k: time, point, momentum; controls at a part c of interval k. */
real control_time(const struct control *control, const double *x, long k);
void control_point(const struct control *control, const double *x, long k, real *q);
static inline const double *control_momentum(const struct control *control, const double *x,
                                             long k) {
    return x + k * control->stride + control->transcription->n;
}
void control_input(const struct control *control, const double *x, long k, real c, real *u);
/* Derivatives of the cost to go by the point and p of node k: 2n numbers, on groups in the body's
 * frame. */
void control_costate(const struct control *control, const struct control_solution *solution, long k,
                     real *costate);

#endif
