/* Models: from a file or text to a system of callbacks. */
/* SPDX-License-Identifier: MIT */
#include "noether_model.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/coordinate_names.h"
#include "base/status.h"
#include "model/equations/inertia_check.h"
#include "model/equations/start_projection.h"
#include "model/jit/model_code.h"
#include "model/model.h"

enum { FILE_MEGABYTES = 16, CHUNK = 1 << 16 };

/* --- Reading. */

static enum noe_status cannot_read(struct noe_error *error, const char *path, const char *why) {
    return status_set(error, NOE_BAD_INPUT, "cannot read '%s': %s", path, why);
}

static enum noe_status too_large(struct noe_error *error, const char *path) {
    return status_set(error, NOE_BAD_INPUT, "'%s' is larger than %d MB, the limit of a model file",
                      path, FILE_MEGABYTES);
}

/* Reads to the end, or to the first byte beyond the limit. The size of a pipe is not known
 * beforehand. */
static enum noe_status read_all(FILE *file, const char *path, char **text, size_t *length,
                                struct noe_error *error) {
    const size_t max = (size_t)FILE_MEGABYTES << 20;
    size_t room = 0;
    for (*length = 0; *length <= max && !feof(file) && !ferror(file);) {
        if (room - *length < CHUNK) {
            room = 2 * room + 2 * CHUNK;
            char *grown = realloc(*text, room);
            if (!grown) return status_set(error, NOE_NO_MEMORY, "no memory to read '%s'", path);
            *text = grown;
        }
        *length += fread(*text + *length, 1, CHUNK - 1, file);
    }
    if (ferror(file)) return cannot_read(error, path, strerror(errno));
    if (*length > max) return too_large(error, path);
    (*text)[*length] = 0;
    return NOE_OK;
}

static enum noe_status read_file(const char *path, char **text, size_t *length,
                                 struct noe_error *error) {
    FILE *file = fopen(path, "rb");
    if (!file) return cannot_read(error, path, strerror(errno));
    struct stat about;
    enum noe_status status;
    if (fstat(fileno(file), &about) != 0)
        status = cannot_read(error, path, strerror(errno));
    else if (S_ISDIR(about.st_mode))
        status = cannot_read(error, path, strerror(EISDIR));
    else if (S_ISREG(about.st_mode) && about.st_size > (off_t)FILE_MEGABYTES << 20)
        status = too_large(error, path);
    else
        status = read_all(file, path, text, length, error);
    fclose(file);
    return status;
}

/* --- Assembly. */

/* Title of the model. The default is the file name without directories and extension. */
static char *make_title(const struct definition *source, const char *path) {
    if (source->title) return strdup(source->title);
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *ending = strrchr(name, '.');
    return strndup(name, ending && ending != name ? (size_t)(ending - name) : strlen(name));
}

/* Describes quantities whose values begin at index `first`. Returns the next free index. */
static int describe_quantities(struct noe_quantity *quantity, int count,
                               const struct definition_quantity *stated, int first) {
    for (int i = 0; i < count; i++) {
        quantity[i] = (struct noe_quantity){.name = stated[i].name,
                                            .kind = stated[i].kind,
                                            .first = first,
                                            .rows = stated[i].rows,
                                            .cols = stated[i].cols,
                                            .tangent = stated[i].tangent,
                                            .exponent = stated[i].exponent};
        first += stated[i].rows * stated[i].cols;
    }
    return first;
}

static bool list_quantities(struct model *model) {
    const struct definition *source = model->source;
    model->quantity = calloc((size_t)source->nquantities + 1, sizeof *model->quantity);
    if (!model->quantity) return false;
    describe_quantities(model->quantity, source->nquantities, source->quantity, 0);
    return true;
}

static bool list_events(struct model *model) {
    const struct definition *source = model->source;
    model->event = calloc((size_t)source->nevents + 1, sizeof *model->event);
    model->record = calloc((size_t)source->nrecorded + 1, sizeof *model->record);
    if (!model->event || !model->record) return false;
    struct noe_quantity *record = model->record;
    for (int i = 0, first = 0; i < source->nevents; i++) {
        const struct definition_event *stated = &source->event[i];
        model->event[i] = (struct noe_event){.text = stated->text,
                                             .name = stated->name,
                                             .direction = stated->direction,
                                             .nrecords = stated->nrecords,
                                             .record = record};
        first = describe_quantities(record, stated->nrecords, stated->record, first);
        record += stated->nrecords;
    }
    return true;
}

/* Names the elements of the parameters: "k", "k[2]", "A[1][3]". */
static bool name_parameters(struct model *model) {
    const struct definition *source = model->source;
    model->parameter_name = calloc((size_t)source->nnumbers + 1, sizeof *model->parameter_name);
    if (!model->parameter_name) return false;
    for (int i = 0; i < source->nparameters; i++) {
        const struct definition_parameter *parameter = &source->parameter[i];
        for (int k = 0; k < parameter->rows * parameter->cols; k++) {
            const int number = definition_element(parameter, k);
            char index[48];
            if (number < 0) continue;
            coordinate_index_text(parameter->rank, parameter->cols, k, sizeof index, index);
            const size_t size = strlen(parameter->name) + strlen(index) + 1;
            char *name = malloc(size);
            if (!name) return false;
            snprintf(name, size, "%s%s", parameter->name, index);
            model->parameter_name[number] = name;
        }
    }
    return true;
}

static bool has_rates(const struct definition *source) {
    for (int i = 0; i < source->nevents; i++)
        if (!graph_is_number(&source->graph, source->event[i].rate, 0)) return true;
    return false;
}

static bool has_reduced_sections(const struct definition *source) {
    unsigned depends = 0;
    for (int i = 0; i < source->nevents; i++) {
        const struct definition_event *event = &source->event[i];
        depends |= graph_depends(&source->graph, event->node);
        for (int k = 0; k < event->nrecords; k++)
            for (int j = 0; j < event->record[k].rows * event->record[k].cols; j++)
                depends |= graph_depends(&source->graph, event->record[k].node[j]);
    }
    return source->nevents > 0 && !(depends & GRAPH_ON_POINT);
}

/* The interpreter has every callback; those of absent parts of the model are NULL in its system. */
static void drop_absent(struct noe_system *system, const struct model *model) {
    if (!model->equations.gradient) system->gradient = NULL;
    if (!model->equations.constraints.count) system->constraints = NULL;
    if (!model->equations.constraints.count) system->constraints_second = NULL;
    if (!system->nnoises) system->noise = NULL;
    if (!system->nvalues) system->quantities = NULL;
    if (!system->nevents) system->events = NULL;
    if (!has_rates(model->source)) system->event_rates = NULL;
    if (!system->nrecorded) system->records = NULL;
    if (!system->nprepared) system->prepare = NULL;
}

static void fill_system(struct model *model) {
    const struct equations *equations = &model->equations;
    const struct definition *source = model->source;
    struct noe_system *system = &model->system;
    if (!source->is_objective) *system = *model->code.functions;
    system->name = model->title;
    system->n = equations->n;
    system->nfactors = source->has_groups ? source->nfactors : 0;
    system->factors = source->has_groups ? source->factor : NULL;
    system->traits = equations->traits | (has_reduced_sections(source) ? NOE_REDUCED_SECTIONS : 0);
    system->nz = equations->nz;
    system->row = equations->row;
    system->col = equations->col;
    system->data = model->code.interpret;
    system->nparameters = source->nnumbers;
    system->nprepared = model->nprepared;
    system->parameters = model->parameters;
    system->parameter = (const char *const *)model->parameter_name;
    system->nholonomic = source->nholonomic;
    system->nnonholonomic = source->nnonholonomic;
    system->nzc = equations->constraints.nz;
    system->crow = equations->constraints.row;
    system->ccol = equations->constraints.col;
    system->nnoises = source->nnoises;
    system->nquantities = source->nquantities;
    system->nvalues = model->nvalues;
    system->quantity = model->nvalues > 0 ? model->quantity : NULL;
    system->nevents = source->nevents;
    system->crossing = source->nevents > 0 ? model->event : NULL;
    system->nrecorded = source->nrecorded;
    drop_absent(system, model);
}

static const struct noe_circuit *fill_circuit(struct model *model) {
    const struct circuit *circuit = &model->source->circuit;
    model->circuit = (struct noe_circuit){.nnodes = circuit->nnodes,
                                          .nbranches = circuit->nbranches,
                                          .nmeshes = circuit->nmeshes,
                                          .node = (const char *const *)circuit->node,
                                          .branch = (const char *const *)circuit->branch,
                                          .from = circuit->from,
                                          .to = circuit->to,
                                          .loop = circuit->loop};
    return circuit->nbranches > 0 ? &model->circuit : NULL;
}

static struct noe_model_run stated_run(const struct definition *source) {
    return (struct noe_model_run){.from = source->from,
                                  .until = source->until,
                                  .step = source->step,
                                  .sample = source->sample,
                                  .method = source->method,
                                  .method_line = source->method_line,
                                  .method_column = source->method_column,
                                  .step_line = source->step_line,
                                  .step_column = source->step_column};
}

static void fill_public(struct model *model) {
    const struct definition *source = model->source;
    model->public =
        (struct noe_model){.title = model->title,
                           .path = model->path,
                           .text = model->text,
                           .system = &model->system,
                           .ncoordinates = source->ncoordinates,
                           .coordinate = source->coordinate,
                           .nconstraints = definition_constraints(source),
                           .constraint = source->constraint,
                           .circuit = fill_circuit(model),
                           .q = source->q,
                           .v = source->v,
                           .run = stated_run(source),
                           .nnotes = source->nnotes,
                           .note = source->note,
                           .code = {.kind = model->code.kind,
                                    .note = model->code.note[0] ? model->code.note : NULL,
                                    .bytes = model->code.bytes,
                                    .has_vectors = model->code.has_vectors}};
}

static bool keep_sets(struct model *model, const struct noe_model_settings *settings) {
    const int count = settings ? settings->nsets : 0;
    model->sets = calloc((size_t)count + 1, sizeof *model->sets);
    for (; model->sets && model->nsets < count; model->nsets++) {
        model->sets[model->nsets] = strdup(settings->sets[model->nsets]);
        if (!model->sets[model->nsets]) return false;
    }
    return model->sets != NULL;
}

static bool is_interrupted(const struct noe_model_settings *settings) {
    return settings && settings->interrupt && *settings->interrupt;
}

/* Makes the equations of motion and their code. */
static enum noe_status build_dynamics(struct model *model,
                                      const struct noe_model_settings *settings,
                                      struct noe_error *error) {
    struct system_functions routines;
    enum noe_status status = equations_make(&model->equations, model->source,
                                            settings ? settings->interrupt : NULL, error);
    if (status != NOE_OK) return status;
    if (system_functions_make(&routines, model->source, &model->equations, true) != NOE_OK)
        return status_set(error, NOE_NO_MEMORY, "out of memory while loading '%s'", model->path);
    model->nvalues = routines.nvalues;
    model->nprepared = routines.nprepared;
    model->parameters =
        calloc((size_t)(routines.nparameters + routines.nprepared) + 1, sizeof *model->parameters);
    if (!model->parameters)
        status = status_set(error, NOE_NO_MEMORY, "out of memory while loading '%s'", model->path);
    if (status == NOE_OK && is_interrupted(settings))
        status = status_set(error, NOE_INTERRUPTED, "interrupted");
    if (status == NOE_OK) status = code_make(&model->code, &routines, settings, error);
    system_functions_clear(&routines);
    return status;
}

/* An objective has no equations of motion. noe_objective_create makes its functions. */
static enum noe_status build_objective(struct model *model, struct noe_error *error) {
    const struct definition *source = model->source;
    model->equations.n = source->n;
    for (int i = 0; i < source->nquantities; i++)
        model->nvalues += source->quantity[i].rows * source->quantity[i].cols;
    model->parameters = calloc((size_t)source->nnumbers + 1, sizeof *model->parameters);
    if (model->parameters) return NOE_OK;
    return status_set(error, NOE_NO_MEMORY, "out of memory while loading '%s'", model->path);
}

static enum noe_status build(struct model *model, size_t length,
                             const struct noe_model_settings *settings, struct noe_error *error) {
    enum noe_status status =
        definition_read(&model->source, model->text, length, settings ? settings->nsets : 0,
                        settings ? settings->sets : NULL, error);
    if (status != NOE_OK) return status;
    model->title = make_title(model->source, model->path);
    if (!model->title || !keep_sets(model, settings) || !list_quantities(model) ||
        !list_events(model) || !name_parameters(model))
        return status_set(error, NOE_NO_MEMORY, "out of memory while loading '%s'", model->path);
    return model->source->is_objective ? build_objective(model, error)
                                       : build_dynamics(model, settings, error);
}

static enum noe_status check_start(struct model *model, struct noe_error *error) {
    if (model->source->is_objective) return NOE_OK;
    if (inertia_check(model->source, &model->system))
        return start_projection_make(model->source, &model->system, error);
    return status_set(error, NOE_NO_MEMORY, "out of memory while loading '%s'", model->path);
}

/* Takes ownership of `text`, which ends with a zero byte, also on failure. */
static enum noe_status open_text(struct noe_model **result, const char *path, char *text,
                                 size_t length, const struct noe_model_settings *settings,
                                 struct noe_error *error) {
    struct model *model = calloc(1, sizeof *model);
    if (!model) {
        free(text);
        return status_set(error, NOE_NO_MEMORY, "out of memory while loading '%s'", path);
    }
    model->text = text;
    model->path = strdup(path);
    const enum noe_status status =
        model->path ? build(model, length, settings, error)
                    : status_set(error, NOE_NO_MEMORY, "out of memory while loading '%s'", path);
    if (status != NOE_OK) {
        noe_model_free(&model->public);
        return status;
    }
    fill_system(model);
    for (int i = 0; i < model->source->nnumbers; i++)
        model->parameters[i] = model->source->number[i];
    model_prepare(&model->public, model->parameters);
    const enum noe_status started = check_start(model, error);
    if (started != NOE_OK) {
        noe_model_free(&model->public);
        return started;
    }
    fill_public(model);
    *result = &model->public;
    return NOE_OK;
}

enum noe_status noe_model_open(struct noe_model **model, const char *path,
                               const struct noe_model_settings *settings, struct noe_error *error) {
    char *text = NULL;
    size_t length = 0;
    *model = NULL;
    const enum noe_status status = read_file(path, &text, &length, error);
    if (status != NOE_OK) {
        free(text);
        return status;
    }
    return open_text(model, path, text, length, settings, error);
}

enum noe_status noe_model_open_text(struct noe_model **model, const char *name, const char *text,
                                    const struct noe_model_settings *settings,
                                    struct noe_error *error) {
    *model = NULL;
    if (strlen(text) > (size_t)FILE_MEGABYTES << 20) return too_large(error, name);
    char *copy = strdup(text);
    if (!copy) return status_set(error, NOE_NO_MEMORY, "out of memory while loading '%s'", name);
    return open_text(model, name, copy, strlen(copy), settings, error);
}

enum noe_status model_check_dynamics(const struct model *model, struct noe_error *error) {
    if (!model->source->is_objective) return NOE_OK;
    return status_set(
        error, NOE_BAD_INPUT,
        "the model states an objective and no Lagrangian, so it has no equations of motion");
}

void noe_model_free(struct noe_model *public) {
    if (!public) return;
    struct model *model = (struct model *)public;
    code_clear(&model->code);
    if (model->simd_object) dlclose(model->simd_object);
    equations_clear(&model->equations);
    for (int i = 0; model->parameter_name && i < model->source->nnumbers; i++)
        free(model->parameter_name[i]);
    free(model->parameter_name);
    definition_free(model->source);
    free(model->parameters);
    free(model->quantity);
    free(model->event);
    free(model->record);
    for (int i = 0; i < model->nsets; i++) free(model->sets[i]);
    free(model->sets);
    free(model->title);
    free(model->path);
    free(model->text);
    free(model);
}

void model_prepare(const struct noe_model *public, noe_real *parameters) {
    const struct model *model = (const struct model *)public;
    struct noe_system system = model->system;
    system.parameters = parameters;
    if (system.prepare)
        system.prepare(&system, 0, model->source->q, model->source->v,
                       parameters + model->source->nnumbers);
}

int noe_model_parameter_index(const struct noe_model *model, const char *name) {
    for (int i = 0; i < model->system->nparameters; i++)
        if (strcmp(model->system->parameter[i], name) == 0) return i;
    return -1;
}

int noe_model_quantity_index(const struct noe_model *model, const char *name) {
    const struct noe_system *system = model->system;
    for (int i = 0; i < system->nquantities; i++)
        if (strcmp(system->quantity[i].name, name) == 0) return system->quantity[i].first;
    return -1;
}

enum noe_status model_number(const struct noe_model *model, const char *expression, noe_real *value,
                             struct noe_error *error) {
    return definition_number(((const struct model *)model)->source, expression, value, error);
}

enum noe_status model_method(const struct noe_model *model, const char *text, size_t size,
                             char *method, struct noe_error *error) {
    return definition_method(((const struct model *)model)->source, text, size, method, error);
}
