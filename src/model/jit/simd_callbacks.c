/* SIMD callbacks of a model, which evaluate it at several points at once, compiled at run time. */
/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>

#include "base/status.h"
#include "model/codegen/vectorise/emit_simd.h"
#include "model/jit/compile.h"
#include "model/jit/shared_object.h"
#include "model/jit/simd_callbacks.h"
#include "model/model.h"

extern const char model_header_text[]; /* both embedded by the build */
extern const char lanes_header_text[];

enum {
    NOTE_MAX = 400,
    STEPS_MAX = 20000 /* max operations of a stage, for the sake of compile time */
};

static const char *obstacle(const struct noe_model *model,
                            const struct system_functions *routines) {
    if (sizeof(real) != sizeof(double)) return "they need double precision";
    if (model->code.kind == NOE_INTERPRETED) return "the model is interpreted";
    if (routines->program[STAGE].nsteps > STEPS_MAX) return "the model is too large for them";
    return NULL;
}

static enum noe_status write_object(struct writer *out, const struct system_functions *routines) {
    writer_put(out, model_header_text);
    writer_put(out, lanes_header_text);
    const enum noe_status status = emit_simd_functions(out, routines);
    writer_put(out,
               "\n__attribute__((visibility(\"default\"))) const struct noe_system noe_wide_code = "
               "{\n    .force_simd = model_force_simd, .stage_simd = model_stage_simd};\n");
    return out->failed ? NOE_NO_MEMORY : status;
}

static bool load(struct model *model, const struct writer *text,
                 const struct noe_model_settings *settings, char note[NOTE_MAX]) {
    static const char *const symbols[] = {"noe_wide_code", NULL};
    const struct simd_target lanes = simd_target_find();
    struct object object = {.text = text,
                            .symbols = symbols,
                            .directory = settings ? settings->cache : NULL,
                            .interrupt = settings ? settings->interrupt : NULL};
    object_set_options(&object, compile_options(text->length, false), &lanes);
    model->simd_object = object_load(&object, NOTE_MAX, note);
    if (!model->simd_object) return false;
    const struct noe_system *made = dlsym(model->simd_object, symbols[0]);
    model->system.force_simd = made->force_simd;
    model->system.stage_simd = made->stage_simd;
    return true;
}

enum noe_status model_compile_simd(struct noe_model *public,
                                   const struct noe_model_settings *settings,
                                   struct noe_error *error) {
    struct model *model = (struct model *)public;
    char note[NOTE_MAX] = "";
    struct system_functions routines;
    struct writer text = {0};
    if (model->simd_object) return NOE_OK;
    enum noe_status status = model_check_dynamics(model, error);
    if (status != NOE_OK) return status;
    status = system_functions_make(&routines, model->source, &model->equations, true);
    if (status != NOE_OK) return status_set(error, status, "out of memory while compiling");
    const char *why = obstacle(public, &routines);
    if (!why) status = write_object(&text, &routines);
    if (!why && status == NOE_OK && !load(model, &text, settings, note)) status = NOE_NO_LIBRARY;
    system_functions_clear(&routines);
    writer_clear(&text);
    if (why) return status_set(error, NOE_NOT_SERVED, "no SIMD callbacks: %s", why);
    if (status == NOE_OK) return NOE_OK;
    return status_set(error, status, "no SIMD callbacks: %s", note);
}
