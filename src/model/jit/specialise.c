/* Just-in-time compilation of a stepper for one model and one method. */
/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>

#include "base/status.h"
#include "methods/method.h"
#include "model/jit/compile.h"
#include "model/jit/shared_object.h"
#include "model/jit/stepper_source.h"
#include "model/model.h"

enum { NOTE_MAX = 400 };

/* Loads the stepper from the cache, or compiles and loads it. */
static bool load(struct noe_problem *problem, const struct model *model, const struct writer *text,
                 const struct noe_model_settings *settings, char note[NOTE_MAX]) {
    static const char *const symbols[] = {"noe_stepper", "noe_stepper_monitored", NULL};
    struct object object = {.text = text,
                            .symbols = symbols,
                            .directory = settings ? settings->cache : NULL,
                            .interrupt = settings ? settings->interrupt : NULL};
    const struct simd_target lanes = simd_target_find();
    /* On groups, components are stored one by one and read soon after. A wider load would stall,
     * because store forwarding fails. */
    const bool use_vectors = problem->internals->kernel && !problem->internals->lie_product;
    /* Steps on groups have many live values, so a target with more registers spills less. */
    const bool has_functions = kernel_is_fixed_point(problem) || model->code.has_vectors;
    const bool use_lanes = has_functions || problem->internals->lie_product;
    object_set_options(&object, compile_stepper_options(use_vectors), use_lanes ? &lanes : NULL);
    if (!has_functions) object.libraries = NULL; /* no vector functions */
    void *loaded = object_load(&object, NOTE_MAX, note);
    if (!loaded) return false;
    struct problem_stepper *stepper = &problem->internals->stepper;
    stepper->object = loaded;
    stepper->is_cached = object.is_cached;
    *(void **)&stepper->steps = dlsym(loaded, symbols[0]);
    *(void **)&stepper->monitored = dlsym(loaded, symbols[1]);
    *(void **)&stepper->scan_events = dlsym(loaded, "noe_stepper_scan_events");
    *(void **)&stepper->substep = dlsym(loaded, "noe_stepper_substep");
    *(void **)&stepper->event_root = dlsym(loaded, "noe_stepper_event_root");
    return true;
}

enum noe_status noe_problem_specialise(struct noe_problem *problem, const struct noe_model *model,
                                       const struct noe_model_settings *settings,
                                       struct noe_error *error) {
    char note[NOTE_MAX] = "";
    if (problem->internals->stepper.steps) return NOE_OK;
    const char *why = stepper_obstacle(problem, model, false);
    if (why) return status_set(error, NOE_NOT_SERVED, "%s", why);
    struct writer text = {0};
    enum noe_status status = stepper_write(&text, problem, model, NULL);
    if (status != NOE_OK) snprintf(note, sizeof note, "%s", noe_status_text(status));
    if (status == NOE_OK && !load(problem, (const struct model *)model, &text, settings, note))
        status = NOE_NO_LIBRARY;
    writer_clear(&text);
    if (status == NOE_OK) return NOE_OK;
    return status_set(error, status, "no specialised stepper: %s", note);
}
