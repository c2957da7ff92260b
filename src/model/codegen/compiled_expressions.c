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

static const struct routine shape[FORMULAS_MAX] = {
    {"formula0", {"values"}, false, ""}, {"formula1", {"values"}, false, ""},
    {"formula2", {"values"}, false, ""}, {"formula3", {"values"}, false, ""},
    {"formula4", {"values"}, false, ""}, {"formula5", {"values"}, false, ""},
    {"formula6", {"values"}, false, ""}, {"formula7", {"values"}, false, ""},
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
                                  const struct compiled_expressions *formulas) {
    enum noe_status status =
        emit_functions(text, formulas->graph, formulas->count, formulas->program, shape);
    writer_put(
        text,
        "\n__attribute__((visibility(\"default\"))) void (*const noe_compiled_expressions[])(\n"
        "    const struct noe_system *, noe_real, const noe_real *,\n"
        "    const noe_real *, noe_real *) = {");
    for (int i = 0; i < formulas->count; i++)
        writer_print(text, "%s, ", formulas->program[i].noutputs > 0 ? shape[i].name : "0");
    writer_put(text, "};\n");
    return text->failed ? NOE_NO_MEMORY : status;
}

static void compile(struct compiled_expressions *formulas,
                    const struct noe_model_settings *settings) {
    static const char *const symbols[] = {"noe_compiled_expressions", NULL};
    struct writer text = {0};
    if (write_text(&text, formulas) == NOE_OK) {
        struct object object = {.text = &text,
                                .symbols = symbols,
                                .directory = settings ? settings->cache : NULL,
                                .interrupt = settings ? settings->interrupt : NULL};
        object_set_options(&object, compile_options(text.length, false), NULL);
        formulas->handle = object_load(&object, sizeof formulas->note, formulas->note);
    }
    writer_clear(&text);
    if (!formulas->handle) return;
    formula *const *made = dlsym(formulas->handle, symbols[0]);
    for (int i = 0; i < formulas->count; i++) formulas->function[i] = made[i];
}

enum noe_status compiled_expressions_make(struct compiled_expressions *formulas,
                                          const struct graph *graph, int count, const int *size,
                                          const int *const *node,
                                          const struct noe_model_settings *settings) {
    *formulas = (struct compiled_expressions){.graph = graph, .count = count};
    int steps = 0;
    for (int i = 0; i < count; i++) {
        const enum noe_status status = make_program(&formulas->program[i], graph, size[i], node[i]);
        if (status != NOE_OK) return status;
        steps += formulas->program[i].nsteps;
    }
    if (settings && settings->interpret)
        snprintf(formulas->note, sizeof formulas->note, "interpretation was asked for");
    else if (steps > COMPILE_STEPS)
        snprintf(formulas->note, sizeof formulas->note, "too long to compile");
    else
        compile(formulas, settings);
    if (formulas->handle) return NOE_OK;
    formulas->scratch = malloc(((size_t)graph->count + 1) * sizeof *formulas->scratch);
    return formulas->scratch ? NOE_OK : NOE_NO_MEMORY;
}

void compiled_expressions_clear(struct compiled_expressions *formulas) {
    if (formulas->handle) dlclose(formulas->handle);
    for (int i = 0; i < formulas->count; i++) program_clear(&formulas->program[i]);
    free(formulas->scratch);
    *formulas = (struct compiled_expressions){0};
}

void compiled_expressions_run(const struct compiled_expressions *formulas, int which,
                              const real *parameters, real t, const real *q, const real *v,
                              real *values) {
    const struct program *program = &formulas->program[which];
    if (formulas->function[which]) {
        const struct noe_system system = {.parameters = parameters};
        formulas->function[which](&system, t, q, v, values);
        return;
    }
    for (int i = 0; i < program->noutputs; i++)
        values[program->output[i].index] = graph_value(formulas->graph, program->output[i].node,
                                                       parameters, t, q, v, formulas->scratch);
}
