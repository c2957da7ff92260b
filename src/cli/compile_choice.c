/* Decision whether to compile a specialised stepper for a run, and its report. */
/* SPDX-License-Identifier: MIT */
#include "cli/compile_choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "methods/method.h"
#include "model/jit/compile.h"
#include "model/jit/simd_callbacks.h"

/* Compiling takes about half a second and makes steps about twice as fast. It pays if the rest of
 * the run would take more than WORTH seconds, which is estimated once, after ENOUGH seconds. */
static const double WORTH = 1, ENOUGH = 0.02;

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void describe(struct compile_choice *stepper, double seconds) {
    char compiler[256] = "", unused[256];
    compile_find(sizeof compiler, compiler, sizeof unused, unused);
    if (stepper->problem->internals->stepper.is_cached)
        snprintf(stepper->what, sizeof stepper->what,
                 "compiled earlier for this model and method by %s, from the cache", compiler);
    else
        snprintf(stepper->what, sizeof stepper->what,
                 "compiled for this model and method by %s in %.2f s", compiler, seconds);
}

/* Warns once if the compiler failed. If the problem does not support specialised steppers, it warns
 * only if the user requested one. */
static void make(struct compile_choice *stepper, bool is_asked) {
    const struct noe_model_settings settings = {.interrupt = &cli_interrupted};
    struct noe_error error;
    const double began = seconds_now();
    const enum noe_status status =
        noe_problem_specialise(stepper->problem, stepper->model, &settings, &error);
    stepper->is_decided = true;
    if (status == NOE_OK) {
        describe(stepper, seconds_now() - began);
        return;
    }
    snprintf(stepper->why, sizeof stepper->why, "%s", error.text);
    if ((is_asked || status != NOE_NOT_SERVED) && !cli_interrupted)
        cli_say("warning: %s; the run continues without it", error.text);
}

void compile_choice_init(struct compile_choice *stepper, const struct cli_settings *settings,
                         const struct noe_model *model, struct noe_problem *problem) {
    *stepper = (struct compile_choice){.model = model, .problem = problem, .what = "generic"};
    const char *why = "the run ended before its duration could be estimated";
    if (settings->generic) why = "--generic was given";
    if (settings->specialised) why = "--specialised was given";
    snprintf(stepper->why, sizeof stepper->why, "%s", why);
    stepper->is_decided = settings->generic;
    if (settings->specialised) make(stepper, true);
}

void compile_choice_consider(struct compile_choice *stepper, struct progress *progress, long k) {
    const double elapsed = progress->called - progress->began, rest = progress_rest(progress);
    if (stepper->is_decided || elapsed < ENOUGH || !isfinite(rest)) return;
    stepper->is_decided = true;
    snprintf(stepper->why, sizeof stepper->why,
             "at step %ld the rest of the run was estimated at %.2g s; compiling pays from %g s", k,
             rest, WORTH);
    if (rest < WORTH) return;
    progress_erase(progress);
    make(stepper, false);
}

void compile_choice_widen(struct noe_model *model, const struct noe_problem *problem) {
    const struct noe_model_settings settings = {.interrupt = &cli_interrupted};
    struct noe_error error;
    if (!kernel_is_fixed_point(problem)) return;
    const enum noe_status status = model_compile_simd(model, &settings, &error);
    if (status != NOE_OK && status != NOE_NOT_SERVED && !cli_interrupted)
        cli_say("warning: %s; stages are evaluated sequentially", error.text);
}

long compile_choice_keep_pace(void *data, long k, real t) {
    struct compile_pace *pace = data;
    const long next = progress_update(&pace->progress, k, t);
    compile_choice_consider(pace->stepper, &pace->progress, k);
    return next;
}
