/* A stepper compiled for one model and one method. */
/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdlib.h>

#include "base/status.h"
#include "model/compile.h"
#include "model/emit_model.h"
#include "model/emit_wide.h"
#include "model/model.h"
#include "model/object.h"

extern const char model_header_text[]; /* from the build, as are the next */
extern const char lanes_header_text[];
extern const char stepper_source_text[]; /* the engine's step path and what it needs */
extern const char watch_source_text[];   /* the engine's notes of every step */

enum {
    UNKNOWNS_MAX = 24, /* dense matrices by hand only */
    FREEDOMS_MAX = 32, /* without matrices: beyond, loops win and compiling takes long */
    NOTE_MAX = 400
};

static const char *obstacle(const struct noe_problem *problem, const struct noe_model *model) {
    const struct noe_system *system = problem->system;
    if (sizeof(real) != sizeof(double)) return "only double precision is specialised";
    if (system != model->system) return "the problem is not this model's";
    if (!problem->method->describe) return "the method has no specialised stepper";
    if (model->code == NOE_INTERPRETED) return "the model is interpreted";
    const bool needs_matrices = !problem->use_kernel && !problem->use_contraction;
    if (needs_matrices ? problem->nu > UNKNOWNS_MAX : system->n > FREEDOMS_MAX)
        return "the system is too large for a specialised stepper to pay";
    return NULL;
}

static void write_pattern(struct writer *out, const char *name, const struct noe_system *system,
                          const int *index) {
    if (!system->row) return;
    writer_print(out, "static const int %s[] = {", name);
    for (int e = 0; e < system->nz; e++) writer_print(out, "%d,", index[e]);
    writer_put(out, "};\n");
}

/* What the stepper knows of the system. Its parameters are read where it runs: other values need no
 * other stepper. */
static void write_system(struct writer *out, const struct noe_system *system, bool has_wide) {
    write_pattern(out, "specialised_row", system, system->row);
    write_pattern(out, "specialised_col", system, system->col);
    writer_print(out,
                 "static const struct noe_system specialised_system = {\n"
                 "    .n = %d, .traits = %u, .nz = %d, .row = %s, .col = %s,\n"
                 "    .lagrangian = model_lagrangian, .force = model_force, .first = model_first,\n"
                 "    .momentum = model_momentum, .second = model_second,\n"
                 "    .nvalues = %d, .quantities = %s, .force_wide = %s, .stage_wide = %s};\n",
                 system->n, system->traits, system->nz, system->row ? "specialised_row" : "0",
                 system->row ? "specialised_col" : "0", system->nvalues,
                 system->nvalues ? "model_quantities" : "0", has_wide ? "model_force_wide" : "0",
                 has_wide ? "model_stage_wide" : "0");
}

static void write_problem(struct writer *out, const struct noe_problem *problem) {
    writer_print(out,
                 "static const struct noe_problem specialised_problem = {\n"
                 "    .system = &specialised_system, .method = &specialised_method,\n"
                 "    .order = %d, .use_kernel = %d, .use_contraction = %d, .np = %d, .nu = %d,\n"
                 "    .coefficients = (void *)&specialised_coefficients};\n"
                 "__attribute__((externally_visible, visibility(\"default\")))\n"
                 "enum noe_status noe_stepper(struct noe_work *work, long count) {\n"
                 "    return advance_steps(work, count);\n}\n"
                 "__attribute__((externally_visible, visibility(\"default\")))\n"
                 "enum noe_status noe_stepper_watched(struct noe_work *work, long count,\n"
                 "                                    struct noe_watch *watch) {\n"
                 "    return advance_watched(work, count, watch);\n}\n",
                 problem->order, problem->use_kernel, problem->use_contraction, problem->np,
                 problem->nu);
}

/* Does it evaluate several points side by side? So it does if the library does. */
static bool uses_wide(const struct noe_problem *problem) {
    return problem->use_contraction && problem->system->force_wide;
}

static enum noe_status write_stepper(struct writer *out, const struct noe_problem *problem,
                                     const struct model *model) {
    struct routines routines;
    const bool has_wide = uses_wide(problem);
    char *method = problem->method->describe(problem);
    enum noe_status status =
        method ? routines_make(&routines, model->source, &model->blocks) : NOE_NO_MEMORY;
    if (status == NOE_OK) {
        writer_put(out, "#define NOE_SPECIALISED\n");
        if (problem->use_contraction) writer_put(out, "#define NOE_NEWTON_ELSEWHERE\n");
        writer_put(out, model_header_text);
        status = emit_inline_functions(out, &routines, EMIT_SCALARS);
        if (has_wide) writer_put(out, lanes_header_text);
        if (has_wide && status == NOE_OK) status = emit_wide_functions(out, &routines);
        writer_put(out, stepper_source_text);
        writer_put(out, watch_source_text);
        write_system(out, problem->system, has_wide);
        writer_put(out, method);
        write_problem(out, problem);
        routines_clear(&routines);
    }
    free(method);
    return out->failed ? NOE_NO_MEMORY : status;
}

/* Compiles the text or finds it compiled, and loads it. */
static bool load(struct noe_problem *problem, const struct writer *text, const char *directory,
                 char note[NOTE_MAX]) {
    struct object object = {.text = text, .directory = directory};
    const struct lanes lanes = lanes_find();
    object_set_options(&object, compile_stepper_options(),
                       problem->use_contraction ? &lanes : NULL);
    problem->stepper = object_load(&object, NOTE_MAX, note);
    if (!problem->stepper) return false;
    *(void **)&problem->steps = dlsym(problem->stepper, "noe_stepper");
    *(void **)&problem->watched = dlsym(problem->stepper, "noe_stepper_watched");
    return problem->steps && problem->watched;
}

enum noe_status noe_problem_specialise(struct noe_problem *problem, const struct noe_model *model,
                                       const struct noe_model_settings *settings,
                                       struct noe_error *error) {
    char note[NOTE_MAX] = "the stepper could not be loaded";
    const char *why = obstacle(problem, model);
    if (why) return status_set(error, NOE_NOT_SERVED, "%s", why);
    struct writer text = {0};
    enum noe_status status = write_stepper(&text, problem, (const struct model *)model);
    if (status == NOE_OK && !load(problem, &text, settings ? settings->cache : NULL, note))
        status = NOE_NO_LIBRARY;
    writer_clear(&text);
    if (status == NOE_OK) return NOE_OK;
    return status_set(error, status, "no specialised stepper: %s", note);
}
