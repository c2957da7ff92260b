/* Export: a model as self-contained C99, with or without a step function. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EXPORT_EXPORT_H
#define MODEL_EXPORT_EXPORT_H

#include "base/status.h"
#include "model/codegen/writer.h"
#include "noether_model.h"

/* A Hamilton-Pontryagin method with one velocity v per step on rotations and poses. The Lagrangian
 * is evaluated at the ends of the step with weights b0 and b1, or at the midpoint. */
struct export_groups {
    const char *retraction; /* cay, exp, new, skew, or shift: new with the translation v */
    bool in_middle;
    real b0, b1;
};

/* A one-step method given by its coefficients. If stages > 0 it is a partitioned Runge-Kutta method
 * with the unknowns V_j, i, j = 1..stages:
 *   Q_i = q + h sum_j a_ij V_j,            P_i = p + h sum_j ahat_ij W_j,
 *   P_i = L_v(t + c_i h, Q_i, V_i),        W_i = w(t + c_i h, Q_i, V_i),
 *   q1 = q + h sum_j b_j V_j,              p1 = p + h sum_j bhat_j W_j.
 * If stages = 0 it is a splitting method, a sequence of kicks p += kick_k h w(t, q) and drifts
 * q += drift_k h v(p), where t advances with q. It requires a separable system with a diagonal mass
 * matrix. */
struct export_method {
    const char *words; /* description, for a comment */
    int stages;
    const real *a, *ahat, *b, *bhat, *c;
    int nsubsteps;
    const real *kick, *drift;
    const struct export_groups *groups; /* variant for rotations and poses, or NULL */
};

/* Names shared by the parts of an exported file. */
struct export_names {
    char lower[40], upper[40]; /* prefixes of functions and of constants */
};

/* The model as C with a function that takes one step of `method`, or without one if it is NULL. The
 * caller frees the result. */
enum noe_status export_with_stepper(const struct noe_model *model,
                                    const struct export_method *method, char **c_text,
                                    struct noe_error *error);

#endif
