/* Transcribed optimal control problem of a model: bounds, values, Jacobian and Hessian of its
 * blocks. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/codegen/compiled_expressions.h"
#include "model/control/transcribe.h"
#include "model/model.h"

struct transcription {
    struct noe_transcription public; /* first member, so that a pointer converts */
    const struct model *model;
    struct graph graph;
    struct compiled_expressions
        expressions; /* values, Jacobian and Hessian of the interval, then of the end */
    struct noe_control *control;
    struct noe_path *path;
    int *path_node;
    int *pattern[2]; /* sparsity patterns of the interval and of the end */
    real *bounds;    /* lower and upper bounds of the coordinates and of the velocities */
    real *scratch;   /* parameters, and values of nodes for guesses */
};

enum { BLOCK_PARTS = 3 };

/* --- Bounds of single variables, and path constraints. */

/* Index of the coordinate or velocity of R^n that a node is, or -1. */
static int single_variable(const struct definition *source, int node, bool *is_velocity) {
    const struct graph_node *at = &source->graph.node[node];
    *is_velocity = at->op == GRAPH_VELOCITY;
    if (at->op != GRAPH_POINT && at->op != GRAPH_VELOCITY) return -1;
    int point = 0, tangent = 0;
    for (int f = 0; f < source->nfactors; f++) {
        const struct noe_factor *factor = &source->factor[f];
        const int points = factor->space->point * factor->size;
        const int tangents = factor->space->tangent * factor->size;
        const int within = *is_velocity ? at->a - tangent : at->a - point;
        if (within >= 0 && within < (*is_velocity ? tangents : points))
            return factor->space->frame ? -1 : tangent + within;
        point += points;
        tangent += tangents;
    }
    return -1;
}

static bool set_bounds(struct transcription *t) {
    const struct definition *source = t->model->source;
    const struct control_definition *control = source->control;
    struct noe_transcription *public = &t->public;
    const int n = source->n;
    t->bounds = malloc(4 * ((size_t)n + 1) * sizeof *t->bounds);
    t->path = calloc((size_t)control->nbounds + 1, sizeof *t->path);
    t->path_node = calloc((size_t)control->nbounds + 1, sizeof *t->path_node);
    if (!t->bounds || !t->path || !t->path_node) return false;
    real *min[2] = {t->bounds, t->bounds + 2 * n}, *max[2] = {t->bounds + n, t->bounds + 3 * n};
    for (int i = 0; i < n; i++) {
        min[0][i] = min[1][i] = (real)-INFINITY;
        max[0][i] = max[1][i] = (real)INFINITY;
    }
    for (int k = 0; k < control->nbounds; k++) {
        const struct control_definition_bound *bound = &control->bound[k];
        bool is_velocity;
        const int at = single_variable(source, bound->node, &is_velocity);
        if (at < 0) {
            t->path[public->npaths] = (struct noe_path){bound->text, bound->min, bound->max};
            t->path_node[public->npaths++] = bound->node;
            continue;
        }
        if (bound->min > min[is_velocity][at]) min[is_velocity][at] = bound->min;
        if (bound->max < max[is_velocity][at]) max[is_velocity][at] = bound->max;
    }
    public->path = t->path;
    public->bounds.q_min = min[0];
    public->bounds.q_max = max[0];
    public->bounds.v_min = min[1];
    public->bounds.v_max = max[1];
    return true;
}

/* --- Derivatives of a block. */

/* Nonzero entries of one block's derivatives. */
struct derivatives {
    int nj, nh;
    int *jrow, *jcol, *jnode, *hrow, *hcol, *hnode;
};

static bool grow_entries(int **row, int **col, int **node, int count, int more) {
    int **list[3] = {row, col, node};
    for (int i = 0; i < 3; i++) {
        int *larger = realloc(*list[i], ((size_t)count + (size_t)more + 1) * sizeof *larger);
        if (!larger) return false;
        *list[i] = larger;
    }
    return true;
}

/* Nonzero entries of dc/dz and of the cost's gradient. */
static bool derive_first(struct graph *graph, const struct transcribe_values *values,
                         struct derivatives *d, int *gradient) {
    for (int i = 0; i <= values->nc; i++) {
        graph_gradient(graph, values->node[i], GRAPH_POINT, values->nz, gradient);
        if (!grow_entries(&d->jrow, &d->jcol, &d->jnode, d->nj, values->nz)) return false;
        for (int k = 0; k < values->nz; k++) {
            if (graph_is_number(graph, gradient[k], 0)) continue;
            d->jrow[d->nj] = i;
            d->jcol[d->nj] = k;
            d->jnode[d->nj++] = gradient[k];
        }
    }
    return true;
}

/* Nonzero entries of the Hessian of weights . (c, cost). The weights are VELOCITY leaves. */
static bool derive_second(struct graph *graph, const struct transcribe_values *values,
                          struct derivatives *d, int *gradient) {
    int *second = malloc(((size_t)values->nz + 1) * sizeof *second);
    int sum = graph_number(graph, 0);
    bool done = second != NULL;
    for (int i = 0; i <= values->nc; i++) {
        const int weight = graph_leaf(graph, GRAPH_VELOCITY, i);
        sum = graph_add(graph, sum, graph_mul(graph, weight, values->node[i]));
    }
    graph_gradient(graph, sum, GRAPH_POINT, values->nz, gradient);
    for (int i = 0; done && i < values->nz; i++) {
        graph_gradient(graph, gradient[i], GRAPH_POINT, i + 1, second);
        done = grow_entries(&d->hrow, &d->hcol, &d->hnode, d->nh, i + 1);
        for (int k = 0; done && k <= i; k++) {
            if (graph_is_number(graph, second[k], 0)) continue;
            d->hrow[d->nh] = i;
            d->hcol[d->nh] = k;
            d->hnode[d->nh++] = second[k];
        }
    }
    free(second);
    return done;
}

static enum noe_status derive(struct graph *graph, const struct transcribe_values *values,
                              struct derivatives *d) {
    int *gradient = malloc(((size_t)values->nz + 1) * sizeof *gradient);
    const bool done = gradient && derive_first(graph, values, d, gradient) &&
                      derive_second(graph, values, d, gradient);
    free(gradient);
    return done && !graph->failed ? NOE_OK : NOE_NO_MEMORY;
}

static void clear_derivatives(struct derivatives *d) {
    free(d->jrow);
    free(d->jcol);
    free(d->jnode);
    free(d->hrow);
    free(d->hcol);
    free(d->hnode);
}

/* Copies the sparsity pattern to the public block. */
static bool keep_pattern(int **kept, struct noe_block *block,
                         const struct transcribe_values *values, const struct derivatives *d) {
    const size_t nj = (size_t)d->nj, nh = (size_t)d->nh;
    *kept = malloc((2 * nj + 2 * nh + 1) * sizeof **kept);
    if (!*kept) return false;
    int *jrow = *kept, *jcol = jrow + nj, *hrow = jcol + nj, *hcol = hrow + nh;
    if (nj) memcpy(jrow, d->jrow, nj * sizeof *jrow);
    if (nj) memcpy(jcol, d->jcol, nj * sizeof *jcol);
    if (nh) memcpy(hrow, d->hrow, nh * sizeof *hrow);
    if (nh) memcpy(hcol, d->hcol, nh * sizeof *hcol);
    *block = (struct noe_block){.nz = values->nz,
                                .nc = values->nc,
                                .nj = d->nj,
                                .nh = d->nh,
                                .jrow = jrow,
                                .jcol = jcol,
                                .hrow = hrow,
                                .hcol = hcol};
    return true;
}

static enum noe_status make_blocks(struct transcription *t, const struct noe_stages *stages,
                                   const struct noe_model_settings *settings) {
    const struct transcribe_problem problem = {t->model, stages, &t->graph, t->public.npaths,
                                               t->path_node};
    struct transcribe_values values[2] = {{0}, {0}};
    struct derivatives d[2] = {{0}, {0}};
    enum noe_status status = transcribe_interval(&problem, &values[0]);
    if (status == NOE_OK) status = transcribe_end(&problem, &values[1]);
    for (int i = 0; i < 2 && status == NOE_OK; i++) status = derive(&t->graph, &values[i], &d[i]);
    if (status == NOE_OK &&
        !(keep_pattern(&t->pattern[0], &t->public.interval, &values[0], &d[0]) &&
          keep_pattern(&t->pattern[1], &t->public.end, &values[1], &d[1])))
        status = NOE_NO_MEMORY;
    if (status == NOE_OK) {
        const int size[] = {values[0].nc + 1, d[0].nj, d[0].nh, values[1].nc + 1, d[1].nj, d[1].nh};
        const int *const node[] = {values[0].node, d[0].jnode, d[0].hnode,
                                   values[1].node, d[1].jnode, d[1].hnode};
        status = compiled_expressions_make(&t->expressions, &t->graph, 2 * BLOCK_PARTS, size, node,
                                           settings);
    }
    for (int i = 0; i < 2; i++) {
        free(values[i].node);
        clear_derivatives(&d[i]);
    }
    return status;
}

/* --- Assembly. */

static bool list_controls(struct transcription *t) {
    const struct control_definition *control = t->model->source->control;
    t->control = calloc((size_t)control->ncontrols + 1, sizeof *t->control);
    for (int i = 0; t->control && i < control->ncontrols; i++)
        t->control[i] = (struct noe_control){control->control[i].name, control->control[i].rank,
                                             control->control[i].rows, control->control[i].first};
    return t->control != NULL;
}

static void fill_public(struct transcription *t, const struct noe_stages *stages) {
    const struct definition *source = t->model->source;
    const struct control_definition *control = source->control;
    t->public =
        (struct noe_transcription){.n = source->n,
                                   .np = source->np,
                                   .m = control->m,
                                   .s = stages->s,
                                   .ninputs = noe_stages_hold_controls(stages) ? 1 : stages->s,
                                   .nmultipliers = source->nholonomic,
                                   .horizon = {.has_free_end = control->has_free_end,
                                               .end_min = control->end_min,
                                               .end_max = control->end_max,
                                               .steps = control->steps},
                                   .ncontrols = control->ncontrols,
                                   .control = t->control,
                                   .bounds = {.u_min = control->min, .u_max = control->max},
                                   .boundary = {.q_is_final = control->q_is_final,
                                                .v_is_final = control->v_is_final,
                                                .q_is_periodic = control->q_is_periodic,
                                                .v_is_periodic = control->v_is_periodic,
                                                .q_final = control->q_final,
                                                .v_final = control->v_final}};
}

/* True if one of these nodes of the model's graph depends on a control. */
static bool uses_control(const struct definition *source, int count, const int *node) {
    const struct control_definition *control = source->control;
    int *index = malloc(((size_t)source->graph.count + 1) * sizeof *index);
    bool is_used = false;
    for (int i = 0; index && i < count; i++) {
        const int found =
            node[i] < 0 ? 0 : graph_leaves(&source->graph, node[i], GRAPH_PARAMETER, index);
        for (int j = 0; j < found; j++)
            for (int c = 0; c < control->ncontrols; c++)
                is_used |= index[j] >= control->control[c].number &&
                           index[j] < control->control[c].number + control->control[c].rows;
    }
    free(index);
    return is_used;
}

static enum noe_status check_control(const struct model *model, struct noe_error *error) {
    const struct control_definition *control = model->source->control;
    if (!control || (control->cost < 0 && control->terminal < 0))
        return status_set(error, NOE_BAD_INPUT,
                          "the model states nothing to minimise: expected 'minimize ...'");
    if (control->ncontrols == 0)
        return status_set(error, NOE_BAD_INPUT,
                          "the model has no control: expected 'control u in [a, b]'");
    if (uses_control(model->source, 1, &control->terminal))
        return status_set(error, NOE_BAD_INPUT,
                          "the terminal cost uses a control, which has no value at the last node");
    if (uses_control(model->source, model->source->n, model->equations.p))
        return status_set(error, NOE_BAD_INPUT,
                          "L has a term with a control and a velocity, so the momentum would jump "
                          "with the control: state it as a force");
    return NOE_OK;
}

enum noe_status transcription_create(struct noe_transcription **result,
                                     const struct noe_model *public_model,
                                     const struct noe_stages *stages,
                                     const struct noe_model_settings *settings,
                                     struct noe_error *error) {
    const struct model *model = (const struct model *)public_model;
    *result = NULL;
    enum noe_status status = check_control(model, error);
    if (status != NOE_OK) return status;
    struct transcription *t = calloc(1, sizeof *t);
    if (!t) return status_set(error, NOE_NO_MEMORY, "out of memory for the control problem");
    t->model = model;
    graph_init(&t->graph);
    const size_t nodes = (size_t)model->source->graph.count;
    const size_t numbers = (size_t)model->source->nnumbers + 1 + 2 * (size_t)model->source->np;
    t->scratch = calloc(nodes + numbers + 1, sizeof *t->scratch);
    status = NOE_NO_MEMORY;
    if (t->scratch && list_controls(t)) {
        fill_public(t, stages);
        if (set_bounds(t)) status = make_blocks(t, stages, settings);
    }
    if (status != NOE_OK) {
        transcription_free(&t->public);
        return status_set(error, status, "out of memory for the control problem");
    }
    t->public.note = t->expressions.handle ? NULL : t->expressions.note;
    *result = &t->public;
    return NOE_OK;
}

void transcription_free(struct noe_transcription *public) {
    if (!public) return;
    struct transcription *t = (struct transcription *)public;
    compiled_expressions_clear(&t->expressions);
    graph_clear(&t->graph);
    free(t->control);
    free(t->path);
    free(t->path_node);
    free(t->pattern[0]);
    free(t->pattern[1]);
    free(t->bounds);
    free(t->scratch);
    free(t);
}

/* --- Evaluation. */

static void evaluate(const struct transcription *t, int which,
                     const struct noe_interval_place *place, const real *z, const real *weights,
                     real *values) {
    const struct definition *source = t->model->source;
    const size_t np = (size_t)source->np;
    real *parameters = t->scratch, *data = parameters + source->nnumbers;
    memcpy(parameters, t->model->parameters, (size_t)source->nnumbers * sizeof *parameters);
    data[TRANSCRIBE_NUMBER] = place->k;
    memcpy(data + TRANSCRIBE_POINTS, place->g0, np * sizeof *data);
    if (place->g1) memcpy(data + TRANSCRIBE_POINTS + np, place->g1, np * sizeof *data);
    compiled_expressions_run(&t->expressions, which, parameters, 0, z, weights, values);
}

void transcription_interval(const struct noe_transcription *public, enum noe_block_part part,
                            const struct noe_interval_place *place, const noe_real *z,
                            const noe_real *weights, noe_real *values) {
    evaluate((const struct transcription *)public, (int)part, place, z, weights, values);
}

void transcription_end(const struct noe_transcription *public, enum noe_block_part part,
                       const struct noe_interval_place *place, const noe_real *z,
                       const noe_real *weights, noe_real *values) {
    evaluate((const struct transcription *)public, BLOCK_PARTS + (int)part, place, z, weights,
             values);
}

void transcription_guess(const struct noe_transcription *public, noe_real time, noe_real *q,
                         noe_real *u) {
    const struct transcription *t = (const struct transcription *)public;
    const struct definition *source = t->model->source;
    const struct control_definition *control = source->control;
    for (int i = 0; i < source->np; i++)
        q[i] = control->q_guess[i] < 0 ? (real)NAN
                                       : graph_value(&source->graph, control->q_guess[i],
                                                     source->number, time, NULL, NULL, t->scratch);
    for (int i = 0; i < control->m; i++)
        u[i] = control->u_guess[i] < 0 ? (real)NAN
                                       : graph_value(&source->graph, control->u_guess[i],
                                                     source->number, time, NULL, NULL, t->scratch);
}

long transcription_control_steps(const struct noe_model *public) {
    const struct control_definition *control = ((const struct model *)public)->source->control;
    return control ? control->steps : 0;
}

void transcription_hold(const struct noe_transcription *public, const noe_real *u,
                        noe_real *parameters) {
    const struct transcription *t = (const struct transcription *)public;
    const struct definition *source = t->model->source;
    const struct control_definition *control = source->control;
    memcpy(parameters, source->number, (size_t)source->nnumbers * sizeof *parameters);
    for (int k = 0; k < control->ncontrols; k++)
        for (int i = 0; i < control->control[k].rows; i++)
            parameters[control->control[k].number + i] = u[control->control[k].first + i];
    model_prepare(&t->model->public, parameters);
}
