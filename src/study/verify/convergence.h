/* Error of a method at the end of the horizon against a reference solution, and its observed
 * order. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_VERIFY_CONVERGENCE_H
#define STUDY_VERIFY_CONVERGENCE_H

#include "base/real.h"
#include "noether.h"

/* Initial value problem of the reference and of every row. */
struct convergence_task {
    const struct noe_system *system;
    const char *method;
    real from, until;
    const real *q, *v;
    long reference_steps_max;
};

struct convergence_reference {
    int count, np;  /* components of the final state (q,p), and of q */
    real *end;      /* owned */
    real agreement; /* largest difference between the last two refinements */
    real scale;     /* largest magnitude in the final state */
    char words[200];
};

struct convergence_row {
    long steps;
    real h;
    real error; /* largest absolute difference of (q,p) at the end; NaN: the run failed */
    real q_error, p_error; /* errors of q and of p */
    real energy_error;     /* change of the energy from start to end */
    real order;            /* observed order against the previous row; NaN: none */
};

/* A method of high order that supports the system; NULL if there is none. */
enum noe_status convergence_method(const struct noe_system *system, const char **method,
                                   struct noe_error *error);
/* Computes the reference by such a method, or by the task's own method if there is none, refined
 * until two results agree to round-off. Clear `reference` in every case. */
enum noe_status convergence_refer(struct convergence_reference *reference,
                                  const struct convergence_task *task, long first_steps,
                                  struct noe_error *error);
void convergence_reference_clear(struct convergence_reference *reference);

/* Error with row->steps equal steps. If the run fails, the error is NaN and the status is set. */
enum noe_status convergence_measure(struct convergence_row *row,
                                    const struct convergence_reference *reference,
                                    const struct convergence_task *task, struct noe_error *error);
/* Largest absolute difference between (q,p), where q has np components, and the end of the
 * reference. */
real convergence_distance(const struct convergence_reference *reference, int np,
                          const struct noe_state *state);
/* Computes the order of each row against the previous one. */
void convergence_orders(int count, struct convergence_row *row);
/* Observed order between the two finest rows whose errors are above round-off; NaN if there are
 * none. `doubt` (may be NULL) is the difference from the order of the next pair; NaN if there is
 * none. */
real convergence_order(real *doubt, int count, const struct convergence_row *row,
                       const struct convergence_reference *reference);

#endif
