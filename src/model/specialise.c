/* A stepper compiled for one model and one method. */
/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>

#include "base/status.h"
#include "model/compile.h"
#include "model/model.h"
#include "model/object.h"
#include "model/stepper.h"

enum { NOTE_MAX = 400 };

/* Compiles the text or finds it compiled, and loads it. */
static bool load(struct noe_problem *problem, const struct writer *text, const char *directory,
                 char note[NOTE_MAX]) {
    struct object object = {.text = text, .directory = directory};
    object_set_options(&object, compile_stepper_options(), NULL);
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
    const char *why = stepper_obstacle(problem, model);
    if (why) return status_set(error, NOE_NOT_SERVED, "%s", why);
    struct writer text = {0};
    enum noe_status status = stepper_write(&text, problem, model, 0);
    if (status == NOE_OK && !load(problem, &text, settings ? settings->cache : NULL, note))
        status = NOE_NO_LIBRARY;
    writer_clear(&text);
    if (status == NOE_OK) return NOE_OK;
    return status_set(error, status, "no specialised stepper: %s", note);
}
