/* Frame derivative: differentiation along left-invariant vector fields. */
/* SPDX-License-Identifier: MIT */
#include "model/equations/frame_derivative.h"

#include <stdlib.h>

/* Number of rates: terms of the frames of all factors. */
static int count_rates(const struct definition *model) {
    int count = 0;
    for (int i = 0; i < model->nfactors; i++) {
        const struct noe_factor *factor = &model->factor[i];
        count += factor->space->frame ? factor->space->nframe : factor->size;
    }
    return count;
}

/* Terms d g[point] = factor g[from] s[tangent] of one direction of a group. */
static int add_frame(struct graph *graph, const struct noe_space *space, int tangent, int point,
                     struct graph_rate *rate) {
    int count = 0;
    for (int k = 0; k < space->nframe; k++) {
        const struct noe_frame *term = &space->frame[k];
        if (term->tangent != tangent) continue;
        const int from = graph_leaf(graph, GRAPH_POINT, point + term->from);
        const int factor = graph_number(graph, term->factor);
        rate[count++] = (struct graph_rate){point + term->point, graph_mul(graph, factor, from)};
    }
    return count;
}

static void add_factor(struct frame_derivative *d, struct graph *graph,
                       const struct noe_factor *factor, int *direction, int *point) {
    const struct noe_space *space = factor->space;
    const int tangents = space->tangent * factor->size, begin = *direction;
    for (int i = 0; i < tangents; i++, ++*direction) {
        const int at = *direction;
        struct graph_rate *rate = d->rate + d->first[at];
        int count = 1;
        if (space->frame)
            count = add_frame(graph, space, i, *point, rate);
        else
            *rate = (struct graph_rate){*point + i, graph_number(graph, 1)};
        d->first[at + 1] = d->first[at] + count;
        d->space[at] = space;
        d->begin[at] = space->frame ? begin : at;
        d->end[at] = space->frame ? begin + tangents : at + 1;
    }
    for (int i = 0; i < space->point * factor->size; i++, ++*point)
        d->mover[*point] = space->frame ? begin : begin + i;
}

bool frame_make(struct frame_derivative *d, struct definition *model) {
    const size_t n = (size_t)model->n + 1, rates = (size_t)count_rates(model) + 1;
    *d = (struct frame_derivative){.n = model->n, .np = model->np};
    d->first = calloc(n, sizeof *d->first);
    d->begin = calloc(n, sizeof *d->begin);
    d->end = calloc(n, sizeof *d->end);
    d->space = calloc(n, sizeof(const struct noe_space *));
    d->rate = calloc(rates, sizeof *d->rate);
    d->mover = calloc((size_t)model->np + 1, sizeof *d->mover);
    d->leaf = malloc(((size_t)model->np + 1) * sizeof *d->leaf);
    d->moves = calloc((size_t)model->np + 1, sizeof *d->moves);
    if (!d->first || !d->begin || !d->end || !d->rate || !d->mover || !d->space || !d->leaf ||
        !d->moves)
        return false;
    int direction = 0, point = 0;
    for (int i = 0; i < model->nfactors; i++)
        add_factor(d, &model->graph, &model->factor[i], &direction, &point);
    return !model->graph.failed;
}

void frame_clear(struct frame_derivative *directions) {
    free(directions->first);
    free(directions->begin);
    free(directions->end);
    free(directions->rate);
    free(directions->mover);
    free(directions->leaf);
    free(directions->moves);
    free(directions->space);
    *directions = (struct frame_derivative){0};
}

int frame_rate(const struct frame_derivative *d, struct graph *graph, int root, int i) {
    return graph_rate(graph, root, GRAPH_POINT, d->first[i + 1] - d->first[i],
                      d->rate + d->first[i]);
}

/* The product `number` times `node`, a term of a derivative. */
struct sum {
    real number;
    int node;
};

/* Collects the gradient of one root. */
struct collection {
    const struct frame_derivative *directions;
    struct graph *graph;
    int *rate;
    struct sum *sum;                  /* by direction: open sum to be added to its rate */
    int *adjoint, *node, count, room; /* nodes to distribute after the sweep */
    bool failed;
};

static void end_sum(struct collection *c, int i) {
    struct sum *sum = &c->sum[i];
    const int share = graph_mul(c->graph, graph_number(c->graph, sum->number), sum->node);
    c->rate[i] = graph_add(c->graph, c->rate[i], share);
    sum->node = graph_number(c->graph, 0);
}

static void collect(void *data, int node, int adjoint) {
    struct collection *c = data;
    if (c->count == c->room) {
        const int room = 2 * c->room + 64;
        int *nodes = realloc(c->node, (size_t)room * sizeof *nodes);
        if (nodes) c->node = nodes;
        int *adjoints = realloc(c->adjoint, (size_t)room * sizeof *adjoints);
        if (adjoints) c->adjoint = adjoints;
        c->failed = c->failed || !nodes || !adjoints;
        if (c->failed) return;
        c->room = room;
    }
    c->node[c->count] = node;
    c->adjoint[c->count++] = adjoint;
}

/* Shares with the same constant factor are added first and multiplied once. */
static void add_share(struct collection *c, int i, int share) {
    real number = 1;
    struct sum *sum = &c->sum[i];
    const int rest = graph_take_number(c->graph, share, &number);
    const bool is_same = noe_abs(number) == sum->number;
    if (!is_same) end_sum(c, i);
    sum->number = noe_abs(number);
    sum->node =
        number < 0 ? graph_sub(c->graph, sum->node, rest) : graph_add(c->graph, sum->node, rest);
}

/* Adds adjoint times rate of one node to all directions that move it. */
static void distribute(struct collection *c, int node, int adjoint) {
    const struct frame_derivative *d = c->directions;
    const int leaves = graph_leaves(c->graph, node, GRAPH_POINT, d->leaf);
    for (int k = 0; k < leaves; k++) {
        const int first = d->mover[d->leaf[k]];
        if (k > 0 && d->mover[d->leaf[k - 1]] == first) continue; /* same group */
        for (int i = first; i < d->end[first]; i++) {
            const int share = graph_mul(c->graph, adjoint, frame_rate(d, c->graph, node, i));
            add_share(c, i, share);
        }
    }
}

bool frame_gradient(const struct frame_derivative *d, struct graph *graph, int root, int *rate) {
    struct collection c = {.directions = d, .graph = graph, .rate = rate};
    c.sum = calloc((size_t)d->n + 1, sizeof *c.sum);
    c.failed = !c.sum;
    for (int i = 0; i < d->n; i++) rate[i] = graph_number(graph, 0);
    if (!c.failed) graph_adjoints(graph, root, GRAPH_POINT, collect, &c);
    for (int i = 0; i < c.count && !c.failed; i++) distribute(&c, c.node[i], c.adjoint[i]);
    for (int i = 0; i < d->n && !c.failed; i++) end_sum(&c, i);
    free(c.sum);
    free(c.node);
    free(c.adjoint);
    return !c.failed && !graph->failed;
}

/* Coefficient of g[from] in the derivative along j of the derivative of g[point] along i. */
static double twice(const struct noe_space *space, int i, int j, int point, int from) {
    double sum = 0;
    for (int a = 0; a < space->nframe; a++) {
        const struct noe_frame *outer = &space->frame[a];
        if (outer->tangent != i || outer->point != point) continue;
        for (int b = 0; b < space->nframe; b++) {
            const struct noe_frame *inner = &space->frame[b];
            if (inner->tangent == j && inner->point == outer->from && inner->from == from)
                sum += outer->factor * inner->factor;
        }
    }
    return sum;
}

/* No two directions of a frame move the same component in proportion to the same other one, so one
 * term of direction k determines the coefficient. */
real frame_bracket(const struct frame_derivative *d, int i, int j, int k) {
    const struct noe_space *space = d->space[k];
    const int first = d->begin[k];
    const struct noe_frame *term = space->frame;
    while (term->tangent != k - first) term++;
    return (twice(space, j - first, i - first, term->point, term->from) -
            twice(space, i - first, j - first, term->point, term->from)) /
           term->factor;
}

static bool moves_marked(const struct frame_derivative *d, int i) {
    for (int k = d->first[i]; k < d->first[i + 1]; k++)
        if (d->moves[d->rate[k].index]) return true;
    return false;
}

/* Components of the point and the directions that move them are in the same order. */
int frame_of(const struct frame_derivative *d, const struct graph *graph, int root, int *along) {
    const int leaves = graph_leaves(graph, root, GRAPH_POINT, d->leaf);
    int count = 0;
    for (int k = 0; k < leaves; k++) d->moves[d->leaf[k]] = true;
    for (int k = 0; k < leaves; k++) {
        const int first = d->mover[d->leaf[k]];
        if (k > 0 && d->mover[d->leaf[k - 1]] == first) continue;
        for (int i = first; i < d->end[first]; i++)
            if (moves_marked(d, i)) along[count++] = i;
    }
    for (int k = 0; k < leaves; k++) d->moves[d->leaf[k]] = false;
    return count;
}

int frame_rate_in_time(struct graph *graph, int root, int count, const int *along,
                       const int *rate) {
    int sum = graph_number(graph, 0);
    for (int k = 0; k < count; k++) {
        const int i = along[k];
        if (graph_is_number(graph, rate[i], 0)) continue;
        sum =
            graph_add(graph, sum, graph_mul(graph, rate[i], graph_leaf(graph, GRAPH_VELOCITY, i)));
    }
    return graph_add(graph, sum, graph_derivative(graph, root, GRAPH_TIME, 0));
}
