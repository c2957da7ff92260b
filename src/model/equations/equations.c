/* Equations of motion on the graph: gradients, nonzero second derivatives, sparsity pattern and
 * traits. */
/* SPDX-License-Identifier: MIT */
#include "model/equations/equations.h"

#include <stdlib.h>
#include <string.h>

#include "model/codegen/program.h"
#include "model/equations/event_rates.h"
#include "model/equations/frame_derivative.h"

enum { PV, PQ, WV, WQ, BLOCK_COUNT };
enum { ON_TIME = 1, ON_VELOCITY = 4 };

/* A second derivative that is not identically zero. */
struct entry {
    int block, row, col, node;
};

struct entries {
    int count, room;
    struct entry *entry;
    bool failed;
};

static void append(struct entries *list, struct entry entry) {
    if (list->count == list->room && !list->failed) {
        const int room = 2 * list->room + 64;
        struct entry *grown = realloc(list->entry, (size_t)room * sizeof *grown);
        list->failed = !grown;
        if (grown) {
            list->entry = grown;
            list->room = room;
        }
    }
    if (!list->failed) list->entry[list->count++] = entry;
}

/* Working memory of the derivation of one model. */
struct derivation {
    struct equations *equations;
    struct definition *model;
    struct graph *graph;
    struct frame_derivative frame;
    struct entries entries;
    int *along; /* memory for the directions or velocities on which a node depends */
    int *lq;    /* L_q, without forces */
    int *uq;    /* U_q, where U = L - lambda.g with the holonomic constraints g */
    int *force; /* forces that do not derive from U: stated forces and phi_v^T lambda */
    const volatile int *interrupt;
};

/* Calls `found` with the derivative of `root` by every velocity component below `limit` on which it
 * depends. */
static void by_velocity(struct derivation *d, int root, int row, int limit,
                        void (*found)(struct derivation *, int row, int col, int node)) {
    const int count = graph_leaves(d->graph, root, GRAPH_VELOCITY, d->along);
    for (int k = 0; k < count && d->along[k] < limit; k++) {
        const int col = d->along[k];
        const int node = graph_derivative(d->graph, root, GRAPH_VELOCITY, col);
        if (!graph_is_number(d->graph, node, 0)) found(d, row, col, node);
    }
}

/* As by_velocity, along the frame directions of the point. */
static void by_point(struct derivation *d, int root, int row, int limit,
                     void (*found)(struct derivation *, int row, int col, int node)) {
    const int count = frame_of(&d->frame, d->graph, root, d->along);
    for (int k = 0; k < count && d->along[k] < limit; k++) {
        const int col = d->along[k];
        const int node = frame_rate(&d->frame, d->graph, root, col);
        if (!graph_is_number(d->graph, node, 0)) found(d, row, col, node);
    }
}

static void found_lvv(struct derivation *d, int row, int col, int node) {
    append(&d->entries, (struct entry){PV, row, col, node});
    if (row != col) append(&d->entries, (struct entry){PV, col, row, node});
}

/* Frame directions of different factors commute. */
static void found_uqq(struct derivation *d, int row, int col, int node) {
    append(&d->entries, (struct entry){WQ, row, col, node});
    if (row != col) append(&d->entries, (struct entry){WQ, col, row, node});
}

/* p_q = L_vq is the transpose of L_qv. */
static void found_lvq(struct derivation *d, int row, int col, int node) {
    append(&d->entries, (struct entry){PQ, row, col, node});
    append(&d->entries, (struct entry){WV, col, row, node});
}

static void found_fv(struct derivation *d, int row, int col, int node) {
    append(&d->entries, (struct entry){WV, row, col, node});
}

static void found_fq(struct derivation *d, int row, int col, int node) {
    append(&d->entries, (struct entry){WQ, row, col, node});
}

/* Frame directions of one group do not commute: (U_q)_i along j minus (U_q)_j along i is U_q along
 * their bracket. */
static void find_group_uqq(struct derivation *d, int row) {
    const struct frame_derivative *frame = &d->frame;
    for (int col = frame->begin[row]; col < row; col++) {
        const int node = frame_rate(frame, d->graph, d->uq[row], col);
        int other = node;
        for (int k = frame->begin[row]; k < frame->end[row]; k++) {
            const int part = graph_number(d->graph, frame_bracket(frame, col, row, k));
            other = graph_sub(d->graph, other, graph_mul(d->graph, part, d->uq[k]));
        }
        if (!graph_is_number(d->graph, node, 0)) found_fq(d, row, col, node);
        if (!graph_is_number(d->graph, other, 0)) found_fq(d, col, row, other);
    }
    const int node = frame_rate(frame, d->graph, d->uq[row], row);
    if (!graph_is_number(d->graph, node, 0)) found_fq(d, row, row, node);
}

static bool point_gradient(struct derivation *d, int root, int *gradient) {
    if (d->model->has_groups) return frame_gradient(&d->frame, d->graph, root, gradient);
    graph_gradient(d->graph, root, GRAPH_POINT, d->equations->n, gradient);
    return true;
}

/* p = L_v, w = U_q + f + phi_v^T lambda. */
static bool first_derivatives(struct derivation *d) {
    const int n = d->equations->n, lagrangian = d->model->lagrangian;
    const int potential = constraint_equations_potential(d->model);
    graph_gradient(d->graph, lagrangian, GRAPH_VELOCITY, n, d->equations->p);
    if (!point_gradient(d, lagrangian, d->lq)) return false;
    for (int i = 0; i < n; i++) d->uq[i] = d->lq[i];
    if (potential != 0 && !point_gradient(d, graph_add(d->graph, lagrangian, potential), d->uq))
        return false;
    for (int i = 0; i < n; i++) d->force[i] = d->model->force ? d->model->force[i] : 0;
    constraint_equations_add_forces(&d->equations->constraints, d->model, d->force);
    for (int i = 0; i < n; i++) d->equations->w[i] = graph_add(d->graph, d->uq[i], d->force[i]);
    return true;
}

/* Limit of the columns of U_qq found with row i: on R^n up to the diagonal, on groups those of
 * other factors. */
static int uqq_limit(const struct derivation *d, int i) {
    return frame_on_group(&d->frame, i) ? d->frame.begin[i] : i + 1;
}

static bool is_interrupted(const struct derivation *d) { return d->interrupt && *d->interrupt; }

static void second_derivatives(struct derivation *d) {
    const int n = d->equations->n, *p = d->equations->p;
    for (int i = 0; i < n && !is_interrupted(d); i++) {
        by_velocity(d, p[i], i, i + 1, found_lvv);
        by_point(d, p[i], i, n, found_lvq);
        if (frame_on_group(&d->frame, i)) find_group_uqq(d, i);
        by_point(d, d->uq[i], i, uqq_limit(d, i), found_uqq);
        by_velocity(d, d->force[i], i, n, found_fv);
        by_point(d, d->force[i], i, n, found_fq);
    }
}

static int compare_keys(const void *a, const void *b) {
    const long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

/* Sorts the keys, removes duplicates and returns the number of those left. */
static size_t sort_keys(size_t count, long long *key) {
    qsort(key, count, sizeof *key, compare_keys);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || key[i] != key[kept - 1]) key[kept++] = key[i];
    }
    return kept;
}

/* Rows and columns filled by one entry, because charts mix the directions of a group. */
struct rectangle {
    int row, rows, col, cols;
};

static struct rectangle around(const struct frame_derivative *d, int row, int col) {
    return (struct rectangle){.row = d->begin[row],
                              .rows = d->end[row] - d->begin[row],
                              .col = d->begin[col],
                              .cols = d->end[col] - d->begin[col]};
}

static size_t add_keys(long long *key, size_t used, int n, const struct rectangle *at) {
    for (int i = at->row; i < at->row + at->rows; i++)
        for (int j = at->col; j < at->col + at->cols; j++) {
            key[used++] = (long long)i * n + j;
            key[used++] = (long long)j * n + i;
        }
    return used;
}

/* Sorted keys row*n + col of the sparsity pattern: all entries, their transposes and the diagonal,
 * with the directions of each group filled up. */
static long long *pattern_keys(const struct derivation *d, int *nz) {
    const int n = d->equations->n, count = d->entries.count;
    size_t room = 1, used = 0;
    for (int i = 0; i < n; i++) room += 2 * (size_t)(d->frame.end[i] - d->frame.begin[i]);
    for (int i = 0; i < count; i++) {
        const struct entry *entry = &d->entries.entry[i];
        const struct rectangle at = around(&d->frame, entry->row, entry->col);
        room += 2 * (size_t)at.rows * (size_t)at.cols;
    }
    long long *key = malloc(room * sizeof *key);
    if (!key) return NULL;
    for (int i = 0; i < n; i++) {
        struct rectangle at = around(&d->frame, i, i);
        at.row = i;
        at.rows = 1;
        used = add_keys(key, used, n, &at);
    }
    for (int i = 0; i < count; i++) {
        const struct entry *entry = &d->entries.entry[i];
        const struct rectangle at = around(&d->frame, entry->row, entry->col);
        used = add_keys(key, used, n, &at);
    }
    *nz = (int)sort_keys(used, key);
    return key;
}

static bool allocate_pattern(struct equations *equations, int nz) {
    const size_t count = (size_t)nz + 1;
    equations->nz = nz;
    equations->d = malloc(BLOCK_COUNT * count * sizeof(int));
    equations->order = malloc(BLOCK_COUNT * count * sizeof(int));
    if ((long long)nz < (long long)equations->n * equations->n) {
        equations->row = malloc(count * sizeof(int));
        equations->col = malloc(count * sizeof(int));
        if (!equations->row || !equations->col) return false;
    }
    return equations->d && equations->order;
}

/* Sorts by rows and, within a row, by the four blocks. */
static void order_by_rows(struct equations *equations, const long long *key) {
    int used = 0;
    for (int first = 0, last; first < equations->nz; first = last) {
        const long long row = key[first] / equations->n;
        for (last = first; last < equations->nz && key[last] / equations->n == row;) last++;
        for (int block = 0; block < BLOCK_COUNT; block++) {
            for (int k = first; k < last; k++) equations->order[used++] = block * equations->nz + k;
        }
    }
}

/* Entries with the same indices are added: the contributions of the Lagrangian and of the force. */
static void place_entries(struct derivation *d, const long long *key) {
    struct equations *equations = d->equations;
    const int zero = graph_number(d->graph, 0), nz = equations->nz;
    for (int i = 0; i < BLOCK_COUNT * nz; i++) equations->d[i] = zero;
    for (int i = 0; i < d->entries.count; i++) {
        const struct entry *entry = &d->entries.entry[i];
        const long long wanted = (long long)entry->row * equations->n + entry->col;
        const long long *found = bsearch(&wanted, key, (size_t)nz, sizeof *key, compare_keys);
        int *place = &equations->d[entry->block * nz + (int)(found - key)];
        *place = graph_add(d->graph, *place, entry->node);
    }
}

static bool make_pattern(struct derivation *d) {
    int nz = 0;
    long long *key = d->entries.failed ? NULL : pattern_keys(d, &nz);
    const bool is_made = key && allocate_pattern(d->equations, nz);
    if (is_made) {
        for (int k = 0; d->equations->row && k < nz; k++) {
            d->equations->row[k] = (int)(key[k] / d->equations->n);
            d->equations->col[k] = (int)(key[k] % d->equations->n);
        }
        order_by_rows(d->equations, key);
        place_entries(d, key);
    }
    free(key);
    return is_made;
}

static unsigned depends(const struct derivation *d, int count, const int *node) {
    unsigned all = 0;
    for (int i = 0; i < count; i++) all |= graph_depends(d->graph, node[i]);
    return all;
}

/* Rebuilds one node with its operands replaced. */
static int rebuild(struct graph *graph, int i, const int *replaced) {
    const struct graph_node node = graph->node[i];
    switch (node.op) {
    case GRAPH_ADD: return graph_add(graph, replaced[node.a], replaced[node.b]);
    case GRAPH_SUB: return graph_sub(graph, replaced[node.a], replaced[node.b]);
    case GRAPH_MUL: return graph_mul(graph, replaced[node.a], replaced[node.b]);
    case GRAPH_DIV: return graph_div(graph, replaced[node.a], replaced[node.b]);
    case GRAPH_NEG: return graph_neg(graph, replaced[node.a]);
    case GRAPH_POWER: return graph_power(graph, replaced[node.a], node.b);
    case GRAPH_CALL:
        return graph_call(graph, node.f, replaced[node.a],
                          graph_functions[node.f].arity == 2 ? replaced[node.b] : -1);
    default: return i;
    }
}

/* True if p is zero at v = 0 for all parameters. Tested by building p with the velocities zero. If
 * memory runs out the graph has failed. */
static bool is_zero_at_rest(struct derivation *d) {
    struct program_output *output = calloc((size_t)d->equations->n, sizeof *output);
    int *replaced = malloc(((size_t)d->graph->count + 1) * sizeof(int));
    struct program program = {0};
    bool is_zero = output && replaced;
    for (int i = 0; is_zero && i < d->equations->n; i++) output[i].node = d->equations->p[i];
    is_zero = is_zero && program_make(&program, d->graph, d->equations->n, output, NULL) == NOE_OK;
    d->graph->failed |= !is_zero;
    if (is_zero) {
        const int zero = graph_number(d->graph, 0), count = d->graph->count;
        for (int i = 0; i < count; i++) {
            replaced[i] = d->graph->node[i].op == GRAPH_VELOCITY ? zero : i;
        }
        for (int k = 0; k < program.nsteps; k++) {
            replaced[program.step[k]] = rebuild(d->graph, program.step[k], replaced);
        }
        for (int i = 0; is_zero && i < d->equations->n; i++) {
            is_zero = graph_is_number(d->graph, replaced[d->equations->p[i]], 0);
        }
    }
    program_clear(&program);
    free(output);
    free(replaced);
    return is_zero;
}

static bool is_forced(const struct derivation *d) {
    for (int i = 0; d->model->force && i < d->equations->n; i++) {
        if (!graph_is_number(d->graph, d->model->force[i], 0)) return true;
    }
    return false;
}

/* True if p_v is zero off the diagonal for all parameters, or off the diagonal blocks of groups if
 * `in_blocks`. */
static bool is_diagonal(const struct derivation *d, bool in_blocks) {
    const struct equations *b = d->equations;
    for (int e = 0; e < b->nz; e++) {
        const int row = b->row ? b->row[e] : e / b->n, col = b->row ? b->col[e] : e % b->n;
        const bool is_near = in_blocks && d->frame.begin[row] == d->frame.begin[col];
        if (row != col && !is_near && !graph_is_number(d->graph, b->d[e], 0)) return false;
    }
    return true;
}

/* True if neither L nor the forces depend on group elements. */
static bool is_left_invariant(const struct derivation *d) {
    const struct definition *model = d->model;
    const struct frame_derivative *frame = &d->frame;
    for (int root = -1; root < (model->force ? d->equations->n : 0); root++) {
        const int node = root < 0 ? model->lagrangian : model->force[root];
        const int count = frame_of(frame, d->graph, node, d->along);
        for (int k = 0; k < count; k++)
            if (frame_on_group(frame, d->along[k])) return false;
    }
    return true;
}

/* Traits of friction and noise, in a system whose Lagrangian is separable. */
static void find_bath_traits(struct derivation *d, bool is_damped) {
    struct equations *b = d->equations;
    unsigned bath = depends(d, b->nz, b->d + 2 * (size_t)b->nz);
    if (is_damped) b->traits |= NOE_DAMPED;
    if (is_damped && !(bath & ON_VELOCITY)) b->traits |= NOE_LINEAR_FRICTION;
    for (int j = 0; j < d->model->nnoises; j++) bath |= depends(d, b->n, d->model->noise[j].node);
    if ((is_damped || d->model->nnoises) && !bath) b->traits |= NOE_STEADY_BATH;
}

static bool is_massless(const struct derivation *d) {
    for (int e = 0; e < d->equations->nz; e++)
        if (!graph_is_number(d->graph, d->equations->d[e], 0)) return false;
    return true;
}

/* Traits of L and the stated forces. A separable system also has constraint forces that do not
 * depend on v. */
static void find_traits(struct derivation *d) {
    struct equations *b = d->equations;
    const int *force = d->model->force;
    const unsigned mass = depends(d, b->nz, b->d), forces = force ? depends(d, b->n, force) : 0;
    const unsigned all = graph_depends(d->graph, d->model->lagrangian) | forces;
    const unsigned reactions = depends(d, b->constraints.nz, b->constraints.d);
    if (!(mass & ON_VELOCITY)) b->traits |= NOE_QUADRATIC;
    if (!mass) b->traits |= NOE_CONSTANT_MASS;
    if (!mass && is_massless(d)) b->traits |= NOE_LINEAR;
    if (!mass && is_diagonal(d, false)) b->traits |= NOE_DIAGONAL_MASS;
    if (!mass && d->model->has_groups && is_diagonal(d, true)) b->traits |= NOE_BLOCK_MASS;
    /* p = Mv + c with M constant, and c = 0. */
    const unsigned pulls = depends(d, b->n, d->lq) | reactions;
    if (!mass && !(pulls & ON_VELOCITY) && is_zero_at_rest(d)) {
        const bool is_damped = forces & ON_VELOCITY;
        if (!is_damped) b->traits |= NOE_SEPARABLE;
        find_bath_traits(d, is_damped);
    }
    if (!(all & ON_TIME)) b->traits |= NOE_AUTONOMOUS;
    if (!is_forced(d)) b->traits |= NOE_UNFORCED;
    if (d->model->has_groups && is_left_invariant(d)) b->traits |= NOE_LEFT_INVARIANT;
}

/* Keeps L_q and L_t if w differs from L_q, or if L or a force depends on time. */
static void keep_gradient(struct derivation *d) {
    struct equations *b = d->equations;
    const bool is_free = b->constraints.count == 0;
    if (is_free && (b->traits & NOE_AUTONOMOUS) && (b->traits & NOE_UNFORCED)) return;
    d->lq[b->n] = graph_derivative(d->graph, d->model->lagrangian, GRAPH_TIME, 0);
    b->gradient = d->lq;
    d->lq = NULL;
}

enum noe_status equations_make(struct equations *equations, struct definition *model,
                               const volatile int *interrupt, struct noe_error *error) {
    const size_t n = (size_t)model->n, velocities = n + (size_t)definition_constraints(model);
    *equations = (struct equations){.n = model->n};
    struct derivation d = {
        .equations = equations, .model = model, .graph = &model->graph, .interrupt = interrupt};
    equations->p = malloc((n + 1) * sizeof(int));
    equations->w = malloc((n + 1) * sizeof(int));
    d.lq = malloc((n + 1) * sizeof(int));
    d.uq = malloc((n + 1) * sizeof(int));
    d.force = malloc((n + 1) * sizeof(int));
    d.along = malloc((velocities + 1) * sizeof(int));
    bool is_made = frame_make(&d.frame, model) && equations->p && equations->w && d.lq && d.uq &&
                   d.force && d.along &&
                   constraint_equations_make(&equations->constraints, model, &d.frame) &&
                   event_rates_make(model, &d.frame);
    if (is_made) {
        is_made = first_derivatives(&d);
        if (is_made) second_derivatives(&d);
        is_made = is_made && !is_interrupted(&d) && make_pattern(&d);
        if (is_made) find_traits(&d);
        if (is_made) keep_gradient(&d);
        is_made = is_made && !model->graph.failed;
    }
    free(d.entries.entry);
    free(d.lq);
    free(d.uq);
    free(d.force);
    frame_clear(&d.frame);
    free(d.along);
    if (is_made) return NOE_OK;
    equations_clear(equations);
    if (is_interrupted(&d)) return status_set(error, NOE_INTERRUPTED, "interrupted");
    return status_set(error, NOE_NO_MEMORY, "out of memory while differentiating the model");
}

void equations_clear(struct equations *equations) {
    free(equations->row);
    free(equations->col);
    free(equations->p);
    free(equations->w);
    free(equations->gradient);
    free(equations->d);
    free(equations->order);
    constraint_equations_clear(&equations->constraints);
    *equations = (struct equations){0};
}
