/* Isomorphic-subexpression detection: partitions the steps of each level by operation and operand
 * classes. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/vectorise/program_isomorphic.h"

#include <stdlib.h>

/* Components of a signature: operation and function, then place and class of each operand, then the
 * exact index of each operand. */
enum { OPERATION, FUNCTION, PLACE, CLASS, EXACT = PLACE + 4, ALL = EXACT + 2 };

/* Signature of a step. Isomorphic steps share the part before EXACT. Their constants and parameters
 * may differ, unless a few of them serve many steps. */
struct signature {
    int key[ALL]; /* indexed by the enumeration */
    int step;
};

struct maker {
    struct program_isomorphic *isomorphic;
    const struct program *program;
    const struct graph *graph;
    const bool *is_vector; /* by node, or NULL */
    int *first;            /* by level: its first step in `step` of the result */
    int nlevels;
    struct signature *row;
};

struct program_where program_isomorphic_where(const struct program *program,
                                              const struct graph *graph, int node) {
    const int parameter = program_parameter(program, graph, node);
    if (parameter >= 0) return (struct program_where){AT_PARAMETER, parameter};
    switch (graph->node[node].op) {
    case GRAPH_NUMBER: return (struct program_where){AT_NUMBER, node};
    case GRAPH_TIME: return (struct program_where){AT_TIME, 0};
    case GRAPH_POINT: return (struct program_where){AT_POINT, graph->node[node].a};
    case GRAPH_VELOCITY: return (struct program_where){AT_VELOCITY, graph->node[node].a};
    default: return (struct program_where){AT_STEP, program->place[node]};
    }
}

/* Sorts the steps by level, their depth in the dependency graph: one more than the max level of the
 * operands. */
static enum noe_status sort_by_level(struct maker *m) {
    const struct program *program = m->program;
    const size_t count = (size_t)program->nsteps + 2;
    int *level = malloc(count * sizeof *level), child[2];
    m->first = calloc(count, sizeof *m->first);
    if (!level || !m->first) {
        free(level);
        return NOE_NO_MEMORY;
    }
    for (int i = 0; i < program->nsteps; i++) {
        level[i] = 0;
        for (int k = program_children(&m->graph->node[program->step[i]], child) - 1; k >= 0; k--) {
            const int place = program->place[child[k]];
            if (place >= 0 && level[place] >= level[i]) level[i] = level[place] + 1;
        }
        if (level[i] >= m->nlevels) m->nlevels = level[i] + 1;
        m->first[level[i] + 1]++;
    }
    for (int k = 0; k < m->nlevels; k++) m->first[k + 1] += m->first[k];
    for (int i = program->nsteps - 1; i >= 0; i--)
        m->isomorphic->step[--m->first[level[i] + 1]] = i;
    for (int k = 0; k < m->nlevels; k++) m->first[k] = m->first[k + 1];
    m->first[m->nlevels] = program->nsteps;
    free(level);
    return NOE_OK;
}

static bool is_call(const struct maker *m, int node) { return m->is_vector && m->is_vector[node]; }

static struct signature make_signature(const struct maker *m, int step) {
    const struct graph_node *node = &m->graph->node[m->program->step[step]];
    struct signature row = {.key = {(int)node->op}, .step = step};
    int child[2];
    const int count = program_children(node, child);
    if (node->op == GRAPH_POWER) row.key[FUNCTION] = node->b;
    if (node->op == GRAPH_CALL)
        row.key[FUNCTION] = 2 * node->f + is_call(m, m->program->step[step]);
    for (int k = 0; k < count; k++) {
        const struct program_where where = program_isomorphic_where(m->program, m->graph, child[k]);
        row.key[PLACE + 2 * k] = (int)where.place;
        if (where.place == AT_STEP) row.key[CLASS + 2 * k] = m->isomorphic->class_of[where.index];
        if (where.place == AT_NUMBER || where.place == AT_PARAMETER)
            row.key[EXACT + k] = where.index;
    }
    return row;
}

/* Compares the first `count` components. */
static int compare_signatures(const struct signature *a, const struct signature *b, int count) {
    for (int k = 0; k < count; k++)
        if (a->key[k] != b->key[k]) return a->key[k] < b->key[k] ? -1 : 1;
    return 0;
}

static int compare_rows(const void *a, const void *b) {
    const struct signature *x = a, *y = b;
    const int order = compare_signatures(x, y, ALL);
    return order ? order : x->step - y->step;
}

static int compare_steps(const void *a, const void *b) {
    return ((const struct signature *)a)->step - ((const struct signature *)b)->step;
}

static bool is_exact(const struct signature *a, const struct signature *b) {
    return a->key[EXACT] == b->key[EXACT] && a->key[EXACT + 1] == b->key[EXACT + 1];
}

static void add_class(struct maker *m, int count, const struct signature *row, int first) {
    const int class = m->isomorphic->nclasses++;
    m->isomorphic->class[class] = (struct program_class){
        .first = first, .count = count, .is_call = is_call(m, m->program->step[row->step])};
    for (int i = 0; i < count; i++) {
        m->isomorphic->step[first + i] = row[i].step;
        m->isomorphic->class_of[row[i].step] = class;
    }
}

/* Adds the classes of `count` rows with the same signature: one class, or one for each pair of
 * exact operands. */
static void add_classes(struct maker *m, int count, struct signature *row, int first) {
    int npairs = 1;
    for (int i = 1; i < count; i++) npairs += !is_exact(&row[i], &row[i - 1]);
    if (npairs > 1 && npairs > count / PROGRAM_ISOMORPHIC_MIN) {
        qsort(row, (size_t)count, sizeof *row, compare_steps);
        add_class(m, count, row, first);
        return;
    }
    for (int i = 0, length; i < count; i += length) {
        for (length = 1; i + length < count && is_exact(&row[i], &row[i + length]);) length++;
        add_class(m, length, row + i, first + i);
    }
}

static void classify_level(struct maker *m, int level) {
    const int first = m->first[level], count = m->first[level + 1] - first;
    for (int i = 0; i < count; i++) m->row[i] = make_signature(m, m->isomorphic->step[first + i]);
    qsort(m->row, (size_t)count, sizeof *m->row, compare_rows);
    for (int i = 0, length; i < count; i += length) {
        for (length = 1;
             i + length < count && compare_signatures(&m->row[i], &m->row[i + length], EXACT) == 0;)
            length++;
        add_classes(m, length, m->row + i, first + i);
    }
}

enum noe_status program_isomorphic_make(struct program_isomorphic *isomorphic,
                                        const struct program *program, const struct graph *graph,
                                        const bool *is_vector) {
    const size_t count = (size_t)program->nsteps + 1;
    struct maker m = {
        .isomorphic = isomorphic, .program = program, .graph = graph, .is_vector = is_vector};
    isomorphic->nclasses = 0;
    isomorphic->class = malloc(count * sizeof *isomorphic->class);
    isomorphic->step = malloc(count * sizeof *isomorphic->step);
    isomorphic->class_of = malloc(count * sizeof *isomorphic->class_of);
    m.row = malloc(count * sizeof *m.row);
    enum noe_status status = NOE_NO_MEMORY;
    if (isomorphic->class && isomorphic->step && isomorphic->class_of && m.row)
        status = sort_by_level(&m);
    if (status == NOE_OK) {
        for (int level = 0; level < m.nlevels; level++) classify_level(&m, level);
    }
    free(m.first);
    free(m.row);
    if (status != NOE_OK) program_isomorphic_clear(isomorphic);
    return status;
}

void program_isomorphic_clear(struct program_isomorphic *isomorphic) {
    free(isomorphic->class);
    free(isomorphic->step);
    free(isomorphic->class_of);
    *isomorphic = (struct program_isomorphic){0};
}
