/* Checks of a file that states an objective to minimise and no Lagrangian. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "model/language/elaborate.h"

static bool check_statements(struct elaborate *e) {
    static const char *const allowed[] = {"model",   "param",  "coord",    "rotation",
                                          "pose",    "group",  "let",      "start",
                                          "observe", "method", "minimize", "steps"};
    for (const struct tree_statement *s = e->statements; s; s = s->next) {
        bool is_allowed = false;
        for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
            is_allowed |= strcmp(s->kind->keyword, allowed[i]) == 0;
        if (is_allowed) continue;
        if (strcmp(s->kind->keyword, "step") == 0)
            return elaborate_fail(e, &s->keyword,
                                  "the step of a minimisation is an option of its method: 'method "
                                  "gradient-descent step = ...'");
        return elaborate_fail(
            e, &s->keyword,
            "'%s' has no meaning in a file that states an objective and no Lagrangian",
            s->kind->keyword);
    }
    return true;
}

static bool check_quantities(struct elaborate *e, const struct lex_token *at) {
    const struct definition *model = e->model;
    for (int k = 0; k < model->nquantities; k++) {
        const struct definition_quantity *quantity = &model->quantity[k];
        for (int i = 0; i < quantity->rows * quantity->cols; i++)
            if (graph_depends(e->make.graph, quantity->node[i]) & ~(unsigned)GRAPH_ON_POINT)
                return elaborate_fail(e, at,
                                      "'%s' uses time or a velocity: a minimisation has neither",
                                      quantity->name);
    }
    for (int i = 0; i < model->n; i++)
        if (model->v[i] != 0)
            return elaborate_fail(e, at, "a start velocity is stated: a minimisation has none");
    return true;
}

bool elaborate_states_objective(const struct elaborate *e) {
    const struct control_definition *control = e->model->control;
    return control && control->cost >= 0 && control->ncontrols == 0 && !e->has_lagrangian;
}

bool elaborate_objective_check(struct elaborate *e) {
    const struct control_definition *control = e->model->control;
    const struct lex_token at = {.line = control->line, .column = control->column};
    const unsigned depends = graph_depends(e->make.graph, control->cost);
    if (!check_statements(e)) return false;
    if (control->terminal >= 0)
        return elaborate_fail(e, &at,
                              "'terminal' belongs to optimal control: without a Lagrangian "
                              "there is no end");
    if (depends & (GRAPH_ON_TIME | GRAPH_ON_VELOCITY))
        return elaborate_fail(e, &at,
                              "the objective uses %s: without a Lagrangian it must be a function "
                              "of the configuration",
                              depends & GRAPH_ON_TIME ? "the time" : "a velocity");
    if (!(depends & GRAPH_ON_POINT))
        return elaborate_fail(e, &at,
                              "the objective depends on no coordinate, so its gradient is zero");
    e->model->is_objective = true;
    return check_quantities(e, &at);
}
