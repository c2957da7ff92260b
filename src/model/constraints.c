/* The constraints of a model: g, psi, their derivatives, and the forces that keep them. */
/* SPDX-License-Identifier: MIT */
#include "model/constraints.h"

#include <stdlib.h>
#include <string.h>

/* What the rows are made in. */
struct rows {
    struct constraints *constraints;
    struct source_model *model;
    struct graph *graph;
    const struct directions *directions;
    int *by_velocity, *by_point; /* n nodes each: one row of psi_v, of psi_q */
    bool *used;                  /* flags of numbers of a point, or of a velocity */
    bool *taken;                 /* the row's columns */
    int room;
    bool failed;
};

/* psi_v of a holonomic row is g_q. */
static void differentiate_point(struct rows *r, int root, int *node) {
    const struct directions *d = r->directions;
    graph_support(r->graph, root, GRAPH_POINT, d->np, r->used);
    for (int i = 0; i < d->n; i++)
        node[i] = directions_meet(d, i, r->used) ? directions_rate(d, r->graph, root, i)
                                                 : graph_number(r->graph, 0);
}

static bool grow(struct rows *r, int wanted) {
    struct constraints *c = r->constraints;
    if (wanted <= r->room) return true;
    const int room = 2 * r->room + wanted + 64;
    int *row = realloc(c->row, (size_t)room * sizeof *row);
    if (row) c->row = row;
    int *col = realloc(c->col, (size_t)room * sizeof *col);
    if (col) c->col = col;
    int *d = realloc(c->d, 2 * (size_t)room * sizeof *d);
    if (d) c->d = d;
    r->failed = r->failed || !row || !col || !d;
    if (!r->failed) r->room = room;
    return !r->failed;
}

/* Both derivatives stand side by side for now. Where one direction of a group is there all of them
 * are, for charts mix them. */
static void append_row(struct rows *r, int row) {
    struct constraints *c = r->constraints;
    const struct directions *d = r->directions;
    memset(r->taken, 0, (size_t)d->n * sizeof *r->taken);
    for (int i = 0; i < d->n; i++)
        if (!graph_is_number(r->graph, r->by_velocity[i], 0) ||
            !graph_is_number(r->graph, r->by_point[i], 0))
            for (int k = d->begin[i]; k < d->end[i]; k++) r->taken[k] = true;
    if (!grow(r, c->nz + d->n)) return;
    for (int i = 0; i < d->n; i++) {
        if (!r->taken[i]) continue;
        c->row[c->nz] = row;
        c->col[c->nz] = i;
        c->d[2 * c->nz] = r->by_velocity[i];
        c->d[2 * c->nz + 1] = r->by_point[i];
        c->nz++;
    }
}

static void make_row(struct rows *r, const struct noe_constraint *stated, int node) {
    struct constraints *c = r->constraints;
    int psi = node, *const psi_node = c->c + c->nholonomic;
    if (stated->is_holonomic) {
        differentiate_point(r, node, r->by_velocity);
        c->c[stated->row] = node;
        psi = directions_rate_in_time(r->directions, r->graph, node, r->by_velocity);
    } else {
        graph_gradient(r->graph, psi, GRAPH_VELOCITY, c->n, r->by_velocity);
    }
    differentiate_point(r, psi, r->by_point);
    psi_node[stated->row] = psi;
    psi_node[c->count + stated->row] = graph_derivative(r->graph, psi, GRAPH_TIME, 0);
    append_row(r, stated->row);
}

/* From pairs to psi_v and psi_q one after the other; a full pattern need not be stated. */
static bool arrange(struct rows *r) {
    struct constraints *c = r->constraints;
    int *d = malloc((2 * (size_t)c->nz + 1) * sizeof *d);
    if (!d) return false;
    for (int k = 0; k < c->nz; k++) {
        d[k] = c->d[2 * k];
        d[c->nz + k] = c->d[2 * k + 1];
    }
    free(c->d);
    c->d = d;
    if ((long long)c->nz == (long long)c->n * c->count) {
        free(c->row);
        free(c->col);
        c->row = c->col = NULL;
    }
    return true;
}

/* The stated constraint of every row of the system, in that order. */
static void make_rows(struct rows *r) {
    const struct source_model *model = r->model;
    const int count = source_constraints(model);
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < count && !r->failed; i++)
            if (model->constraint[i].is_holonomic == (kind == 0))
                make_row(r, &model->constraint[i], model->residual[i]);
}

bool constraints_make(struct constraints *c, struct source_model *model,
                      const struct directions *directions) {
    const size_t n = (size_t)model->n + 1, np = (size_t)model->np + 1;
    const int count = source_constraints(model);
    *c = (struct constraints){.n = model->n, .nholonomic = model->nholonomic, .count = count};
    if (count == 0) return true;
    struct rows r = {
        .constraints = c, .model = model, .graph = &model->graph, .directions = directions};
    c->c = calloc(3 * (size_t)count, sizeof *c->c);
    r.by_velocity = malloc(n * sizeof *r.by_velocity);
    r.by_point = malloc(n * sizeof *r.by_point);
    r.used = malloc(n > np ? n : np);
    r.taken = malloc(n);
    r.failed = !c->c || !r.by_velocity || !r.by_point || !r.used || !r.taken;
    if (!r.failed) make_rows(&r);
    const bool is_made = !r.failed && !model->graph.failed && arrange(&r);
    free(r.by_velocity);
    free(r.by_point);
    free(r.used);
    free(r.taken);
    if (!is_made) constraints_clear(c);
    return is_made;
}

void constraints_clear(struct constraints *constraints) {
    free(constraints->row);
    free(constraints->col);
    free(constraints->c);
    free(constraints->d);
    *constraints = (struct constraints){0};
}

int constraints_potential(struct source_model *model) {
    struct graph *graph = &model->graph;
    int sum = graph_number(graph, 0);
    for (int i = 0; i < source_constraints(model); i++) {
        if (!model->constraint[i].is_holonomic) continue;
        const int lambda = source_multiplier(model, model->constraint[i].row);
        sum = graph_sub(graph, sum, graph_mul(graph, lambda, model->residual[i]));
    }
    return sum;
}

void constraints_add_forces(const struct constraints *c, struct source_model *model, int *force) {
    struct graph *graph = &model->graph;
    for (int k = 0; k < c->nz; k++) {
        const int row = c->row ? c->row[k] : k / c->n, col = c->row ? c->col[k] : k % c->n;
        if (row < c->nholonomic) continue;
        const int share = graph_mul(graph, source_multiplier(model, row), c->d[k]);
        force[col] = graph_add(graph, force[col], share);
    }
}

bool constraints_reactions(struct source_model *model, int *reaction) {
    struct directions directions;
    struct constraints constraints = {0};
    const bool is_made =
        directions_make(&directions, model) && constraints_make(&constraints, model, &directions) &&
        directions_gradient(&directions, &model->graph, constraints_potential(model), reaction);
    if (is_made) constraints_add_forces(&constraints, model, reaction);
    constraints_clear(&constraints);
    directions_clear(&directions);
    return is_made;
}
