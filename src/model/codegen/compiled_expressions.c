/* Lists of expressions as callable functions: compiled just in time, or interpreted without a
 * compiler. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/compiled_expressions.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/codegen/emit_model.h"
#include "model/jit/compile.h"
#include "model/jit/shared_object.h"

enum { COMPILE_STEPS = 400000 }; /* operations; compiling more would take minutes */

static const struct routine shape[COMPILED_EXPRESSIONS_MAX] = {
    {"expressions0", {"values"}, false, ""}, {"expressions1", {"values"}, false, ""},
    {"expressions2", {"values"}, false, ""}, {"expressions3", {"values"}, false, ""},
    {"expressions4", {"values"}, false, ""}, {"expressions5", {"values"}, false, ""},
    {"expressions6", {"values"}, false, ""}, {"expressions7", {"values"}, false, ""},
};

static enum noe_status make_program(struct program *program, const struct graph *graph, int size,
                                    const int *node) {
    struct program_output *output = malloc(((size_t)size + 1) * sizeof *output);
    if (!output) return NOE_NO_MEMORY;
    for (int i = 0; i < size; i++) output[i] = (struct program_output){node[i], 0, i};
    const enum noe_status status = program_make(program, graph, size, output, NULL);
    free(output);
    return status;
}

static enum noe_status write_text(struct writer *text,
                                  const struct compiled_expressions *expressions) {
    enum noe_status status =
        emit_functions(text, expressions->graph, expressions->count, expressions->program, shape);
    writer_put(
        text,
        "\n__attribute__((visibility(\"default\"))) void (*const noe_compiled_expressions[])(\n"
        "    const struct noe_system *, noe_real, const noe_real *,\n"
        "    const noe_real *, noe_real *) = {");
    for (int i = 0; i < expressions->count; i++)
        writer_print(text, "%s, ", expressions->program[i].noutputs > 0 ? shape[i].name : "0");
    writer_put(text, "};\n");
    return text->failed ? NOE_NO_MEMORY : status;
}

static enum noe_status compile(struct compiled_expressions *expressions,
                               const struct noe_model_settings *settings) {
    static const char *const symbols[] = {"noe_compiled_expressions", NULL};
    struct writer text = {0};
    const enum noe_status status = write_text(&text, expressions);
    if (status == NOE_OK) {
        struct object object = {.text = &text,
                                .symbols = symbols,
                                .directory = settings ? settings->cache : NULL,
                                .interrupt = settings ? settings->interrupt : NULL};
        object_set_options(&object, compile_options(text.length, false), NULL);
        expressions->handle = object_load(&object, sizeof expressions->note, expressions->note);
    }
    writer_clear(&text);
    if (!expressions->handle) return status;
    compiled_function *const *made = dlsym(expressions->handle, symbols[0]);
    for (int i = 0; i < expressions->count; i++) expressions->function[i] = made[i];
    return NOE_OK;
}

enum noe_status compiled_expressions_make(struct compiled_expressions *expressions,
                                          const struct graph *graph, int count, const int *size,
                                          const int *const *node,
                                          const struct noe_model_settings *settings) {
    *expressions = (struct compiled_expressions){.graph = graph, .count = count};
    int steps = 0;
    enum noe_status status = NOE_OK;
    for (int i = 0; i < count; i++) {
        status = make_program(&expressions->program[i], graph, size[i], node[i]);
        if (status != NOE_OK) return status;
        steps += expressions->program[i].nsteps;
    }
    if (settings && settings->interpret)
        snprintf(expressions->note, sizeof expressions->note, "interpretation was requested");
    else if (steps > COMPILE_STEPS)
        snprintf(expressions->note, sizeof expressions->note, "too long to compile");
    else
        status = compile(expressions, settings);
    if (expressions->handle || status != NOE_OK) return status;
    expressions->scratch = malloc(((size_t)graph->count + 1) * sizeof *expressions->scratch);
    return expressions->scratch ? NOE_OK : NOE_NO_MEMORY;
}

void compiled_expressions_clear(struct compiled_expressions *expressions) {
    if (expressions->handle) dlclose(expressions->handle);
    for (int i = 0; i < expressions->count; i++) program_clear(&expressions->program[i]);
    free(expressions->scratch);
    *expressions = (struct compiled_expressions){0};
}

void compiled_expressions_run(const struct compiled_expressions *expressions, int which,
                              const real *parameters, real t, const real *q, const real *v,
                              real *values) {
    const struct program *program = &expressions->program[which];
    if (expressions->function[which]) {
        const struct noe_system system = {.parameters = parameters};
        expressions->function[which](&system, t, q, v, values);
        return;
    }
    for (int i = 0; i < program->noutputs; i++)
        values[program->output[i].index] = graph_value(expressions->graph, program->output[i].node,
                                                       parameters, t, q, v, expressions->scratch);
}
