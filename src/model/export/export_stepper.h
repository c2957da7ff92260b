/* Step functions of an exported model, from templates. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EXPORT_EXPORT_STEPPER_H
#define MODEL_EXPORT_EXPORT_STEPPER_H

#include "model/export/export.h"

/* Writes `text` with @ replaced by the lower-case name and $ by the upper-case one. */
void export_stepper_template(struct writer *out, const struct export_names *names,
                             const char *text);
/* Writes `storage double name[] = {...};`, wrapped into lines. */
void export_stepper_array(struct writer *out, const char *head, int count, const real *value);

/* Step function of a splitting method, a sequence of kicks and drifts. `mass` has n elements. */
void export_stepper_splitting(struct writer *out, const struct export_names *names, int n,
                              const real *mass, const struct export_method *method);
/* Step function of a Runge-Kutta method, by Newton's method with dense elimination. */
void export_stepper_stages(struct writer *out, const struct export_names *names,
                           const struct export_method *method);
/* Step function of a Hamilton-Pontryagin method on rotations and poses. */
void export_stepper_groups(struct writer *out, const struct export_names *names,
                           const struct noe_system *system, const struct export_method *method);

/* Template of the Gaussian elimination that the step functions share. */
extern const char export_stepper_solve[];

#endif
