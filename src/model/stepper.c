/* The C text of a stepper for one model and one method. */
/* SPDX-License-Identifier: MIT */
#include "model/stepper.h"

#include <stdlib.h>

#include "model/emit_model.h"
#include "model/model.h"

extern const char model_header_text[];   /* from the build, as are the next */
extern const char lanes_header_text[];   /* elementary functions of lanes */
extern const char stepper_source_text[]; /* the engine's step path and what it needs */
extern const char watch_source_text[];   /* the engine's notes of every step */
extern const char batch_source_text[];   /* runs side by side, and their memory */

enum {
    UNKNOWNS_MAX = 24, /* dense matrices by hand only */
    FREEDOMS_MAX = 32  /* of explicit methods: beyond, loops win and compiling takes long */
};

const char *stepper_obstacle(const struct noe_problem *problem, const struct noe_model *model) {
    const struct noe_system *system = problem->system;
    if (sizeof(real) != sizeof(double)) return "only double precision is specialised";
    if (system != model->system) return "the problem is not this model's";
    if (!problem->method->describe) return "the method has no specialised stepper";
    if (model->code == NOE_INTERPRETED) return "the model is interpreted";
    if (problem->use_kernel ? system->n > FREEDOMS_MAX : problem->nu > UNKNOWNS_MAX)
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
static void write_system(struct writer *out, const struct noe_system *system) {
    write_pattern(out, "specialised_row", system, system->row);
    write_pattern(out, "specialised_col", system, system->col);
    writer_print(out,
                 "static const struct noe_system specialised_system = {\n"
                 "    .n = %d, .traits = %u, .nz = %d, .row = %s, .col = %s,\n"
                 "    .lagrangian = model_lagrangian, .force = model_force, .first = model_first,\n"
                 "    .momentum = model_momentum, .second = model_second,\n"
                 "    .nvalues = %d, .quantities = %s};\n",
                 system->n, system->traits, system->nz, system->row ? "specialised_row" : "0",
                 system->row ? "specialised_col" : "0", system->nvalues,
                 system->nvalues ? "model_quantities" : "0");
}

static void write_problem(struct writer *out, const struct noe_problem *problem) {
    writer_print(out,
                 "static const struct noe_problem specialised_problem = {\n"
                 "    .system = &specialised_system, .method = &specialised_method,\n"
                 "    .order = %d, .use_kernel = %d, .np = %d, .nu = %d, .nscratch = %zu,\n"
                 "    .coefficients = (void *)&specialised_coefficients};\n",
                 problem->order, problem->use_kernel, problem->np, problem->nu, problem->nscratch);
}

static const char one_run[] = "__attribute__((externally_visible, visibility(\"default\")))\n"
                              "enum noe_status noe_stepper(struct noe_work *work, long count) {\n"
                              "    return advance_steps(work, count);\n}\n"
                              "__attribute__((externally_visible, visibility(\"default\")))\n"
                              "enum noe_status noe_stepper_watched(struct noe_work *work,\n"
                              "                                    long count,\n"
                              "                                    struct noe_watch *watch) {\n"
                              "    return advance_watched(work, count, watch);\n}\n";

static const char batch_head[] =
    "extern const struct batch_code batch_code\n"
    "    __attribute__((externally_visible, visibility(\"default\")));\n";

enum noe_status stepper_write(struct writer *out, const struct noe_problem *problem,
                              const struct noe_model *open, int lanes) {
    const struct model *model = (const struct model *)open;
    struct routines routines;
    char *method = problem->method->describe(problem);
    enum noe_status status =
        method ? routines_make(&routines, model->source, &model->blocks) : NOE_NO_MEMORY;
    if (status == NOE_OK) {
        writer_put(out, "#define NOE_SPECIALISED\n");
        if (lanes) writer_print(out, "#define NOE_LANES %d\n", lanes);
        writer_put(out, model_header_text);
        if (lanes) writer_put(out, lanes_header_text);
        status = emit_inline_functions(out, &routines, lanes ? EMIT_LANES : EMIT_SCALARS);
        writer_put(out, stepper_source_text);
        writer_put(out, lanes ? batch_head : watch_source_text);
        write_system(out, problem->system);
        writer_put(out, method);
        write_problem(out, problem);
        writer_put(out, lanes ? batch_source_text : one_run);
        routines_clear(&routines);
    }
    free(method);
    return out->failed ? NOE_NO_MEMORY : status;
}
