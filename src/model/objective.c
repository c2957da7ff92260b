/* Objective function of a model without Lagrangian, with its gradient in the left-invariant
 * frame. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "model/codegen/compiled_expressions.h"
#include "model/equations/frame_derivative.h"
#include "model/model.h"
#include "noether_optimise.h"

struct objective {
    struct noe_objective public; /* first member, so that a pointer converts */
    const struct model *model;
    struct compiled_expressions expressions;
    real *values; /* f and its gradient */
};

enum { EVALUATE, OBSERVE, EXPRESSIONS };

static noe_real evaluate(const struct noe_objective *public, const noe_real *q,
                         noe_real *gradient) {
    const struct objective *objective = (const struct objective *)public;
    compiled_expressions_run(&objective->expressions, EVALUATE, objective->model->parameters, 0, q,
                             NULL, objective->values);
    for (int i = 0; i < public->n; i++) gradient[i] = objective->values[1 + i];
    return objective->values[0];
}

static void observe(const struct noe_objective *public, const noe_real *q, noe_real *values) {
    const struct objective *objective = (const struct objective *)public;
    compiled_expressions_run(&objective->expressions, OBSERVE, objective->model->parameters, 0, q,
                             NULL, values);
}

/* Writes the node of f, followed by those of its frame derivatives. */
static bool derive(struct definition *source, int *node) {
    struct frame_derivative frame;
    bool done = frame_make(&frame, source);
    node[0] = source->control->cost;
    done = done && frame_gradient(&frame, &source->graph, node[0], node + 1);
    frame_clear(&frame);
    return done;
}

static void list_quantities(const struct definition *source, int *node) {
    for (int i = 0; i < source->nquantities; i++)
        for (int k = 0; k < source->quantity[i].rows * source->quantity[i].cols; k++)
            *node++ = source->quantity[i].node[k];
}

static enum noe_status make_expressions(struct objective *objective,
                                        const struct noe_model_settings *settings) {
    struct definition *source = objective->model->source;
    const int n = source->n, nvalues = objective->model->nvalues;
    int *node = malloc(((size_t)n + (size_t)nvalues + 2) * sizeof *node);
    enum noe_status status = NOE_NO_MEMORY;
    objective->values = malloc(((size_t)n + 1) * sizeof *objective->values);
    if (node && objective->values && derive(source, node)) {
        const int size[EXPRESSIONS] = {n + 1, nvalues};
        const int *const list[EXPRESSIONS] = {node, node + n + 1};
        list_quantities(source, node + n + 1);
        status = compiled_expressions_make(&objective->expressions, &source->graph, EXPRESSIONS,
                                           size, list, settings);
    }
    free(node);
    return status;
}

static void release(struct noe_objective *public) {
    struct objective *objective = (struct objective *)public;
    compiled_expressions_clear(&objective->expressions);
    free(objective->values);
    free(objective);
}

enum noe_status noe_objective_create(struct noe_objective **result,
                                     const struct noe_model *public_model,
                                     const struct noe_model_settings *settings,
                                     struct noe_error *error) {
    const struct model *model = (const struct model *)public_model;
    *result = NULL;
    if (!model->source->is_objective)
        return status_set(error, NOE_BAD_INPUT,
                          "the model has equations of motion: to minimise a function of the "
                          "configuration state 'minimize ...' and no Lagrangian");
    struct objective *objective = calloc(1, sizeof *objective);
    if (!objective) return status_set(error, NOE_NO_MEMORY, "out of memory for the objective");
    objective->model = model;
    objective->public = (struct noe_objective){.n = model->source->n,
                                               .np = model->source->np,
                                               .nfactors = model->system.nfactors,
                                               .factors = model->system.factors,
                                               .evaluate = evaluate,
                                               .observe = model->nvalues ? observe : NULL,
                                               .release = release};
    const enum noe_status status = make_expressions(objective, settings);
    if (status != NOE_OK) {
        noe_objective_free(&objective->public);
        return status_set(error, status, "out of memory for the objective");
    }
    if (!objective->expressions.handle) objective->public.note = objective->expressions.note;
    *result = &objective->public;
    return NOE_OK;
}

void noe_objective_free(struct noe_objective *objective) {
    if (objective && objective->release) objective->release(objective);
}
