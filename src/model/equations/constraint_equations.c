/* Constraint equations of a model: g, psi, their derivatives, and the constraint forces. */
/* SPDX-License-Identifier: MIT */
#include "model/equations/constraint_equations.h"

#include <stdlib.h>
#include <string.h>

/* Builder of the rows. */
struct rows {
    struct constraints *constraints;
    struct definition *model;
    struct graph *graph;
    const struct frame_derivative *frame;
    int *by_velocity, *by_point; /* n nodes each: a row of psi_v and of psi_q; zero between rows */
    int *along;                  /* memory for the columns on which a node depends */
    bool *taken;                 /* n flags: columns of the row */
    int *taken_list, ntaken;     /* list of these columns */
    int room;
    bool failed;
};

/* Adds all directions of a group if one of them is present, because charts mix them. */
static void take(struct rows *r, int direction) {
    const struct frame_derivative *d = r->frame;
    for (int k = d->begin[direction]; k < d->end[direction]; k++) {
        if (!r->taken[k]) r->taken_list[r->ntaken++] = k;
        r->taken[k] = true;
    }
}

static void set_derivative(struct rows *r, int *node, int direction, int derivative) {
    node[direction] = derivative;
    if (!graph_is_number(r->graph, derivative, 0)) take(r, direction);
}

/* Returns the number of columns written to `along`. */
static int differentiate_point(struct rows *r, int root, int *node) {
    const struct frame_derivative *d = r->frame;
    const int count = frame_of(d, r->graph, root, r->along);
    for (int k = 0; k < count; k++)
        set_derivative(r, node, r->along[k], frame_rate(d, r->graph, root, r->along[k]));
    return count;
}

static void differentiate_velocity(struct rows *r, int root, int *node) {
    const int count = graph_leaves(r->graph, root, GRAPH_VELOCITY, r->along);
    graph_partials(r->graph, root, GRAPH_VELOCITY, r->frame->n, node);
    for (int k = 0; k < count && r->along[k] < r->frame->n; k++)
        set_derivative(r, node, r->along[k], node[r->along[k]]);
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

static int compare_columns(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Appends a row. psi_v and psi_q are interleaved until `arrange`. */
static void append_row(struct rows *r, int row) {
    struct constraints *c = r->constraints;
    if (!grow(r, c->nz + r->ntaken)) return;
    qsort(r->taken_list, (size_t)r->ntaken, sizeof *r->taken_list, compare_columns);
    for (int k = 0; k < r->ntaken; k++, c->nz++) {
        const int i = r->taken_list[k];
        c->row[c->nz] = row;
        c->col[c->nz] = i;
        c->d[2 * c->nz] = r->by_velocity[i];
        c->d[2 * c->nz + 1] = r->by_point[i];
        r->by_velocity[i] = r->by_point[i] = graph_number(r->graph, 0);
        r->taken[i] = false;
    }
    r->ntaken = 0;
}

static void make_row(struct rows *r, const struct noe_constraint *stated, int node) {
    struct constraints *c = r->constraints;
    int psi = node, *const psi_node = c->c + c->nholonomic;
    if (stated->is_holonomic) { /* psi_v = g_q */
        const int count = differentiate_point(r, node, r->by_velocity);
        c->c[stated->row] = node;
        psi = frame_rate_in_time(r->graph, node, count, r->along, r->by_velocity);
    } else {
        differentiate_velocity(r, psi, r->by_velocity);
    }
    differentiate_point(r, psi, r->by_point);
    psi_node[stated->row] = psi;
    psi_node[c->count + stated->row] = graph_derivative(r->graph, psi, GRAPH_TIME, 0);
    append_row(r, stated->row);
}

/* Separates the interleaved psi_v and psi_q. A full pattern is stored as dense. */
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

/* Makes the rows in the order of the system, holonomic ones first. */
static void make_rows(struct rows *r) {
    const struct definition *model = r->model;
    const int count = definition_constraints(model);
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < count && !r->failed; i++)
            if (model->constraint[i].is_holonomic == (kind == 0))
                make_row(r, &model->constraint[i], model->residual[i]);
}

bool constraint_equations_make(struct constraints *c, struct definition *model,
                               const struct frame_derivative *frame) {
    const size_t n = (size_t)model->n + 1;
    const int count = definition_constraints(model);
    *c = (struct constraints){.n = model->n, .nholonomic = model->nholonomic, .count = count};
    if (count == 0) return true;
    struct rows r = {.constraints = c, .model = model, .graph = &model->graph, .frame = frame};
    c->c = calloc(3 * (size_t)count, sizeof *c->c);
    r.by_velocity = malloc(n * sizeof *r.by_velocity);
    r.by_point = malloc(n * sizeof *r.by_point);
    r.along = malloc((n + (size_t)count) * sizeof *r.along);
    r.taken = calloc(n, sizeof *r.taken);
    r.taken_list = malloc(n * sizeof *r.taken_list);
    r.failed = !c->c || !r.by_velocity || !r.by_point || !r.along || !r.taken || !r.taken_list;
    for (int i = 0; i < model->n && !r.failed; i++)
        r.by_velocity[i] = r.by_point[i] = graph_number(r.graph, 0);
    if (!r.failed) make_rows(&r);
    const bool is_made = !r.failed && !model->graph.failed && arrange(&r);
    free(r.by_velocity);
    free(r.by_point);
    free(r.along);
    free(r.taken);
    free(r.taken_list);
    if (!is_made) constraint_equations_clear(c);
    return is_made;
}

void constraint_equations_clear(struct constraints *constraints) {
    free(constraints->row);
    free(constraints->col);
    free(constraints->c);
    free(constraints->d);
    *constraints = (struct constraints){0};
}

int constraint_equations_potential(struct definition *model) {
    struct graph *graph = &model->graph;
    int sum = graph_number(graph, 0);
    for (int i = 0; i < definition_constraints(model); i++) {
        if (!model->constraint[i].is_holonomic) continue;
        const int lambda = definition_multiplier(model, model->constraint[i].row);
        sum = graph_sub(graph, sum, graph_mul(graph, lambda, model->residual[i]));
    }
    return sum;
}

void constraint_equations_add_forces(const struct constraints *c, struct definition *model,
                                     int *force) {
    struct graph *graph = &model->graph;
    for (int k = 0; k < c->nz; k++) {
        const int row = c->row ? c->row[k] : k / c->n, col = c->row ? c->col[k] : k % c->n;
        if (row < c->nholonomic) continue;
        const int share = graph_mul(graph, definition_multiplier(model, row), c->d[k]);
        force[col] = graph_add(graph, force[col], share);
    }
}

bool constraint_equations_reactions(struct definition *model, int *reaction) {
    struct frame_derivative frame;
    struct constraints constraints = {0};
    const bool is_made =
        frame_make(&frame, model) && constraint_equations_make(&constraints, model, &frame) &&
        frame_gradient(&frame, &model->graph, constraint_equations_potential(model), reaction);
    if (is_made) constraint_equations_add_forces(&constraints, model, reaction);
    constraint_equations_clear(&constraints);
    frame_clear(&frame);
    return is_made;
}
