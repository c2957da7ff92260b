/* A model as self-contained C99, with or without a step function. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EXPORT_EXPORT_H
#define MODEL_EXPORT_EXPORT_H

#include "base/status.h"
#include "model/codegen/writer.h"

/* A method with one velocity v a step on rotations and poses: the Lagrangian at the ends of the
 * step with weights b0 and b1, or in its middle. */
struct export_groups {
    const char *retraction; /* cay, exp, new, skew, or shift: new that moves poses as they stood */
    bool in_middle;
    real b0, b1;
};

/* A one-step method in plain numbers. With stages > 0, with V_j the unknowns and i, j = 1..stages,
 *   Q_i = q + h sum_j a_ij V_j,    P_i = p + h sum_j ahat_ij W_j,    P_i = L_v(t + c_i h, Q_i,
 * V_i), W_i = w(t + c_i h, Q_i, V_i),  q1 = q + h sum_j b_j V_j,         p1 = p + h sum_j bhat_j
 * W_j. With stages = 0 it is a sequence, p += kick_k h w(t, q), then q += drift_k h v(p), where t
 * advances with q; it serves separable systems with a diagonal mass matrix. */
struct export_method {
    const char *words; /* what it is, for a comment */
    int stages;
    const real *a, *ahat, *b, *bhat, *c;
    int nsubsteps;
    const real *kick, *drift;
    const struct export_groups *groups; /* what serves rotations and poses, or NULL */
};

/* What the parts of an exported file share. */
struct export_names {
    char lower[40], upper[40]; /* prefixes of functions and of constants */
};

/* The model as C with a function that takes one step of `method`; free() the result. */
enum noe_status export_with_stepper(const struct noe_model *model,
                                    const struct export_method *method, char **c_text,
                                    struct noe_error *error);

#endif
