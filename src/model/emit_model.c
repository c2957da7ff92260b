/* The C file of a model that is compiled and loaded. */
/* SPDX-License-Identifier: MIT */
#include "model/emit_model.h"

#include "model/emit_power.h"

extern const char model_header_text[]; /* noether_real.h and noether_model.h, from the build */

static const char *function_name(int f) { return graph_functions[f].c_name; }

static const struct emit_style style = {
    .real = "noe_real",
#ifdef NOE_QUAD
    .suffix = "Q",
#else
    .suffix = "",
#endif
    .storage = "static ",
    .part_storage = "__attribute__((noinline)) static ",
    .prefix = "",
    .parameters = "s->parameters",
    .has_system = true,
    .function = function_name,
};

static void write_table(struct writer *out, const struct routines *routines) {
    writer_put(out, "\nconst struct noe_model_code noe_model_code = {\n"
                    "    NOE_MODEL_ABI, sizeof(noe_real),\n");
    writer_print(out, "    %d, %d, %d, %d, %d,\n   ", routines->n, routines->nz,
                 routines->nparameters, routines->nvalues, routines->ncrossings);
    for (int i = 0; i < ROUTINE_COUNT; i++) {
        const bool exists = routines->program[i].noutputs > 0;
        writer_print(out, " %s%s", exists ? routines_list[i].name : "0",
                     i + 1 < ROUTINE_COUNT ? "," : "\n};\n");
    }
}

static enum noe_status write_functions(struct writer *out, const struct emit_style *spelling,
                                       const struct routines *routines) {
    enum noe_status status = emit_power_functions(out, "static inline ", spelling->real, routines);
    for (int i = 0; status == NOE_OK && i < ROUTINE_COUNT; i++)
        status = emit_routine(out, spelling, routines, i);
    return out->failed ? NOE_NO_MEMORY : status;
}

enum noe_status emit_inline_functions(struct writer *out, const struct routines *routines) {
    struct emit_style spelling = style;
    spelling.storage = "static inline ";
    spelling.prefix = "model_";
    return write_functions(out, &spelling, routines);
}

enum noe_status emit_model(struct writer *out, const struct routines *routines) {
    writer_put(out, model_header_text);
    const enum noe_status status = write_functions(out, &style, routines);
    write_table(out, routines);
    return out->failed ? NOE_NO_MEMORY : status;
}
