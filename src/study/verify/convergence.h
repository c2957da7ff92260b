/* The error of a method at the end of a horizon against a tight reference, and its order. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_VERIFY_CONVERGENCE_H
#define STUDY_VERIFY_CONVERGENCE_H

#include "base/real.h"
#include "noether.h"

/* What is integrated: the same for the reference and for every row. */
struct convergence_task {
    const struct noe_system *system;
    const char *method;
    real from, until;
    const real *q, *v;
    long reference_steps_max;
};

struct convergence_reference {
    int count, np;  /* numbers of the end state (q,p), and of q */
    real *end;      /* owned */
    real agreement; /* largest difference between the last two references */
    real scale;     /* largest number of the end state */
    char words[200];
};

struct convergence_row {
    long steps;
    real h;
    real error; /* largest absolute difference of (q,p) at the end; NaN: the run failed */
    real q_error, p_error; /* of q alone, and of p */
    real energy_error;     /* how far the energy at the end is from that at the start */
    real order;            /* against the row before; NaN: none */
};

/* A method of high order that serves the system; NULL: there is none. */
const char *convergence_method(const struct noe_system *system);
/* Integrates by such a method, or by the task's own where there is none, refined until two results
 * agree as well as rounding lets them. Clear `reference` in every case. */
enum noe_status convergence_refer(struct convergence_reference *reference,
                                  const struct convergence_task *task, long first_steps,
                                  struct noe_error *error);
void convergence_reference_clear(struct convergence_reference *reference);

/* The error with row->steps equal steps. A failed run leaves NaN and its status. */
enum noe_status convergence_measure(struct convergence_row *row,
                                    const struct convergence_reference *reference,
                                    const struct convergence_task *task, struct noe_error *error);
/* The largest absolute difference of (q,p), a state whose points have np numbers, to the end. */
real convergence_distance(const struct convergence_reference *reference, int np,
                          const struct noe_state *state);
/* Fills the order of each row against the one before it. */
void convergence_orders(int count, struct convergence_row *row);
/* The order between the two finest rows whose errors stand clear of rounding; NaN: none do.
 * `doubt` (may be NULL): how far the next pair is from it; NaN: there is none. */
real convergence_order(real *doubt, int count, const struct convergence_row *row,
                       const struct convergence_reference *reference);

#endif
