/* Objective functions stated in text, and runs that minimise them. */
/* SPDX-License-Identifier: MIT */
#include "objective.h"

struct objective objective_open(const char *text) {
    struct objective objective = {.model = model_text_open(text, true)};
    struct noe_error error = {0};
    const struct noe_model_settings settings = {.interpret = true};
    if (noe_objective_create(&objective.function, objective.model, &settings, &error) != NOE_OK)
        fail_msg("%s", error.text);
    return objective;
}

void objective_close(struct objective *objective) {
    noe_objective_free(objective->function);
    noe_model_free(objective->model);
}

static enum noe_status keep(void *visitor, const struct noe_iterate *iterate) {
    struct objective_trace *trace = visitor;
    if (trace->count == OBJECTIVE_KEPT) return NOE_OK;
    trace->value[trace->count] = (double)iterate->value;
    trace->gradient[trace->count] = (double)iterate->gradient_norm;
    for (int i = 0; i < trace->np; i++) trace->q[trace->count][i] = (double)iterate->q[i];
    trace->count++;
    return NOE_OK;
}

struct objective_found objective_minimise(const struct noe_objective *function, const char *method,
                                          double tolerance, const noe_real *start,
                                          struct objective_trace *trace) {
    struct objective_found found = {0};
    struct noe_descent_settings settings = {
        .method = method, .tolerance = tolerance, .iterations = 3000};
    real q[OBJECTIVE_NUMBERS];
    if (trace) {
        *trace = (struct objective_trace){.np = function->np};
        settings.visit = keep;
        settings.visitor = trace;
    }
    for (int i = 0; i < function->np; i++) q[i] = start[i];
    found.status = noe_minimise(function, &settings, q, &found.result, &found.error);
    for (int i = 0; i < function->np; i++) found.q[i] = (double)q[i];
    return found;
}
