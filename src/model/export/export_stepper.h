/* The step function of an exported model. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EXPORT_EXPORT_STEPPER_H
#define MODEL_EXPORT_EXPORT_STEPPER_H

#include "model/export/export.h"

/* Writes `text` with @ replaced by the lower-case name and $ by the upper-case one. */
void export_stepper_template(struct writer *out, const struct export_names *names,
                             const char *text);
/* `storage double name[] = {...};` over as many lines as it takes. */
void export_stepper_array(struct writer *out, const char *head, int count, const real *value);

/* The step function of a sequence of kicks and drifts; `mass` holds n numbers. */
void export_stepper_splitting(struct writer *out, const struct export_names *names, int n,
                              const real *mass, const struct export_method *method);
/* The step function of a method with stages, by Newton's iteration with dense elimination. */
void export_stepper_stages(struct writer *out, const struct export_names *names,
                           const struct export_method *method);
/* The step function of a method with one velocity a step, on rotations and poses. */
void export_stepper_groups(struct writer *out, const struct export_names *names,
                           const struct noe_system *system, const struct export_method *method);

/* Template of the elimination that they share. */
extern const char export_stepper_solve[];

#endif
