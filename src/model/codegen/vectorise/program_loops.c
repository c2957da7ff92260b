/* Loop formation: turns classes of isomorphic steps into loops and reorders the program. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/vectorise/program_loops.h"

#include <stdlib.h>

/* Member of a class, with the keys that assign it to a loop. */
struct member {
    int group;    /* 2 loop + operand of its only reader, or -1 */
    int outputs;  /* number of outputs in each array, 8 bits each */
    int position; /* in the loop that reads it; otherwise index of its first output */
    int step;
};

struct maker {
    struct program_loops *loops;
    struct program *program;
    const struct graph *graph;
    struct program_isomorphic isomorphic;
    int *user;     /* by step: its last reader, as 2 step + operand */
    int *outputs;  /* by step, as in struct member */
    int *output;   /* by step: index of its first output, or -1 */
    int *position; /* by step: position in its loop */
    int *old;      /* old step by new step */
    int nsteps;    /* number of steps in loops */
    bool has_calls;
    struct member *member;
};

static bool prepare_maker(struct maker *m) {
    const size_t count = (size_t)m->program->nsteps + 1;
    int **const arrays[] = {&m->user, &m->outputs,        &m->output,      &m->position,
                            &m->old,  &m->loops->loop_of, &m->loops->stage};
    bool is_done = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = calloc(count, sizeof(int));
        is_done = is_done && *arrays[i];
    }
    m->member = malloc(count * sizeof *m->member);
    m->loops->loop = malloc(count * sizeof *m->loops->loop);
    return is_done && m->member && m->loops->loop;
}

static void clear_maker(struct maker *m) {
    free(m->user);
    free(m->outputs);
    free(m->output);
    free(m->position);
    free(m->old);
    free(m->member);
    program_isomorphic_clear(&m->isomorphic);
}

static void record_uses(struct maker *m) {
    const struct program *program = m->program;
    int child[2];
    for (int i = 0; i < program->nsteps; i++) {
        m->loops->loop_of[i] = m->output[i] = -1;
        const int count = program_children(&m->graph->node[program->step[i]], child);
        for (int k = 0; k < count; k++) {
            const int place = program->place[child[k]];
            if (place >= 0) m->user[place] = 2 * i + k;
        }
    }
    for (int i = program->noutputs - 1; i >= 0; i--) {
        const int place = program->place[program->output[i].node];
        if (place < 0) continue;
        m->output[place] = program->output[i].index;
        m->outputs[place] += 1 << 8 * program->output[i].array;
    }
}

/* --- Classes to loops, readers first. */

static int compare_members(const void *a, const void *b) {
    const struct member *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (x->outputs != y->outputs) return x->outputs < y->outputs ? -1 : 1;
    if (x->position != y->position) return x->position < y->position ? -1 : 1;
    return x->step - y->step;
}

/* True if both operands of a step belong to `class`. Inlining both would let sums of sums grow
 * without bound. */
static bool reads_twice(const struct maker *m, int step, int class) {
    int child[2];
    if (program_children(&m->graph->node[m->program->step[step]], child) < 2) return false;
    for (int k = 0; k < 2; k++) {
        const int place = m->program->place[child[k]];
        if (place < 0 || m->isomorphic.class_of[place] != class) return false;
    }
    return true;
}

static struct member describe(const struct maker *m, int step) {
    struct member member = {
        .group = -1, .outputs = m->outputs[step], .position = m->output[step], .step = step};
    const int user = m->user[step] / 2, reader = m->loops->loop_of[user];
    if (m->program->uses[step] != 1 || m->outputs[step] != 0 || reader < 0) return member;
    if (reads_twice(m, user, m->isomorphic.class_of[step])) return member;
    member.group = 2 * reader + m->user[step] % 2;
    member.position = m->position[user];
    return member;
}

static int add_loop(struct maker *m, int count, const struct member *member, int into) {
    const int loop = m->loops->nloops++;
    m->loops->loop[loop] = (struct program_loop){.count = count, .into = into, .size = 1};
    for (int i = 0; i < count; i++) {
        m->loops->loop_of[member[i].step] = loop;
        m->position[member[i].step] = i;
    }
    m->nsteps += count;
    return loop;
}

static int compare_arguments(const void *a, const void *b) {
    const struct member *x = a, *y = b;
    return x->position != y->position ? x->position - y->position : x->step - y->step;
}

/* Sorts the members by argument, so that contiguous arguments are read contiguously. */
static void add_call(struct maker *m, const struct program_class *call) {
    for (int i = 0; i < call->count; i++) {
        const int step = m->isomorphic.step[call->first + i];
        const struct graph_node *node = &m->graph->node[m->program->step[step]];
        m->member[i] = (struct member){.position = node->a, .step = step};
    }
    qsort(m->member, (size_t)call->count, sizeof *m->member, compare_arguments);
    const int loop = add_loop(m, call->count, m->member, -1);
    m->loops->loop[loop].is_call = true;
    m->has_calls = true;
}

/* True if members that only `reader` reads may be inlined there. */
static bool can_join(struct maker *m, int reader, int count) {
    enum { SIZE_MAX_IN_PLACE = 32 }; /* compile time grows fast with the length of an expression */
    struct program_loop *loop = &m->loops->loop[reader];
    if (loop->count != count || loop->is_call) return false;
    while (loop->into >= 0) loop = &m->loops->loop[loop->into];
    return loop->size++ < SIZE_MAX_IN_PLACE;
}

/* Members that one loop reads become a loop in the order of that reader, inlined there if the
 * counts agree. The other members are sorted by their outputs. */
static void add_class(struct maker *m, const struct program_class *class) {
    struct member *member = m->member;
    for (int i = 0; i < class->count; i++) {
        member[i] = describe(m, m->isomorphic.step[class->first + i]);
    }
    qsort(member, (size_t) class->count, sizeof *member, compare_members);
    for (int i = 0, length; i < class->count; i += length) {
        const struct member *from = &member[i];
        for (length = 1; i + length < class->count && from[length].group == from->group &&
                         from[length].outputs == from->outputs;)
            length++;
        if (length < PROGRAM_ISOMORPHIC_MIN) continue;
        const int reader = from->group < 0 ? -1 : from->group / 2;
        add_loop(m, length, from, reader >= 0 && can_join(m, reader, length) ? reader : -1);
    }
}

static void make_loops(struct maker *m) {
    for (int class = m->isomorphic.nclasses - 1; class >= 0; class --) {
        if (m->isomorphic.class[class].is_call)
            add_call(m, &m->isomorphic.class[class]);
        else if (m->isomorphic.class[class].count >= PROGRAM_ISOMORPHIC_MIN)
            add_class(m, &m->isomorphic.class[class]);
    }
}

/* Reverses the loops into topological order, that of the classes. */
static void reverse_loops(struct maker *m) {
    struct program_loops *loops = m->loops;
    const int last = loops->nloops - 1;
    for (int i = 0; i < last - i; i++) {
        const struct program_loop kept = loops->loop[i];
        loops->loop[i] = loops->loop[last - i];
        loops->loop[last - i] = kept;
    }
    for (int i = 0; i <= last; i++) {
        struct program_loop *loop = &loops->loop[i];
        if (loop->into >= 0) loop->into = last - loop->into;
    }
    for (int i = 0; i < m->program->nsteps; i++)
        if (loops->loop_of[i] >= 0) loops->loop_of[i] = last - loops->loop_of[i];
}

/* --- Schedule. */

static int child_stage(const struct maker *m, int step, bool is_scalar) {
    const struct program *program = m->program;
    int child[2], stage = 0;
    for (int k = program_children(&m->graph->node[program->step[step]], child) - 1; k >= 0; k--) {
        const int place = program->place[child[k]];
        if (place < 0) continue;
        const int own = m->loops->stage[place] + (is_scalar && m->loops->loop_of[place] >= 0);
        if (own > stage) stage = own;
    }
    return stage;
}

/* Classes are in topological order, so the stages of their operands are known. */
static int find_stages(struct maker *m) {
    int last = 0;
    for (int class = 0; class < m->isomorphic.nclasses; class ++) {
        const int first = m->isomorphic.class[class].first,
                  count = m->isomorphic.class[class].count;
        for (int i = first; i < first + count; i++) {
            const int step = m->isomorphic.step[i], loop = m->loops->loop_of[step];
            const int stage = child_stage(m, step, loop < 0);
            if (loop < 0)
                m->loops->stage[step] = stage;
            else if (stage > m->loops->loop[loop].stage)
                m->loops->loop[loop].stage = stage;
            if (stage > last) last = stage;
        }
        for (int i = first; i < first + count; i++) {
            const int step = m->isomorphic.step[i], loop = m->loops->loop_of[step];
            if (loop >= 0) m->loops->stage[step] = m->loops->loop[loop].stage;
        }
    }
    return last;
}

/* Orders the steps by stage: single steps in their old order, then loops. */
static void order_steps(struct maker *m, int last) {
    struct program_loops *loops = m->loops;
    int count = 0;
    for (int stage = 0; stage <= last; stage++) {
        for (int i = 0; i < m->program->nsteps; i++)
            if (loops->loop_of[i] < 0 && loops->stage[i] == stage) m->old[count++] = i;
        for (int i = 0; i < loops->nloops; i++) {
            if (loops->loop[i].stage != stage) continue;
            loops->loop[i].first = count;
            count += loops->loop[i].count;
        }
    }
    for (int i = 0; i < m->program->nsteps; i++) {
        const int loop = loops->loop_of[i];
        if (loop >= 0) m->old[loops->loop[loop].first + m->position[i]] = i;
    }
}

/* Renumbers loop_of and stage by new steps. */
static void renumber(struct maker *m) {
    struct program_loops *loops = m->loops;
    for (int i = 0; i < m->program->nsteps; i++) {
        m->user[i] = loops->loop_of[m->old[i]];
        m->position[i] = loops->stage[m->old[i]];
    }
    for (int i = 0; i < m->program->nsteps; i++) {
        loops->loop_of[i] = m->user[i];
        loops->stage[i] = m->position[i];
    }
}

static bool pays(const struct maker *m, int large) {
    return m->has_calls || (m->program->nsteps > large && 2 * m->nsteps >= m->program->nsteps);
}

enum noe_status program_loops_make(struct program_loops *loops, struct program *program,
                                   const struct graph *graph, const bool *is_vector, int large) {
    struct maker m = {.loops = loops, .program = program, .graph = graph};
    *loops = (struct program_loops){0};
    enum noe_status status = program_isomorphic_make(&m.isomorphic, program, graph, is_vector);
    if (status == NOE_OK && !prepare_maker(&m)) status = NOE_NO_MEMORY;
    if (status == NOE_OK) {
        record_uses(&m);
        make_loops(&m);
        if (pays(&m, large)) {
            reverse_loops(&m);
            order_steps(&m, find_stages(&m));
            renumber(&m);
            status = program_reorder(program, m.old);
        } else {
            loops->nloops = 0;
        }
    }
    clear_maker(&m);
    if (status != NOE_OK) program_loops_clear(loops);
    return status;
}

void program_loops_clear(struct program_loops *loops) {
    free(loops->loop);
    free(loops->loop_of);
    free(loops->stage);
    *loops = (struct program_loops){0};
}
