/* A model text: read, differentiated, interpreted, stepped three times and exported as C. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "fuzz.h"
#include "noether_model.h"

/* Larger systems are only read: a dense matrix of a step would take too much memory. */
enum { UNKNOWNS_MAX = 200, STEPS = 3 };

static void step(const struct noe_model *model, const struct noe_problem *problem) {
    struct noe_work *work = NULL;
    struct noe_observation seen;
    if (noe_work_create(&work, problem, NULL) == NOE_OK &&
        noe_work_start(work, 0, model->q, model->v, NULL) == NOE_OK) {
        noe_work_steps(work, STEPS, NULL);
        noe_work_observe(work, &seen, NULL);
    }
    noe_work_free(work);
}

static void run(const struct noe_model *model) {
    const char *method = model->run.method ? model->run.method : "midpoint";
    const noe_real h = model->run.step > 0 ? model->run.step : 0.01;
    struct noe_problem problem;
    if (model->system->n > UNKNOWNS_MAX) return;
    if (noe_problem_init(&problem, model->system, method, h, NULL) == NOE_OK)
        step(model, &problem);
    noe_problem_clear(&problem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct noe_model_settings settings = {.interpret = true};
    char *text = fuzz_string(data, size), *c_text = NULL;
    struct noe_model *model = NULL;
    if (noe_model_open_text(&model, "model.noe", text, &settings, NULL) == NOE_OK) {
        run(model);
        if (noe_model_export(model, &c_text, NULL) == NOE_OK) free(c_text);
    }
    noe_model_free(model);
    free(text);
    return 0;
}
