/* Runs of models with energy-adaptive methods, whose step size is an unknown. */
/* SPDX-License-Identifier: MIT */
#include "energy.h"
#include "noether_model.h"

void energy_open(struct energy_run *e, const char *text, const char *set, const char *method,
                 real h) {
    const struct noe_model_settings settings = {
        .interpret = true, .nsets = set ? 1 : 0, .sets = &set};
    struct noe_error error;
    if (noe_model_open_text(&e->model, "test.noe", text, &settings, &error) != NOE_OK)
        fail_msg("%d:%d: %s", error.line, error.column, error.text);
    const struct noe_model *m = e->model;
    if (noe_problem_init(&e->run.problem, m->system, method, h, &error) != NOE_OK ||
        noe_work_create(&e->run.work, &e->run.problem, &error) != NOE_OK ||
        noe_work_start(e->run.work, 0, m->q, m->v, &error) != NOE_OK)
        fail_msg("%s: %s", method, error.text);
}

const struct noe_state *energy_steps(struct energy_run *e, long count) {
    struct noe_error error;
    if (noe_work_steps(e->run.work, count, &error) != NOE_OK) fail_msg("%s", error.text);
    return noe_work_state(e->run.work);
}

void energy_close(struct energy_run *e) {
    run_end(&e->run);
    noe_model_free(e->model);
}
