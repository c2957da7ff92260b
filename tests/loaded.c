/* A run of a model stated in text. */
/* SPDX-License-Identifier: MIT */
#include "loaded.h"
#include "noether_model.h"

#include <math.h>

void loaded_open(struct loaded *loaded, const char *text) {
    struct noe_error error;
    const struct noe_model_settings settings = {0};
    if (noe_model_open_text(&loaded->model, "reference", text, &settings, &error) != NOE_OK)
        fail_msg("%d:%d: %s", error.line, error.column, error.text);
    const struct noe_model *m = loaded->model;
    if (noe_problem_init(&loaded->run.problem, m->system, m->run.method, m->run.step, &error) !=
            NOE_OK ||
        noe_work_create(&loaded->run.work, &loaded->run.problem, &error) != NOE_OK ||
        noe_work_start(loaded->run.work, m->run.from, m->q, m->v, &error) != NOE_OK)
        fail_msg("%s", error.text);
}

const struct noe_state *loaded_steps(struct loaded *loaded, long count) {
    struct noe_error error;
    if (noe_work_steps(loaded->run.work, count, &error) != NOE_OK) fail_msg("%s", error.text);
    return noe_work_state(loaded->run.work);
}

void loaded_close(struct loaded *loaded) {
    run_end(&loaded->run);
    noe_model_free(loaded->model);
}

void assert_near(const char *what, double seen, double expected, double tolerance) {
    if (!(fabs(seen - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g: off by %.2e", what, seen, expected,
                 fabs(seen - expected));
}
