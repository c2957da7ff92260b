/* Optimal control by direct transcription: the steps of a method over the horizon form one
 * nonlinear program. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_CONTROL_CONTROL_H
#define STUDY_CONTROL_CONTROL_H

#include "base/real.h"
#include "model/control/transcription.h"
#include "study/control/nlp.h"

/* A problem on a grid of N intervals. The variables of node k are x and p (2n numbers). The stage
 * velocities, controls and multipliers of interval k follow. After the last node come its velocity,
 * its multipliers and the step size. */
struct control {
    const struct noe_model *model;
    struct noe_transcription *transcription;
    struct noe_stages stages;
    real *coefficients;
    long N;
    real from, h; /* h: given step size, or that of the initial guess */
    int stride;   /* number of variables of a node and the interval after it */
    int nx, ng, nj, nh;
    /* The initial velocity is unknown. It precedes the step size among the variables. */
    bool has_open_start;
    int nperiodic;
    int *periodic;   /* indices of the components of x, p, v that are equal at both ends */
    real *reference; /* reference points on the groups, np numbers per node */
    double *x_least, *x_most, *g_least, *g_most;
    int *jrow, *jcol, *hrow, *hcol;
    real *z, *weights, *values;    /* scratch of one block */
    real *guess;                   /* scratch for initial guesses */
    const volatile int *interrupt; /* not 0: stop the solver; may be NULL */
};

struct control_solution {
    enum noe_status status;
    char words[480]; /* exit message of the solver */
    double *x, *g, *lambda, *z_least, *z_most;
    double cost, kkt_error, violation;
    int iterations;
    double seconds, seconds_in_derivatives;
    /* Derivative of the Lagrange function by the length of interval k (N numbers), and the spread
     * of these values. In an autonomous problem it is constant at a minimum. */
    double *hamiltonian, hamiltonian_spread;
    real replay_error; /* NaN: the replay failed */
};

/* Transcribes the problem with N intervals of `method` up to `until`. Clear `control` in every
 * case. */
enum noe_status control_open(struct control *control, const struct noe_model *model,
                             const char *method, real until, long N,
                             const struct noe_model_settings *settings, struct noe_error *error);
void control_clear(struct control *control);

/* Allocates a solution. */
enum noe_status control_solution_make(struct control_solution *solution,
                                      const struct control *control);
void control_solution_clear(struct control_solution *solution);

/* Writes an initial guess: the geodesic from the initial to the final configuration, or the guess
 * of the model file. start > 0 adds random sine waves from the stream (seed, start). */
void control_guess(struct control *control, long start, unsigned long seed, double *x);
/* Interpolates a guess from the solution on another grid. */
void control_guess_from(struct control *control, const struct control *other, const double *other_x,
                        double *x);
/* Solves from the initial guess in solution->x. */
enum noe_status control_solve(struct control *control, double tolerance, int iterations_max,
                              struct control_solution *solution, struct noe_error *error);
/* Simulates the controls with `parts` steps of a method per interval. Returns the largest
 * difference of q at the end, and of p if there are no constraints; NaN if it fails. */
real control_follow(const struct control *control, const double *x, const char *method, int parts);
/* Simulates the controls in the continuous dynamics with a fine reference method. Writes the
 * largest difference at the end, NaN on failure. */
enum noe_status control_replay(const struct control *control, const double *x, real *error);

/* Node k: time, configuration, momentum. Controls at the fraction c of interval k. */
real control_time(const struct control *control, const double *x, long k);
void control_point(const struct control *control, const double *x, long k, real *q);
static inline const double *control_momentum(const struct control *control, const double *x,
                                             long k) {
    return x + k * control->stride + control->transcription->n;
}
void control_input(const struct control *control, const double *x, long k, real c, real *u);
/* Costate: derivatives of the cost-to-go by the configuration and momentum of node k, 2n numbers,
 * in the body frame on groups. */
void control_costate(const struct control *control, const struct control_solution *solution, long k,
                     real *costate);

#endif
