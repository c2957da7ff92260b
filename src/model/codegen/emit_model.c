/* C source file of a model, to be compiled and loaded. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/emit_model.h"

#include "model/codegen/emit_power.h"
#include "model/codegen/vectorise/emit_vector_calls.h"

extern const char model_header_text[]; /* embedded: it ends with model_abi.h */
extern const char lanes_header_text[]; /* embedded: lane_functions.h */

static const struct emit_style style = {
    .real = "noe_real",
#ifdef NOE_QUAD
    .suffix = "Q",
#else
    .suffix = "",
    .options.together = EMIT_PAIRS,
#endif
    .storage = "static ",
    .part_storage = "__attribute__((noinline)) static ",
    .prefix = "",
    .power_prefix = "",
    .parameters = "s->parameters",
    .parameter = "noe_real",
    .time = "t",
    .fill = "__builtin_memset",
    .has_system = true,
    .function_prefix = "noe_",
};

/* Paired operations: two divisions or two square roots in one SIMD instruction. */
static const char pairs[] =
    "\n#ifdef __SSE2__\n"
    "typedef double pair __attribute__((vector_size(16)));\n"
    "static inline void two_quotients(double a, double b, double c, double d, double *x,\n"
    "                                 double *y)\n"
    "{\n    const pair r = (pair){a, c}/(pair){b, d};\n    *x = r[0];\n    *y = r[1];\n}\n"
    "#else\n"
    "static inline void two_quotients(double a, double b, double c, double d, double *x,\n"
    "                                 double *y)\n"
    "{\n    *x = a/b;\n    *y = c/d;\n}\n"
    "#endif\n"
    "#if defined __SSE2__ && !defined __clang__\n"
    "static inline void two_roots(double a, double b, double *x, double *y)\n"
    "{\n    const pair r = __builtin_ia32_sqrtpd((pair){a, b});\n    *x = r[0];\n    *y = "
    "r[1];\n}\n"
    "#else\n"
    "static inline void two_roots(double a, double b, double *x, double *y)\n"
    "{\n    *x = noe_sqrt(a);\n    *y = noe_sqrt(b);\n}\n"
    "#endif\n";

static void write_table(struct writer *out, const struct system_functions *routines) {
    writer_put(out, "\nconst struct noe_model_code noe_model_code = {NOE_MODEL_ABI, "
                    "sizeof(noe_real), {\n");
    writer_print(out,
                 "    .n = %d, .nz = %d, .nparameters = %d, .nprepared = %d, .nvalues = %d,\n"
                 "    .nevents = %d, .nrecorded = %d, .nholonomic = %d, .nnonholonomic = %d,\n"
                 "    .nzc = %d, .nnoises = %d,\n",
                 routines->n, routines->nz, routines->nparameters, routines->nprepared,
                 routines->nvalues, routines->nevents, routines->nrecorded, routines->nholonomic,
                 routines->nnonholonomic, routines->nzc, routines->nnoises);
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        const char *name = system_functions_list[i].name;
        if (routines->program[i].noutputs > 0) writer_print(out, "    .%s = %s,\n", name, name);
    }
    writer_put(out, "}};\n");
}

static enum noe_status write_functions(struct writer *out, const struct emit_style *spelling,
                                       const struct system_functions *routines) {
    enum noe_status status = emit_power_functions(out, spelling, "static inline ", routines->graph,
                                                  ROUTINE_COUNT, routines->program);
    if (spelling->options.together == EMIT_PAIRS) writer_put(out, pairs);
    if (spelling->options.is_vector) writer_put(out, emit_vector_calls_functions);
    for (int i = 0; status == NOE_OK && i < FUNCTION_COUNT; i++)
        status = emit_routine(out, spelling, routines, i);
    return out->failed ? NOE_NO_MEMORY : status;
}

enum noe_status emit_inline_functions(struct writer *out, const struct system_functions *routines,
                                      enum emit_numbers numbers, const bool *is_vector) {
    struct emit_style spelling = style;
    spelling.options.has_loops = numbers == EMIT_SCALARS;
    spelling.options.is_vector = is_vector;
    spelling.storage = "NOE_INLINE ";
    spelling.prefix = "model_";
    if (numbers == EMIT_LANES) {
        spelling.broadcast = "noe_of";
        spelling.has_half_powers = true;
        spelling.options.together = EMIT_SINE_WITH_COSINE;
    }
    return write_functions(out, &spelling, routines);
}

enum noe_status emit_functions(struct writer *out, const struct graph *graph, int count,
                               const struct program *program, const struct routine *routine) {
    writer_put(out, model_header_text);
    enum noe_status status =
        emit_power_functions(out, &style, "static inline ", graph, count, program);
    if (style.options.together == EMIT_PAIRS) writer_put(out, pairs);
    for (int i = 0; status == NOE_OK && i < count; i++)
        status = emit_program(out, &style, graph, &program[i], &routine[i]);
    return out->failed ? NOE_NO_MEMORY : status;
}

enum noe_status emit_model(struct writer *out, const struct system_functions *routines,
                           const bool *is_vector) {
    struct emit_style spelling = style;
    spelling.skips_zeros = true;
    spelling.options.has_loops = true;
    spelling.options.is_vector = is_vector;
    writer_put(out, model_header_text);
    if (is_vector) writer_put(out, lanes_header_text);
    const enum noe_status status = write_functions(out, &spelling, routines);
    write_table(out, routines);
    return out->failed ? NOE_NO_MEMORY : status;
}
