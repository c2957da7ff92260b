/* A method with its options, as typed after --method or in a model file, on systems of three kinds. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "fuzz.h"
#include "noether_model.h"

static const char *const texts[] = {
    "coord q, x[2]\nL = q'^2/2 + dot(x', x')/2*(1 + q^2) - q^4 - dot(x, x)/2\nstart q = 1, x = [1, 2]\n",
    "rotation R, W\nL = W[1]^2 + 2*W[2]^2 + 1.5*W[3]^2 - R[1][3]\nstart W = [1, 2, 3]\n",
    "coord x, y\nL = (x'^2 + y'^2)/2 - y\nconstraint x^2 + y^2 = 1\nstart x = 1\n",
};
enum { TEXTS = sizeof texts / sizeof *texts, STEPS = 3 };
static struct noe_model *model[TEXTS];

static void open_models(void) {
    const struct noe_model_settings settings = {.interpret = true};
    for (int i = 0; i < TEXTS && !model[i]; i++)
        if (noe_model_open_text(&model[i], "model", texts[i], &settings, NULL) != NOE_OK) abort();
}

static void step(const struct noe_model *of, const struct noe_problem *problem) {
    struct noe_work *work = NULL;
    if (noe_work_create(&work, problem, NULL) == NOE_OK &&
        noe_work_start(work, 0, of->q, of->v, NULL) == NOE_OK)
        noe_work_steps(work, STEPS, NULL);
    noe_work_free(work);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = fuzz_string(data, size);
    open_models();
    for (int i = 0; i < TEXTS; i++) {
        struct noe_problem problem;
        if (noe_problem_init(&problem, model[i]->system, text, 0.01, NULL) == NOE_OK)
            step(model[i], &problem);
        noe_problem_clear(&problem);
    }
    free(text);
    return 0;
}
