/* C text of the SIMD variants of a model's functions, which evaluate it at several points at
 * once. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/vectorise/emit_simd.h"

#include "model/codegen/emit_power.h"

static const struct emit_style style = {
    .real = "noe_wide",
    .suffix = "",
    .broadcast = "wide_of",
    .storage = "static inline ",
    .part_storage = "__attribute__((noinline)) static ",
    .prefix = "model_wide_",
    .power_prefix = "wide_",
    .parameters = "s->parameters",
    .parameter = "noe_real",
    .time = "t[0]",
    .fill = "__builtin_memset",
    .has_system = true,
    .has_half_powers = true,
    .options.together = EMIT_SINE_WITH_COSINE,
    .function_prefix = "wide_",
};

/* Callbacks that cast arrays of scalars to arrays of noe_wide, for which they are aligned. */
static const char callbacks[] =
    "\nstatic void model_force_simd(const struct noe_system *s, const noe_scalar *t,\n"
    "    const noe_real *q, const noe_real *v, noe_real *w)\n"
    "{\n"
    "    model_wide_force(s, (const noe_wide *)t, (const noe_wide *)q, (const noe_wide *)v,\n"
    "        (noe_wide *)w);\n"
    "}\n"
    "\nstatic void model_stage_simd(const struct noe_system *s, const noe_scalar *t,\n"
    "    const noe_real *q, const noe_real *v, noe_real *p, noe_real *w, noe_real *d)\n"
    "{\n"
    "    model_wide_stage(s, (const noe_wide *)t, (const noe_wide *)q, (const noe_wide *)v,\n"
    "        (noe_wide *)p, (noe_wide *)w, (noe_wide *)d);\n"
    "}\n";

enum noe_status emit_simd_functions(struct writer *out, const struct system_functions *routines) {
    static const int list[] = {FORCE, FIRST, MOMENTUM, STAGE};
    enum noe_status status = emit_power_functions(out, &style, "static inline ", routines->graph,
                                                  ROUTINE_COUNT, routines->program);
    for (size_t i = 0; status == NOE_OK && i < sizeof list / sizeof *list; i++)
        status = emit_routine(out, &style, routines, list[i]);
    writer_put(out, callbacks);
    return out->failed ? NOE_NO_MEMORY : status;
}
