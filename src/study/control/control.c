/* Optimal control by direct transcription: the steps of a method over the horizon form one
 * nonlinear program. */
/* SPDX-License-Identifier: MIT */
#include "study/control/control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "study/control/control_block.h"

void control_list_factors(struct control_factors *factors, const struct noe_system *system) {
    factors->whole = (struct noe_factor){noe_space_find("vector"), system->n};
    factors->count = system->factors ? system->nfactors : 1;
    factors->factor = system->factors ? system->factors : &factors->whole;
}

enum noe_status control_open(struct control *control, const struct noe_model *model,
                             const char *method, real until, long N,
                             const struct noe_model_settings *settings, struct noe_error *error) {
    memset(control, 0, sizeof *control);
    control->model = model;
    control->interrupt = settings ? settings->interrupt : NULL;
    control->from = model->run.from;
    control->N = N;
    control->h = (until - model->run.from) / N;
    enum noe_status status = control_read_stages(control, method, error);
    if (status == NOE_OK)
        status =
            transcription_create(&control->transcription, model, &control->stages, settings, error);
    if (status == NOE_OK) status = control_read_ends(control, error);
    return status == NOE_OK ? control_program_make(control, error) : status;
}

void control_clear(struct control *control) {
    transcription_free(control->transcription);
    free(control->coefficients);
    free(control->periodic);
    free(control->reference);
    free(control->guess);
    free(control->x_least);
    free(control->jrow);
    free(control->z);
    free(control->weights);
    free(control->values);
    memset(control, 0, sizeof *control);
}

real control_time(const struct control *control, const double *x, long k) {
    return control->from + k * (real)x[control_step_at(control)];
}

void control_point(const struct control *control, const double *x, long k, real *q) {
    const struct noe_transcription *t = control->transcription;
    real *increment = control->z;
    for (int i = 0; i < t->n; i++) increment[i] = x[k * control->stride + i];
    product_retract(control->model->system, 0, q, control->reference + k * t->np, increment);
}

void control_input(const struct control *control, const double *x, long k, real c, real *u) {
    const struct noe_transcription *t = control->transcription;
    const double *stage = x + k * control->stride + 2 * t->n + t->s * t->n;
    for (int i = 0; i < t->m; i++) u[i] = 0;
    for (int j = 0; j < t->ninputs; j++) { /* interpolation polynomial through the stages */
        real weight = 1;
        for (int l = 0; l < t->ninputs; l++)
            if (l != j)
                weight *=
                    (c - control->stages.c[l]) / (control->stages.c[j] - control->stages.c[l]);
        for (int i = 0; i < t->m; i++) u[i] += weight * (real)stage[j * t->m + i];
    }
}

void control_costate(const struct control *control, const struct control_solution *solution, long k,
                     real *costate) {
    const struct noe_transcription *t = control->transcription;
    const bool is_end = k == control->N; /* use the bounds of the previous interval */
    const long block = is_end ? k - 1 : k;
    const int first = is_end ? t->interval.nz - 2 * t->n : 0;
    double *own = calloc((size_t)t->interval.nz + 1, sizeof *own);
    for (int i = 0; i < 2 * t->n; i++) costate[i] = (real)NAN;
    if (!own) return;
    control_block_derivative(control, solution->x, solution->lambda + block * t->interval.nc, block,
                             own);
    for (int i = 0; i < 2 * t->n; i++) costate[i] = is_end ? -own[first + i] : own[i];
    free(own);
}
