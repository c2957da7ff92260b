/* The C file of a model that is compiled and loaded. */
/* SPDX-License-Identifier: MIT */
#include "model/emit_model.h"

#include "model/emit_power.h"

extern const char model_header_text[]; /* noether_real.h and noether_model.h, from the build */

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
    .power_prefix = "",
    .parameters = "s->parameters",
    .parameter = "noe_real",
    .time = "t",
    .has_system = true,
    .function_prefix = "noe_",
};

static void write_table(struct writer *out, const struct routines *routines) {
    writer_put(out, "\nconst struct noe_model_code noe_model_code = {\n"
                    "    NOE_MODEL_ABI, sizeof(noe_real),\n");
    writer_print(out, "    %d, %d, %d, %d, %d,\n   ", routines->n, routines->nz,
                 routines->nparameters, routines->nvalues, routines->ncrossings);
    for (int i = 0; i < CALLBACK_COUNT; i++) {
        const bool exists = routines->program[i].noutputs > 0;
        writer_print(out, " %s%s", exists ? routines_list[i].name : "0",
                     i + 1 < CALLBACK_COUNT ? "," : "\n};\n");
    }
}

static enum noe_status write_functions(struct writer *out, const struct emit_style *spelling,
                                       const struct routines *routines) {
    enum noe_status status = emit_power_functions(out, spelling, "static inline ", routines);
    for (int i = 0; status == NOE_OK && i < CALLBACK_COUNT; i++)
        status = emit_routine(out, spelling, routines, i);
    return out->failed ? NOE_NO_MEMORY : status;
}

enum noe_status emit_inline_functions(struct writer *out, const struct routines *routines,
                                      enum emit_numbers numbers) {
    struct emit_style spelling = style;
    spelling.storage = "static inline ";
    spelling.prefix = "model_";
    if (numbers == EMIT_LANES) spelling.of = "noe_of";
    return write_functions(out, &spelling, routines);
}

enum noe_status emit_model(struct writer *out, const struct routines *routines) {
    writer_put(out, model_header_text);
    const enum noe_status status = write_functions(out, &style, routines);
    write_table(out, routines);
    return out->failed ? NOE_NO_MEMORY : status;
}
