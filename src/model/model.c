/* Models: from a file or text to a system of callbacks. */
/* SPDX-License-Identifier: MIT */
#include "noether.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static void fill_system(struct model *model) {
    const struct equations *equations = &model->equations;
    const struct constraints *constraints = &equations->constraints;
    static const struct noe_model_code none;
    const struct noe_model_code *functions =
        model->source->is_objective ? &none : model->code.functions;
    const bool has_values = model->nvalues > 0, has_events = model->source->nevents > 0;
    const struct noe_factor *factors = model->source->has_groups ? model->source->factor : NULL;
    model->system = (struct noe_system){
        .name = model->title,
        .n = equations->n,
        .nfactors = factors ? model->source->nfactors : 0,
        .factors = factors,
        .traits =
            equations->traits | (has_reduced_sections(model->source) ? NOE_REDUCED_SECTIONS : 0),
        .nz = equations->nz,
        .row = equations->row,
        .col = equations->col,
        .parameters = model->parameters,
        .data = model->code.interpret,
        .lagrangian = functions->lagrangian,
        .force = functions->force,
        .first = functions->first,
        .momentum = functions->momentum,
        .second = functions->second,
        .gradient = equations->gradient ? functions->gradient : NULL,
        .nholonomic = model->source->nholonomic,
        .nnonholonomic = model->source->nnonholonomic,
        .nzc = constraints->nz,
        .crow = constraints->row,
        .ccol = constraints->col,
        .constraints = constraints->count ? functions->constraints : NULL,
        .constraints_second = constraints->count ? functions->constraints_second : NULL,
        .nnoises = model->source->nnoises,
        .noise = model->source->nnoises ? functions->noise : NULL,
        .nquantities = model->source->nquantities,
        .nvalues = model->nvalues,
        .quantity = has_values ? model->quantity : NULL,
        .quantities = has_values ? functions->quantities : NULL,
        .nevents = model->source->nevents,
        .crossing = has_events ? model->event : NULL,
        .events = has_events ? functions->events : NULL,
        .event_rates = has_rates(model->source) ? functions->event_rates : NULL,
        .nrecorded = model->source->nrecorded,
        .records = model->source->nrecorded ? functions->records : NULL};
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

static void fill_public(struct model *model) {
    const struct definition *source = model->source;
    model->public = (struct noe_model){.title = model->title,
                                       .path = model->path,
                                       .text = model->text,
                                       .system = &model->system,
                                       .nparameters = source->nnumbers,
                                       .nprepared = model->nprepared,
                                       .ncoordinates = source->ncoordinates,
                                       .coordinate = source->coordinate,
                                       .nconstraints = definition_constraints(source),
                                       .constraint = source->constraint,
                                       .circuit = fill_circuit(model),
                                       .q = source->q,
                                       .v = source->v,
                                       .from = source->from,
                                       .until = source->until,
                                       .step = source->step,
                                       .sample = source->sample,
                                       .method = source->method,
                                       .method_line = source->method_line,
                                       .method_column = source->method_column,
                                       .step_line = source->step_line,
                                       .step_column = source->step_column,
                                       .nnotes = source->nnotes,
                                       .note = source->note,
                                       .code = model->code.kind,
                                       .code_note = model->code.note[0] ? model->code.note : NULL,
                                       .code_bytes = model->code.bytes,
                                       .code_has_vectors = model->code.has_vectors};
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
        !list_events(model))
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
    noe_model_prepare(&model->public, model->parameters);
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

void noe_model_prepare(const struct noe_model *public, noe_real *parameters) {
    const struct model *model = (const struct model *)public;
    struct noe_system system = model->system;
    system.parameters = parameters;
    if (model->nprepared > 0)
        model->code.functions->prepare(&system, 0, model->source->q, model->source->v,
                                       parameters + model->source->nnumbers);
}

enum noe_status noe_model_number(const struct noe_model *model, const char *expression,
                                 noe_real *value, struct noe_error *error) {
    return definition_number(((const struct model *)model)->source, expression, value, error);
}

enum noe_status noe_model_method(const struct noe_model *model, const char *text, size_t size,
                                 char *method, struct noe_error *error) {
    return definition_method(((const struct model *)model)->source, text, size, method, error);
}
