/* Just-in-time compilation of batches for SIMD lanes, and the public functions of a batch. */
/* SPDX-License-Identifier: MIT */
#include "model/jit/batch_events.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "methods/method.h"
#include "model/jit/compile.h"
#include "model/jit/shared_object.h"
#include "model/jit/stepper_source.h"
#include "model/model.h"

enum { TEXT_MAX = 400 };

struct noe_batch {
    const struct batch_code *code;
    void *object;        /* handle of the shared object with the code; NULL: the library's own */
    bool borrows_object; /* the handle belongs to another batch */
    void *memory;
    bool has_runs, has_events; /* the memory and the event log were opened, and must be closed */
    const struct event_log_code *event_log_code; /* NULL: no events are logged */
    void *event_log;
    const struct noe_model *model;
    struct problem_internals internals; /* those of the given problem, with the kernel for lanes */
    noe_scalar *parameters; /* the parameters of each lane, with the numbers prepared from them */
    char text[TEXT_MAX];
};

/* The number of groups of lanes that the problem's kernel steps at once. */
static int lane_groups(const struct noe_problem *problem) {
    const struct kernel *kernel = problem->internals->kernel;
    return kernel && kernel->lane_groups ? kernel->lane_groups(problem) : 1;
}

/* Compiles for SIMD lanes. If that fails, uses the library's own code with one lane and writes the
 * reason to the text. Fails only if memory runs out. */
static enum noe_status choose_code(struct noe_batch *batch, const struct noe_problem *problem,
                                   const struct noe_batch_settings *settings, bool has_events) {
    char note[TEXT_MAX / 2] = "the batch could not be loaded";
    const char *why = stepper_obstacle(problem, batch->model, true);
    struct simd_target lanes = simd_target_find();
    struct writer text = {0};
    static const char *const symbols[] = {"batch_code", NULL};
    struct object object = {.text = &text, .symbols = symbols, .directory = settings->cache};
    const struct stepper_lanes wanted = {
        .width = settings->lanes > 0 ? settings->lanes : lanes.width,
        .groups = settings->lanes > 0 || has_events ? 1 : lane_groups(problem),
        .plain_sums = settings->plain_sums,
        .crosses = has_events,
    };
    batch->code = &batch_code;
    if (has_events) batch->event_log_code = &event_log_code;
    const enum noe_status status =
        why ? NOE_OK : stepper_write(&text, problem, batch->model, &wanted);
    if (!why && status == NOE_OK) {
        /* A single run on a group is compiled without vectors, as in specialise.c, because of store
         * forwarding. */
        const bool use_vectors = wanted.width > 1 || !problem->internals->lie_product;
        object_set_options(&object, compile_stepper_options(use_vectors), &lanes);
        batch->object = object_load(&object, sizeof note, note);
    }
    const struct batch_code *code = batch->object ? dlsym(batch->object, "batch_code") : NULL;
    if (code) {
        batch->code = code;
        if (has_events) batch->event_log_code = dlsym(batch->object, "event_log_code");
        snprintf(batch->text, sizeof batch->text, "%s", lanes.description);
    } else {
        snprintf(batch->text, sizeof batch->text, "one run at a time: %s", why ? why : note);
    }
    writer_clear(&text);
    return status == NOE_NO_MEMORY ? status : NOE_OK;
}

static void share_code(struct noe_batch *batch, const struct noe_batch *other) {
    batch->code = other->code;
    batch->event_log_code = other->event_log_code;
    batch->object = other->object;
    batch->borrows_object = true;
    memcpy(batch->text, other->text, sizeof batch->text);
}

static void *take_memory(size_t bytes) {
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

static enum noe_status open_event_log(struct noe_batch *batch, const struct noe_problem *problem) {
    if (!batch->event_log_code) return NOE_OK;
    batch->event_log = take_memory(batch->event_log_code->bytes(problem));
    if (!batch->event_log) return NOE_NO_MEMORY;
    batch->has_events = true;
    return batch->event_log_code->open(batch->event_log, batch->memory, problem);
}

static bool is_width(int lanes) {
    return lanes == 0 || lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8;
}

static size_t parameter_count(const struct noe_model *model) {
    return (size_t)(model->system->nparameters + model->system->nprepared);
}

static enum noe_status take_all_memory(struct noe_batch *batch, const struct noe_problem *problem) {
    const size_t numbers = parameter_count(batch->model);
    batch->parameters = calloc((size_t)batch->code->lanes * numbers + 1, sizeof(noe_scalar));
    batch->memory = take_memory(batch->code->bytes(problem, (int)numbers));
    if (!batch->parameters || !batch->memory) return NOE_NO_MEMORY;
    batch->has_runs = true;
    const enum noe_status status = batch->code->open(batch->memory, problem, (int)numbers);
    return status == NOE_OK ? open_event_log(batch, problem) : status;
}

static enum noe_status create(struct noe_batch **result, const struct noe_problem *given,
                              const struct noe_model *model,
                              const struct noe_batch_settings *settings, bool has_events,
                              struct noe_error *error) {
    static const struct noe_batch_settings default_value = {0};
    struct noe_problem problem = *given;
    *result = NULL;
    if (settings && !is_width(settings->lanes))
        return status_set(error, NOE_BAD_INPUT,
                          "a batch has 1, 2, 4 or 8 lanes, or 0 for the preferred number; found %d",
                          settings->lanes);
    struct noe_batch *batch = calloc(1, sizeof *batch);
    if (!batch) return status_set(error, NOE_NO_MEMORY, "no memory for a batch");
    batch->model = model;
    batch->internals = *given->internals;
    if (kernel_is_fixed_point(given))
        batch->internals.kernel = NULL; /* the SIMD lanes hold members, not stages */
    problem.internals = &batch->internals;
    enum noe_status status = NOE_OK;
    if (settings && settings->alike)
        share_code(batch, settings->alike);
    else
        status = choose_code(batch, &problem, settings ? settings : &default_value, has_events);
    if (status == NOE_OK) status = take_all_memory(batch, &problem);
    if (status == NOE_OK) {
        *result = batch;
        return NOE_OK;
    }
    noe_batch_free(batch);
    return status_set(error, status, "no memory for a batch");
}

enum noe_status noe_batch_create(struct noe_batch **batch, const struct noe_problem *problem,
                                 const struct noe_model *model,
                                 const struct noe_batch_settings *settings,
                                 struct noe_error *error) {
    return create(batch, problem, model, settings, false, error);
}

enum noe_status batch_create_with_events(struct noe_batch **batch,
                                         const struct noe_problem *problem,
                                         const struct noe_model *model,
                                         const struct noe_batch_settings *settings,
                                         struct noe_error *error) {
    return create(batch, problem, model, settings, true, error);
}

void noe_batch_free(struct noe_batch *batch) {
    if (!batch) return;
    if (batch->has_events) batch->event_log_code->close(batch->event_log);
    free(batch->event_log);
    if (batch->has_runs) batch->code->close(batch->memory);
    free(batch->memory);
    free(batch->parameters);
    if (batch->object && !batch->borrows_object) dlclose(batch->object);
    free(batch);
}

int noe_batch_lanes(const struct noe_batch *batch) { return batch->code->lanes; }
bool batch_is_compiled(const struct noe_batch *batch) { return batch->object != NULL; }
const char *noe_batch_text(const struct noe_batch *batch) { return batch->text; }

/* Copies the members with their parameters, or the model's, in the batch's own array. */
static void prepare_members(struct noe_batch *batch, int count, const struct noe_member *member,
                            struct noe_member *prepared) {
    const struct noe_system *system = batch->model->system;
    const size_t all = parameter_count(batch->model);
    for (int i = 0; i < count; i++) {
        noe_scalar *numbers = batch->parameters + (size_t)i * all;
        prepared[i] = member[i];
        prepared[i].parameters = numbers;
        if (member[i].parameters) {
            memcpy(numbers, member[i].parameters, (size_t)system->nparameters * sizeof *numbers);
            model_prepare(batch->model, numbers);
        } else {
            memcpy(numbers, system->parameters, all * sizeof *numbers);
        }
    }
}

enum noe_status noe_batch_start(struct noe_batch *batch, int count, const struct noe_member *member,
                                struct noe_error *error) {
    if (count < 1 || count > batch->code->lanes)
        return status_set(error, NOE_BAD_INPUT, "a batch of %d lanes cannot begin %d runs",
                          batch->code->lanes, count);
    struct noe_member *prepared = malloc((size_t)count * sizeof *prepared);
    if (!prepared) return status_set(error, NOE_NO_MEMORY, "no memory to begin a batch");
    prepare_members(batch, count, member, prepared);
    batch->code->start(batch->memory, count, prepared, batch->model->system->parameters);
    if (batch->event_log) batch->event_log_code->start(batch->event_log);
    free(prepared);
    return NOE_OK;
}

enum noe_status noe_batch_set_parameter(struct noe_batch *batch, int lane, int index,
                                        noe_scalar value, struct noe_error *error) {
    const int count = batch->model->system->nparameters;
    if (lane < 0 || lane >= batch->code->lanes)
        return status_set(error, NOE_BAD_INPUT, "a batch of %d lanes has no lane %d",
                          batch->code->lanes, lane);
    if (index < 0 || index >= count)
        return status_set(error, NOE_BAD_INPUT, "there is no parameter %d: the model has %d", index,
                          count);
    noe_scalar *numbers = batch->parameters + (size_t)lane * parameter_count(batch->model);
    numbers[index] = value;
    model_prepare(batch->model, numbers);
    batch->code->set_parameters(batch->memory, lane, numbers);
    return NOE_OK;
}

void noe_batch_steps(struct noe_batch *batch, long count) {
    batch->code->steps(batch->memory, count);
}

void noe_batch_observe(struct noe_batch *batch) { batch->code->measure(batch->memory); }

void noe_batch_lane(const struct noe_batch *batch, int lane, struct noe_lane *now) {
    batch->code->lane(batch->memory, lane, now);
}

long batch_scan_events(struct noe_batch *batch, long count) {
    return batch->event_log_code->steps(batch->event_log, count);
}

bool batch_event_step(const struct noe_batch *batch, int lane, int i, struct event_step *noted) {
    return batch->event_log_code->note(batch->event_log, lane, i, noted);
}

void batch_place(struct noe_batch *batch, int lane, int i) {
    batch->event_log_code->place(batch->event_log, lane, i);
}

void batch_substeps(struct noe_batch *batch, const noe_scalar *h) {
    batch->event_log_code->parts(batch->event_log, h);
}

void batch_event_roots(struct noe_batch *batch, noe_scalar *theta) {
    batch->event_log_code->roots(batch->event_log, theta);
}

void batch_substep(const struct noe_batch *batch, int lane, struct noe_lane *there) {
    batch->event_log_code->part(batch->event_log, lane, there);
}

void batch_energies(const struct noe_batch *batch, int lane, struct energy_deviation *energy) {
    batch->event_log_code->energies(batch->event_log, lane, energy);
}
