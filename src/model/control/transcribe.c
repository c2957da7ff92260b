/* Direct transcription: one step of a method as expressions in the variables of an optimal control
 * problem.
 *
 * The discrete action of an interval is S = h sum_j b_j L(t_j, g_j, w_j), with g_j = g tau(x_j),
 * x_j = h sum_k a_jk y_k, w_j = T(x_j) y_j, g1 = g tau(X), X = h sum_k b_k y_k. The forces do work
 * along the variations of g_j. With P = L_v, W = L_q + f at the stages it is stationary if
 *   T(x_i)^T P_i + h sum_j (b_j a_ji/b_i) (T(x_j)^T W_j + (P_j.T(x) y_j)'(x_j)) = T(X)^T p1,
 *   p + h sum_j b_j Ad^T W_j = Ad^T p1,
 * where Ad^T carries a momentum into the frame of g. The midpoint rule on groups has w = y,
 * g1 = g tau(x) tau(x), x = h y/2. With m and m1 the momenta p and p1 carried to the midpoint,
 *   P = (T(x)^T m + T(-x)^T m1)/2,    m1 = m + h W.
 * Nodes at the ends of the step share the velocity V, and with m = p + h b_0 W(g, V), X = h V,
 *   sum_j b_j P_j = T(-X)^T m,    m = Ad^T (p1 - h b_1 W(g1, V))
 * (src/methods/hamilton_pontryagin/endpoint.c). A Runge-Kutta method on R^n that has no discrete
 * action takes Hamilton's equations at its stages, with controls that are constant on the interval:
 *   P_i = p + h sum_j a_ij W_j,    p1 = p + h sum_j b_j W_j.
 *
 * Holonomic constraints add h lambda.g at the start of an interval, so that its step begins with
 * the momentum p - h g_q^T lambda, and g = 0 at its end
 * (src/methods/constrained/midpoint_constrained.c). The velocity at the end belongs to the momentum
 * after such an impulse. */
/* SPDX-License-Identifier: MIT */
#include "model/control/transcribe.h"

#include <stdlib.h>
#include <string.h>

#include "model/control/transcribe_lie.h"

/* Builder of one block of expressions. */
struct builder {
    const struct transcribe_problem *problem;
    const struct definition *source;
    struct graph *graph;
    struct transcribe_space space;
    int n, np, m, s, nl, ninputs;
    int *pool; /* memory for nodes, allocated sequentially */
    size_t used, room;
    int *copy, *control; /* by node of the model's graph; by parameter: its control, or -1 */
    int h, data;         /* step size; first parameter behind the model's own */
};

/* Allocates `count` nodes for the lifetime of the builder. */
static int *allocate(struct builder *b, int count) {
    if (b->used + (size_t)count > b->room) {
        b->graph->failed = true;
        return b->pool;
    }
    int *block = b->pool + b->used;
    b->used += (size_t)count;
    return block;
}

static int number(struct builder *b, real value) { return graph_number(b->graph, value); }

static int *leaves(struct builder *b, enum graph_op op, int first, int count) {
    int *leaf = allocate(b, count);
    for (int i = 0; i < count; i++) leaf[i] = graph_leaf(b->graph, op, first + i);
    return leaf;
}

static bool open_builder(struct builder *b, const struct transcribe_problem *problem) {
    const struct definition *source = problem->model->source;
    const struct control_definition *control = source->control;
    *b = (struct builder){.problem = problem,
                          .source = source,
                          .graph = problem->graph,
                          .n = source->n,
                          .np = source->np,
                          .m = control->m,
                          .s = problem->stages->s,
                          .nl = source->nholonomic,
                          .ninputs =
                              noe_stages_hold_controls(problem->stages) ? 1 : problem->stages->s,
                          .data = source->nnumbers};
    const size_t per_stage = (size_t)(12 * b->n + 4 * b->np + b->m + b->nl + problem->npaths + 8);
    b->room = (size_t)(b->s + 4) * per_stage + 64;
    b->pool = calloc(b->room, sizeof *b->pool);
    b->copy = malloc(((size_t)source->graph.count + 1) * sizeof *b->copy);
    b->control = malloc(((size_t)source->nnumbers + 1) * sizeof *b->control);
    transcribe_space_make(&b->space, b->graph, problem->stages->retraction, source->nfactors,
                          source->factor);
    if (!b->pool || !b->copy || !b->control) return false;
    for (int i = 0; i < source->nnumbers; i++) b->control[i] = -1;
    for (int k = 0; k < control->ncontrols; k++)
        for (int i = 0; i < control->control[k].rows; i++)
            b->control[control->control[k].number + i] = control->control[k].first + i;
    return true;
}

static enum noe_status close_builder(struct builder *b) {
    const bool failed = b->graph->failed || !b->pool || !b->copy || !b->control;
    transcribe_space_clear(&b->space);
    free(b->pool);
    free(b->copy);
    free(b->control);
    return failed ? NOE_NO_MEMORY : NOE_OK;
}

/* --- The model at one time. */

struct point {
    struct builder *b;
    int t;
    const int *q, *v, *u;
};

static int point_leaf(void *data, enum graph_op leaf, int index) {
    const struct point *at = data;
    if (leaf == GRAPH_TIME) return at->t;
    if (leaf == GRAPH_POINT) return at->q[index];
    if (leaf == GRAPH_VELOCITY) /* multipliers act at nodes, not at stages */
        return index < at->b->n ? at->v[index] : number(at->b, 0);
    const int control = at->b->control[index];
    return control >= 0 ? at->u[control] : graph_leaf(at->b->graph, GRAPH_PARAMETER, index);
}

static void reset_copies(struct builder *b) {
    for (int i = 0; i < b->source->graph.count; i++) b->copy[i] = -1;
}

static int evaluate_at(const struct point *at, int node) {
    return graph_copy(at->b->graph, &at->b->source->graph, node, at->b->copy, point_leaf,
                      (void *)at);
}

/* Time from + (k + c) h. */
static int time_at(struct builder *b, real c) {
    const int k = graph_leaf(b->graph, GRAPH_PARAMETER, b->data + TRANSCRIBE_NUMBER);
    const int part = graph_mul(b->graph, graph_add(b->graph, k, number(b, c)), b->h);
    return graph_add(b->graph, number(b, b->source->from), part);
}

/* Adds h g_q^T lambda at a node to `momentum` with a sign. */
static void add_constraint_impulse(const struct point *at, const int *lambda, int sign,
                                   int *momentum) {
    struct builder *b = at->b;
    const struct constraints *constraints = &b->problem->model->equations.constraints;
    for (int k = 0; k < constraints->nz && b->nl; k++) {
        const int row = constraints->row ? constraints->row[k] : k / b->n;
        const int col = constraints->row ? constraints->col[k] : k % b->n;
        const int slope = evaluate_at(at, constraints->d[k]);
        const int push = graph_mul(b->graph, graph_mul(b->graph, b->h, lambda[row]), slope);
        momentum[col] = sign > 0 ? graph_add(b->graph, momentum[col], push)
                                 : graph_sub(b->graph, momentum[col], push);
    }
}

/* --- Interval. */

struct interval {
    const int *x0, *y, *u, *lambda, *x1, *p1; /* variables */
    int *p0;                /* momentum after the constraint impulse at the start */
    const int *g0, *g1;     /* origins of the local coordinates */
    int *q0, *q1;           /* points at the ends */
    int *x, *w, *Q, *P, *W; /* by stage: increment, velocity, point, L_v, L_q + f */
};

/* sum = h sum_k coefficient_k y_k. */
static void sum_stages(struct builder *b, const real *coefficient, const int *y, int *sum) {
    for (int i = 0; i < b->n; i++) {
        int total = number(b, 0);
        for (int k = 0; k < b->s; k++) {
            const int term = graph_mul(b->graph, number(b, coefficient[k]), y[k * b->n + i]);
            total = graph_add(b->graph, total, term);
        }
        sum[i] = graph_mul(b->graph, b->h, total);
    }
}

static int open_interval(struct builder *b, struct interval *at) {
    const int n = b->n, np = b->np;
    int z = 0;
    at->x0 = leaves(b, GRAPH_POINT, z, n);
    at->p0 = leaves(b, GRAPH_POINT, z += n, n);
    at->y = leaves(b, GRAPH_POINT, z += n, b->s * n);
    at->u = leaves(b, GRAPH_POINT, z += b->s * n, b->ninputs * b->m);
    at->lambda = leaves(b, GRAPH_POINT, z += b->ninputs * b->m, b->nl);
    z += b->nl;
    b->h = graph_leaf(b->graph, GRAPH_POINT, z++);
    at->x1 = leaves(b, GRAPH_POINT, z, n);
    at->p1 = leaves(b, GRAPH_POINT, z += n, n);
    at->g0 = leaves(b, GRAPH_PARAMETER, b->data + TRANSCRIBE_POINTS, np);
    at->g1 = leaves(b, GRAPH_PARAMETER, b->data + TRANSCRIBE_POINTS + np, np);
    at->q0 = allocate(b, np);
    at->q1 = allocate(b, np);
    transcribe_retract(&b->space, TRANSCRIBE_CHART, at->g0, at->x0, at->q0);
    transcribe_retract(&b->space, TRANSCRIBE_CHART, at->g1, at->x1, at->q1);
    const struct point start = {b, time_at(b, 0), at->q0, at->y, at->u};
    reset_copies(b);
    add_constraint_impulse(&start, at->lambda, -1, at->p0);
    at->x = allocate(b, b->s * n);
    at->w = allocate(b, b->s * n);
    at->Q = allocate(b, b->s * np);
    at->P = allocate(b, b->s * n);
    at->W = allocate(b, b->s * n);
    return z + n;
}

/* Adds stage i: its point, velocity, momentum, force, contribution to the cost, and path
 * constraints. */
static void add_stage(struct builder *b, struct interval *at, int i, int *cost, int *path) {
    const struct noe_stages *stages = b->problem->stages;
    const struct equations *equations = &b->problem->model->equations;
    const struct control_definition *control = b->source->control;
    const int n = b->n;
    int *x = at->x + i * n, *w = at->w + i * n;
    sum_stages(b, stages->a + i * b->s, at->y, x);
    transcribe_retract(&b->space, stages->retraction, at->q0, x, at->Q + i * b->np);
    if (stages->rule == NOE_STAGES_VARIATIONAL)
        transcribe_tangent(&b->space, x, at->y + i * n, w);
    else
        memcpy(w, at->y + i * n, (size_t)n * sizeof *w);
    const int *u = at->u + (b->ninputs > 1 ? i * b->m : 0);
    struct point point = {b, time_at(b, stages->c[i]), at->Q + i * b->np, w, u};
    reset_copies(b);
    for (int k = 0; k < n; k++) {
        at->P[i * n + k] = evaluate_at(&point, equations->p[k]);
        at->W[i * n + k] = evaluate_at(&point, equations->w[k]);
    }
    for (int k = 0; k < b->problem->npaths; k++) path[k] = evaluate_at(&point, b->problem->path[k]);
    if (control->cost < 0) return;
    const int weight = graph_mul(b->graph, b->h, number(b, stages->b[i]));
    const int share = graph_mul(b->graph, weight, evaluate_at(&point, control->cost));
    *cost = graph_add(b->graph, *cost, share);
}

/* Equations of the stages and of the momentum at the start. */
static void add_equations(struct builder *b, const struct interval *at, const int *X, int *value) {
    const struct noe_stages *stages = b->problem->stages;
    struct graph *g = b->graph;
    const int n = b->n, s = b->s;
    int *pulled = allocate(b, n), *slope = allocate(b, n), *end = allocate(b, n);
    transcribe_tangent_dual(&b->space, X, at->p1, end);
    for (int k = 0; k < s * n; k++) value[k] = graph_neg(g, end[k % n]);
    transcribe_coadjoint(&b->space, X, at->p1, end);
    for (int k = 0; k < n; k++) value[s * n + k] = graph_sub(g, at->p0[k], end[k]);
    for (int j = 0; j < s; j++) {
        const int *x = at->x + j * n, *P = at->P + j * n, *W = at->W + j * n;
        const int weight = graph_mul(g, b->h, number(b, stages->b[j]));
        transcribe_coadjoint(&b->space, x, W, pulled);
        for (int k = 0; k < n; k++)
            value[s * n + k] = graph_add(g, value[s * n + k], graph_mul(g, weight, pulled[k]));
        transcribe_tangent_dual(&b->space, x, P, pulled);
        for (int k = 0; k < n; k++) value[j * n + k] = graph_add(g, value[j * n + k], pulled[k]);
        transcribe_tangent_dual(&b->space, x, W, pulled);
        transcribe_slope(&b->space, x, at->y + j * n, P, slope);
        for (int i = 0; i < s; i++) {
            const int part = number(b, stages->a[j * s + i] / stages->b[i]);
            for (int k = 0; k < n; k++) {
                const int force = graph_add(g, pulled[k], slope[k]);
                const int term = graph_mul(g, graph_mul(g, weight, part), force);
                value[i * n + k] = graph_add(g, value[i * n + k], term);
            }
        }
    }
}

/* As add_equations, for the midpoint rule on groups. */
static void add_midpoint_equations(struct builder *b, const struct interval *at, int *value) {
    struct graph *g = b->graph;
    const int n = b->n, half = number(b, (real)-0.5);
    int *back = allocate(b, n), *m = allocate(b, n), *m1 = allocate(b, n), *pulled = allocate(b, n);
    for (int k = 0; k < n; k++) back[k] = graph_neg(g, at->x[k]);
    transcribe_coadjoint(&b->space, back, at->p0, m);
    transcribe_coadjoint(&b->space, at->x, at->p1, m1);
    transcribe_tangent_dual(&b->space, at->x, m, pulled);
    for (int k = 0; k < n; k++) value[k] = graph_add(g, at->P[k], graph_mul(g, half, pulled[k]));
    transcribe_tangent_dual(&b->space, back, m1, pulled);
    for (int k = 0; k < n; k++) {
        value[k] = graph_add(g, value[k], graph_mul(g, half, pulled[k]));
        value[n + k] = graph_sub(g, graph_add(g, m[k], graph_mul(g, b->h, at->W[k])), m1[k]);
    }
}

/* Sum over the nodes at fraction c of the step of h b_j W_j. */
static void sum_forces(struct builder *b, const struct interval *at, real c, int *sum) {
    const struct noe_stages *stages = b->problem->stages;
    for (int k = 0; k < b->n; k++) sum[k] = number(b, 0);
    for (int j = 0; j < b->s; j++) {
        const int weight = graph_mul(b->graph, b->h, number(b, stages->b[j]));
        for (int k = 0; stages->c[j] == c && k < b->n; k++)
            sum[k] = graph_add(b->graph, sum[k], graph_mul(b->graph, weight, at->W[j * b->n + k]));
    }
}

/* As add_equations, for nodes at the ends of the step. The equations of further stages state that
 * all have the velocity of the first. */
static void add_endpoint_equations(struct builder *b, const struct interval *at, const int *X,
                                   int *value) {
    struct graph *g = b->graph;
    const int n = b->n, s = b->s;
    int *m = allocate(b, n), *late = allocate(b, n), *back = allocate(b, n);
    int *pulled = allocate(b, n);
    sum_forces(b, at, 0, m);
    sum_forces(b, at, 1, late);
    for (int k = 0; k < n; k++) {
        m[k] = graph_add(g, at->p0[k], m[k]);
        late[k] = graph_sub(g, at->p1[k], late[k]);
        back[k] = graph_neg(g, X[k]);
    }
    transcribe_tangent_dual(&b->space, back, m, pulled);
    for (int k = 0; k < n; k++) value[k] = graph_neg(g, pulled[k]);
    for (int k = 0; k < s * n; k++) {
        const int share = graph_mul(g, number(b, b->problem->stages->b[k / n]), at->P[k]);
        value[k % n] = graph_add(g, value[k % n], share);
        if (k >= n) value[k] = graph_sub(g, at->y[k], at->y[k % n]);
    }
    transcribe_coadjoint(&b->space, X, late, pulled);
    for (int k = 0; k < n; k++) value[s * n + k] = graph_sub(g, m[k], pulled[k]);
}

/* As add_equations, for Hamilton's equations on R^n. */
static void add_hamiltonian_equations(struct builder *b, const struct interval *at, int *value) {
    const struct noe_stages *stages = b->problem->stages;
    struct graph *g = b->graph;
    const int n = b->n, s = b->s;
    int *sum = allocate(b, n);
    for (int i = 0; i <= s; i++) {
        sum_stages(b, i < s ? stages->a + i * s : stages->b, at->W, sum);
        const int *end = i < s ? at->P + i * n : at->p1;
        for (int k = 0; k < n; k++)
            value[i * n + k] = graph_sub(g, graph_add(g, at->p0[k], sum[k]), end[k]);
    }
}

static void fill_interval(struct builder *b, struct interval *at, int *value, int nc) {
    const struct noe_stages *stages = b->problem->stages;
    const int n = b->n, s = b->s;
    int *X = allocate(b, n), *end = allocate(b, b->np);
    int cost = number(b, 0), *path = value + (s + 2) * n + b->nl;
    for (int i = 0; i < s; i++) add_stage(b, at, i, &cost, path + i * b->problem->npaths);
    sum_stages(b, stages->b, at->y, X);
    switch (stages->rule) {
    case NOE_STAGES_VARIATIONAL: add_equations(b, at, X, value); break;
    case NOE_STAGES_HAMILTONIAN: add_hamiltonian_equations(b, at, value); break;
    case NOE_STAGES_MIDPOINT: add_midpoint_equations(b, at, value); break;
    case NOE_STAGES_ENDPOINT: add_endpoint_equations(b, at, X, value); break;
    }
    const bool in_middle = stages->rule == NOE_STAGES_MIDPOINT;
    transcribe_retract(&b->space, stages->retraction, in_middle ? at->Q : at->q0,
                       in_middle ? at->x : X, end);
    transcribe_difference(&b->space, at->q1, end, value + (s + 1) * n);
    const struct point last = {b, time_at(b, 1), at->q1, at->y, at->u};
    reset_copies(b);
    for (int k = 0; k < b->nl; k++)
        value[(s + 2) * n + k] = evaluate_at(&last, b->problem->model->equations.constraints.c[k]);
    value[nc] = cost;
}

enum noe_status transcribe_interval(const struct transcribe_problem *problem,
                                    struct transcribe_values *values) {
    struct builder b;
    struct interval at;
    const bool is_open = open_builder(&b, problem);
    values->nc = (b.s + 2) * b.n + b.nl + b.s * problem->npaths;
    values->node = calloc((size_t)values->nc + 1, sizeof *values->node);
    if (is_open && values->node) {
        values->nz = open_interval(&b, &at);
        fill_interval(&b, &at, values->node, values->nc);
    }
    const enum noe_status status = close_builder(&b);
    return values->node ? status : NOE_NO_MEMORY;
}

/* --- End of the time interval. */

static void fill_end(struct builder *b, int *value) {
    const struct equations *equations = &b->problem->model->equations;
    const int n = b->n, terminal = b->source->control->terminal;
    const int *x = leaves(b, GRAPH_POINT, 0, n), *p = leaves(b, GRAPH_POINT, n, n);
    const int *v = leaves(b, GRAPH_POINT, 2 * n, n);
    const int *lambda = leaves(b, GRAPH_POINT, 3 * n, b->nl);
    const int *g = leaves(b, GRAPH_PARAMETER, b->data + TRANSCRIBE_POINTS, b->np);
    int *q = allocate(b, b->np), *u = allocate(b, b->m);
    b->h = graph_leaf(b->graph, GRAPH_POINT, 3 * n + b->nl);
    transcribe_retract(&b->space, TRANSCRIBE_CHART, g, x, q);
    const struct point point = {b, time_at(b, 0), q, v, u};
    reset_copies(b);
    for (int k = 0; k < n; k++)
        value[k] = graph_sub(b->graph, evaluate_at(&point, equations->p[k]), p[k]);
    add_constraint_impulse(&point, lambda, 1, value);
    for (int k = 0; k < b->nl; k++)
        value[n + k] = evaluate_at(&point, equations->constraints.c[b->nl + k]);
    if (terminal >= 0) value[n + b->nl] = evaluate_at(&point, terminal);
}

enum noe_status transcribe_end(const struct transcribe_problem *problem,
                               struct transcribe_values *values) {
    struct builder b;
    const bool is_open = open_builder(&b, problem);
    values->nc = b.n + b.nl;
    values->nz = 3 * b.n + b.nl + 1;
    values->node = calloc((size_t)values->nc + 1, sizeof *values->node);
    if (is_open && values->node) {
        values->node[values->nc] = graph_number(b.graph, 0);
        fill_end(&b, values->node);
    }
    const enum noe_status status = close_builder(&b);
    return values->node ? status : NOE_NO_MEMORY;
}
