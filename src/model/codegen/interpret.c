/* Interpreter of a system's functions. It performs the operations of the compiled code in the same
 * order, so the results have the same bits. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/interpret.h"

#include <pthread.h>
#include <stdlib.h>

#include "model/codegen/vectorise/program_isomorphic.h"
#include "model/codegen/vectorise/vector_functions.h"

/* Location of an operand. */
enum { PLACE_COUNT = AT_STEP + 1 };

struct operand {
    int place, index;
};

struct operation {
    enum graph_op op;
    int f;          /* function index, or exponent */
    bool is_vector; /* evaluate by interpret->vector */
    struct operand a, b;
};

struct result {
    struct operand from;
    int array, index;
};

struct code {
    int noperations, nresults;
    struct operation *operation;
    struct result *result;
};

struct interpret {
    real *number; /* constants of all routines */
    union vector_functions_single
        *vector; /* by function: scalar version of the vector function that compiled code calls */
    struct code code[FUNCTION_COUNT];
};

enum { STACK_MAX = 512 }; /* max steps whose values are kept on the stack */

/* --- Thread-local memory for long programs, reused by later calls. */

struct scratch {
    int room;
    real value[];
};

static pthread_key_t scratch_key;
static pthread_once_t scratch_once = PTHREAD_ONCE_INIT;
static bool has_scratch_key;

static void make_key(void) { has_scratch_key = pthread_key_create(&scratch_key, free) == 0; }

/* Returns NULL if memory ran out. */
static real *scratch(int count) {
    pthread_once(&scratch_once, make_key);
    if (!has_scratch_key) return NULL;
    struct scratch *own = pthread_getspecific(scratch_key);
    if (own && own->room >= count) return own->value;
    struct scratch *larger = malloc(sizeof *larger + (size_t)count * sizeof(real));
    if (!larger || pthread_setspecific(scratch_key, larger) != 0) {
        free(larger);
        return NULL;
    }
    larger->room = count;
    free(own);
    return larger->value;
}

/* --- Execution. */

static real apply(const struct interpret *interpret, const struct operation *operation,
                  const real *const *at) {
    const real a = at[operation->a.place][operation->a.index];
    const real b = at[operation->b.place][operation->b.index];
    switch (operation->op) {
    case GRAPH_ADD: return a + b;
    case GRAPH_SUB: return a - b;
    case GRAPH_MUL: return a * b;
    case GRAPH_DIV: return a / b;
    case GRAPH_NEG: return -a;
    case GRAPH_POWER: return graph_power_value(a, operation->f);
    default: break;
    }
    if (!operation->is_vector) return graph_function_value(operation->f, a, b);
    const union vector_functions_single function = interpret->vector[operation->f];
    return graph_functions[operation->f].arity == 2 ? function.binary((double)a, (double)b)
                                                    : function.unary((double)a);
}

/* If memory ran out every result is NaN, which the caller's solver reports. */
static void fill_nan(const struct code *code, real *const *array) {
    for (int i = 0; i < code->nresults; i++) {
        array[code->result[i].array][code->result[i].index] = (real)NAN;
    }
}

static void run(const struct noe_system *system, int routine, real t, const real *q, const real *v,
                real *const *array) {
    const struct interpret *interpret = system->data;
    const struct code *code = &interpret->code[routine];
    real stack[STACK_MAX];
    real *step = code->noperations <= STACK_MAX ? stack : scratch(code->noperations);
    if (!step) {
        fill_nan(code, array);
        return;
    }
    const real *const at[PLACE_COUNT] = {[AT_NUMBER] = interpret->number,
                                         [AT_PARAMETER] = system->parameters,
                                         [AT_TIME] = &t,
                                         [AT_POINT] = q,
                                         [AT_VELOCITY] = v,
                                         [AT_STEP] = step};
    for (int i = 0; i < code->noperations; i++) step[i] = apply(interpret, &code->operation[i], at);
    for (int i = 0; i < code->nresults; i++) {
        const struct result *result = &code->result[i];
        array[result->array][result->index] = at[result->from.place][result->from.index];
    }
}

static real lagrangian(const struct noe_system *system, real t, const real *q, const real *v) {
    real value = 0;
    run(system, LAGRANGIAN, t, q, v, (real *const[]){&value});
    return value;
}

static void force(const struct noe_system *system, real t, const real *q, const real *v, real *w) {
    run(system, FORCE, t, q, v, (real *const[]){w});
}

static void first(const struct noe_system *system, real t, const real *q, const real *v, real *p,
                  real *w) {
    run(system, FIRST, t, q, v, (real *const[]){p, w});
}

static void momentum(const struct noe_system *system, real t, const real *q, const real *v, real *p,
                     real *pv) {
    run(system, MOMENTUM, t, q, v, (real *const[]){p, pv});
}

static void second(const struct noe_system *system, real t, const real *q, const real *v, real *p,
                   real *w, real *d) {
    run(system, SECOND, t, q, v, (real *const[]){p, w, d});
}

static void gradient(const struct noe_system *system, real t, const real *q, const real *v,
                     real *values) {
    run(system, GRADIENT, t, q, v, (real *const[]){values});
}

static void quantities(const struct noe_system *system, real t, const real *q, const real *v,
                       real *values) {
    run(system, QUANTITIES, t, q, v, (real *const[]){values});
}

static void events(const struct noe_system *system, real t, const real *q, const real *v,
                   real *values) {
    run(system, EVENTS, t, q, v, (real *const[]){values});
}

static void event_rates(const struct noe_system *system, real t, const real *q, const real *v,
                        real *rates) {
    run(system, EVENT_RATES, t, q, v, (real *const[]){rates});
}

static void records(const struct noe_system *system, real t, const real *q, const real *v,
                    real *values) {
    run(system, RECORDS, t, q, v, (real *const[]){values});
}

static void constraints(const struct noe_system *system, real t, const real *q, const real *v,
                        real *c) {
    run(system, CONSTRAINTS, t, q, v, (real *const[]){c});
}

static void constraints_second(const struct noe_system *system, real t, const real *q,
                               const real *v, real *c, real *d) {
    run(system, CONSTRAINTS_SECOND, t, q, v, (real *const[]){c, d});
}

static void noise(const struct noe_system *system, real t, const real *q, const real *v, real *b) {
    run(system, NOISE, t, q, v, (real *const[]){b});
}

static void prepare(const struct noe_system *system, real t, const real *q, const real *v,
                    real *prepared) {
    run(system, PREPARE, t, q, v, (real *const[]){prepared});
}

const struct noe_system interpret_functions = {.lagrangian = lagrangian,
                                               .force = force,
                                               .first = first,
                                               .momentum = momentum,
                                               .second = second,
                                               .gradient = gradient,
                                               .quantities = quantities,
                                               .events = events,
                                               .event_rates = event_rates,
                                               .records = records,
                                               .constraints = constraints,
                                               .constraints_second = constraints_second,
                                               .noise = noise,
                                               .prepare = prepare};

/* --- Translation from programs. */

/* Translates nodes into operands and collects the constants. */
struct maker {
    const struct graph *graph;
    const struct program *program;
    int *number_of; /* index of a constant by node; -1: not collected yet */
    int nnumbers;
    real *number;
    bool *is_vector; /* by node, or NULL */
};

static struct operand locate(struct maker *maker, int node) {
    const struct program_where where = program_isomorphic_where(maker->program, maker->graph, node);
    if (where.place != AT_NUMBER) return (struct operand){(int)where.place, where.index};
    if (maker->number_of[node] < 0) {
        maker->number_of[node] = maker->nnumbers;
        maker->number[maker->nnumbers++] = maker->graph->node[node].value;
    }
    return (struct operand){AT_NUMBER, maker->number_of[node]};
}

static bool make_code(struct maker *maker, struct code *code) {
    const struct program *program = maker->program;
    code->operation = malloc(((size_t)program->nsteps + 1) * sizeof *code->operation);
    code->result = malloc(((size_t)program->noutputs + 1) * sizeof *code->result);
    if (!code->operation || !code->result) return false;
    for (int i = 0; i < program->nsteps; i++) {
        const struct graph_node *node = &maker->graph->node[program->step[i]];
        int child[2];
        const int count = program_children(node, child);
        const struct operand a = locate(maker, child[0]);
        code->operation[i] =
            (struct operation){.op = node->op,
                               .f = node->op == GRAPH_POWER ? node->b : node->f,
                               .is_vector = maker->is_vector && maker->is_vector[program->step[i]],
                               .a = a,
                               .b = count > 1 ? locate(maker, child[1]) : a};
    }
    for (int i = 0; i < program->noutputs; i++) {
        const struct program_output *output = &program->output[i];
        code->result[i] =
            (struct result){locate(maker, output->node), output->array, output->index};
    }
    code->noperations = program->nsteps;
    code->nresults = program->noutputs;
    return true;
}

static bool find_vectors(struct interpret *made, const struct system_functions *routines,
                         bool **is_vector) {
    const struct simd_target lanes = simd_target_find();
    if (vector_functions_find(routines, &lanes, is_vector) != NOE_OK) return false;
    if (!*is_vector) return true;
    made->vector = calloc((size_t)graph_function_count, sizeof *made->vector);
    for (int f = 0; made->vector && f < graph_function_count; f++)
        made->vector[f] = vector_functions_single(&lanes, f);
    return made->vector != NULL;
}

enum noe_status interpret_create(struct interpret **code, const struct system_functions *routines) {
    const int count = routines->graph->count;
    struct interpret *made = calloc(1, sizeof *made);
    struct maker maker = {.graph = routines->graph};
    maker.number_of = malloc(((size_t)count + 1) * sizeof(int));
    maker.number = malloc(((size_t)count + 1) * sizeof(real));
    bool is_made =
        made && maker.number_of && maker.number && find_vectors(made, routines, &maker.is_vector);
    for (int i = 0; is_made && i < count; i++) maker.number_of[i] = -1;
    for (int i = 0; is_made && i < FUNCTION_COUNT; i++) {
        maker.program = &routines->program[i];
        is_made = make_code(&maker, &made->code[i]);
    }
    free(maker.number_of);
    free(maker.is_vector);
    if (made)
        made->number = maker.number;
    else
        free(maker.number);
    if (!is_made) {
        interpret_free(made);
        return NOE_NO_MEMORY;
    }
    *code = made;
    return NOE_OK;
}

void interpret_free(struct interpret *code) {
    if (!code) return;
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        free(code->code[i].operation);
        free(code->code[i].result);
    }
    free(code->number);
    free(code->vector);
    free(code);
}
