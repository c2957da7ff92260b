/* Reads a model file: parses the text and elaborates its statements in phases. */
/* SPDX-License-Identifier: MIT */
#include "model/definition.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/language/elaborate.h"

static void clear_elaborate(struct elaborate *e) {
    symbol_clear(&e->names);
    tree_clear(&e->keep);
    tree_clear(&e->pool);
    free(e->scratch);
    free(e->q_from);
    free(e->v_from);
    free(e->reaction);
}

static void free_quantities(int count, struct definition_quantity *quantity) {
    for (int i = 0; i < count; i++) {
        free(quantity[i].name);
        free(quantity[i].node);
    }
    free(quantity);
}

static void free_events(struct definition *model) {
    for (int i = 0; i < model->nevents; i++) {
        free(model->event[i].text);
        free(model->event[i].name);
        free_quantities(model->event[i].nrecords, model->event[i].record);
    }
    free(model->event);
}

static void free_noises(struct definition *model) {
    for (int i = 0; i < model->nnoises; i++) {
        free(model->noise[i].name);
        free(model->noise[i].node);
    }
    free(model->noise);
}

void definition_free(struct definition *model) {
    if (!model) return;
    for (int i = 0; i < model->nparameters; i++) free(model->parameter[i].name);
    for (int i = 0; i < model->ncoordinates; i++) {
        free((char *)model->coordinate[i].name);
        free((char *)model->coordinate[i].velocity);
    }
    for (int i = 0; i < model->nequations; i++) free(model->equation[i]);
    free(model->equation);
    free(model->constraint);
    free(model->residual);
    circuit_clear(&model->circuit);
    free(model->parameter);
    free(model->number);
    free(model->coordinate);
    free(model->factor);
    free(model->note);
    free_quantities(model->nquantities, model->quantity);
    free_events(model);
    free_noises(model);
    free(model->force);
    control_definition_free(model->control);
    ensemble_definition_free(model->ensemble);
    free(model->q);
    free(model->v);
    free(model->title);
    free(model->method);
    graph_clear(&model->graph);
    free(model);
}

int definition_multiplier(struct definition *model, int row) {
    return graph_leaf(&model->graph, GRAPH_VELOCITY, model->n + row);
}

bool definition_note(struct definition *model, int line, int column, const char *format, ...) {
    struct noe_error *note =
        realloc(model->note, ((size_t)model->nnotes + 1) * sizeof *model->note);
    if (!note) return false;
    model->note = note;
    note += model->nnotes++;
    *note = (struct noe_error){.line = line, .column = column};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note->text, sizeof note->text, format, arguments);
    va_end(arguments);
    return true;
}

/* Attributes a failure to a --set text, because its position is not one in the file. */
static void attribute_to_set(struct noe_error *error, const char *set) {
    enum { SHOWN_MAX = 100 };
    char text[sizeof error->text];
    memcpy(text, error->text, sizeof text);
    const bool is_long = strlen(set) > SHOWN_MAX;
    status_set(error, error->status, "in --set '%.*s%s': %.300s", SHOWN_MAX, set,
               is_long ? "..." : "", text);
}

/* name = expr */
static bool parse_set(struct elaborate *e, const char *text, struct elaborate_set *set) {
    struct parse parse;
    set->text = text;
    if (parse_open(&parse, &e->keep, text, strlen(text), e->error) == NOE_OK &&
        parse_name(&parse, "the name of a parameter", &set->name) &&
        parse_expect(&parse, '=', "after the name"))
        set->value = parse_expression(&parse);
    if (!parse.failed && set->value && parse.token.kind != LEX_END)
        parse_fail_expected(&parse, "an operator or the end of the text");
    if (set->value && !parse.failed) return true;
    attribute_to_set(e->error, text);
    return false;
}

static bool parse_sets(struct elaborate *e, int nsets, const char *const *sets) {
    if (nsets <= 0) return true;
    e->set = tree_take(&e->keep, (size_t)nsets * sizeof *e->set);
    if (!e->set) return elaborate_fail_memory(e);
    for (e->nsets = 0; e->nsets < nsets; e->nsets++)
        if (!parse_set(e, sets[e->nsets], &e->set[e->nsets])) return false;
    return true;
}

/* True if every --set names a parameter of the file. */
static bool check_sets(struct elaborate *e) {
    const int count = e->model->nparameters;
    for (int i = 0; i < e->nsets; i++) {
        char shown[LEX_QUOTE_MAX];
        const struct lex_token *name = &e->set[i].name;
        const struct symbol *symbol = symbol_find(&e->names, name);
        if (symbol && (symbol->kind == SYMBOL_PARAMETER || symbol->kind == SYMBOL_CONTROL))
            continue;
        const char **names = tree_take(&e->pool, ((size_t)count + 1) * sizeof *names);
        for (int k = 0; names && k < count; k++) names[k] = e->model->parameter[k].name;
        const char *nearest = names ? lex_nearest(name, count, names) : NULL;
        lex_show(name, shown);
        if (nearest)
            status_set(e->error, NOE_BAD_INPUT, "--set: unknown parameter %s (did you mean '%s'?)",
                       shown, nearest);
        else
            status_set(e->error, NOE_BAD_INPUT, "--set: unknown parameter %s", shown);
        return false;
    }
    return true;
}

static bool elaborate_phase(struct elaborate *e, enum statement_phase phase) {
    for (const struct tree_statement *s = e->statements; s; s = s->next) {
        if (s->kind->phase != phase) continue;
        const bool done = s->kind->elaborate(e, s);
        if (!done && e->set_text) attribute_to_set(e->error, e->set_text);
        if (!done) return false;
        if (e->make.graph->failed) return elaborate_fail_memory(e);
        tree_clear(&e->pool);
    }
    return true;
}

static bool elaborate_statements(struct elaborate *e) {
    for (enum statement_phase phase = 0; phase < STATEMENT_PHASES; phase++) {
        if (!elaborate_phase(e, phase)) return false;
        if (phase == STATEMENT_PARAMETERS && !check_sets(e)) return false;
        if (phase == STATEMENT_COORDINATES && !(elaborate_circuit(e) && elaborate_start_make(e)))
            return false;
        if (phase == STATEMENT_LAGRANGIAN && !elaborate_circuit_energy(e)) return false;
        if (phase == STATEMENT_CONSTRAINTS && !elaborate_constraints_end(e)) return false;
    }
    if (e->model->ncoordinates == 0)
        status_set_at(e->error, 1, 1, "the model states no coordinate: expected 'coord q'");
    else if (elaborate_states_objective(e))
        return elaborate_objective_check(e) && elaborate_start_check(e);
    else if (!e->has_lagrangian)
        status_set_at(e->error, 1, 1, "the model states no Lagrangian: expected 'L = ...'");
    else
        return elaborate_start_check(e) && elaborate_control_check(e);
    return false;
}

static bool read_file(struct elaborate *e, const char *text, size_t length, int nsets,
                      const char *const *sets) {
    struct parse parse;
    struct tree_statement *first;
    if (parse_open(&parse, &e->keep, text, length, e->error) != NOE_OK) return false;
    if (!statement_parse_file(&parse, &first)) return false;
    e->statements = first;
    return parse_sets(e, nsets, sets) && elaborate_statements(e);
}

static void init_elaborate(struct elaborate *e, struct definition *model, struct graph *graph,
                           struct noe_error *error) {
    *e = (struct elaborate){.model = model, .error = error};
    e->make.graph = graph;
    e->make.pool = &e->pool;
}

enum noe_status definition_read(struct definition **model, const char *text, size_t length,
                                int nsets, const char *const *sets, struct noe_error *error) {
    struct noe_error failure = {.status = NOE_OK};
    struct elaborate e;
    *model = calloc(1, sizeof **model);
    if (!*model) return status_set(error, NOE_NO_MEMORY, "out of memory while reading the model");
    (*model)->until = (*model)->step = (real)NAN;
    graph_init(&(*model)->graph);
    init_elaborate(&e, *model, &(*model)->graph, &failure);
    const bool done = read_file(&e, text, length, nsets, sets);
    clear_elaborate(&e);
    if (done) return NOE_OK;
    definition_free(*model);
    *model = NULL;
    if (error) *error = failure;
    return failure.status;
}

/* Prepares an elaboration without a file, in which the parameters of `model` have constant
 * values. */
static bool open_parameters(struct elaborate *e, const struct definition *model) {
    for (int i = 0; i < model->nparameters; i++) {
        const struct definition_parameter *parameter = &model->parameter[i];
        const struct lex_token name = {
            .kind = LEX_NAME, .start = parameter->name, .length = (int)strlen(parameter->name)};
        struct symbol *symbol = symbol_add(&e->names, &e->keep, &name);
        if (!symbol) return elaborate_fail_memory(e);
        struct value value;
        int *node = value_make(&e->make, &value, parameter->rank, parameter->rows, parameter->cols);
        for (int k = 0; node && k < value_count(&value); k++) {
            const int index = definition_element(parameter, k);
            node[k] = graph_number(e->make.graph, index < 0 ? 0 : model->number[index]);
        }
        if (!node || e->make.graph->failed) return elaborate_fail_memory(e);
        symbol->kind = SYMBOL_PARAMETER;
        if (!elaborate_keep(e, &value, &symbol->companion)) return false;
    }
    return true;
}

/* State shared by definition_number and definition_method: one text, read with known parameters. */
struct reading {
    struct elaborate e;
    struct graph graph;
    struct parse parse;
    struct noe_error failure;
};

static bool open_reading(struct reading *reading, const struct definition *model,
                         const char *text) {
    memset(reading, 0, sizeof *reading);
    graph_init(&reading->graph);
    init_elaborate(&reading->e, NULL, &reading->graph, &reading->failure);
    return open_parameters(&reading->e, model) &&
           parse_open(&reading->parse, &reading->e.keep, text, strlen(text), &reading->failure) ==
               NOE_OK;
}

static bool at_end(struct reading *reading) {
    struct parse *parse = &reading->parse;
    if (parse->failed) return false;
    if (parse->token.kind == LEX_NEWLINE) parse_advance(parse);
    if (parse->token.kind == LEX_END) return true;
    parse_fail_expected(parse, "an operator or the end of the text");
    return false;
}

static enum noe_status close_reading(struct reading *reading, bool done, struct noe_error *error) {
    clear_elaborate(&reading->e);
    graph_clear(&reading->graph);
    if (done) return NOE_OK;
    return status_set(error, reading->failure.status, "%s", reading->failure.text);
}

enum noe_status definition_number(const struct definition *model, const char *text, real *value,
                                  struct noe_error *error) {
    struct reading reading;
    bool done = open_reading(&reading, model, text);
    struct tree *tree = done ? parse_expression(&reading.parse) : NULL;
    done = tree && at_end(&reading) && elaborate_number(&reading.e, tree, "an option", value);
    return close_reading(&reading, done, error);
}

enum noe_status definition_method(const struct definition *model, const char *text, size_t size,
                                  char *method, struct noe_error *error) {
    struct reading reading;
    struct tree_statement statement = {.kind = NULL};
    bool done = open_reading(&reading, model, text);
    if (done) statement_parse_method(&reading.parse, &statement);
    done = done && at_end(&reading);
    char *written = done ? elaborate_method_text(&reading.e, &statement) : NULL;
    const bool fits = written && strlen(written) < size;
    if (fits) memcpy(method, written, strlen(written) + 1);
    if (written && !fits) status_set(&reading.failure, NOE_BAD_INPUT, "the method is too long");
    free(written);
    return close_reading(&reading, fits, error);
}
