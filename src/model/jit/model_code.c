/* Callable functions of a model: compiled just in time and loaded, or interpreted. */
/* SPDX-License-Identifier: MIT */
#include "model/jit/model_code.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/codegen/emit_model.h"
#include "model/codegen/model_abi.h"
#include "model/codegen/vectorise/vector_functions.h"
#include "model/jit/cache.h"
#include "model/jit/compile.h"

enum {
    COMPILE_MEGABYTES = 24, /* max size of the C text; compiling more would take minutes */
    CODE_OPTIONS = 384
};

static bool fits(const struct noe_system *functions, const struct system_functions *routines) {
    return functions->n == routines->n && functions->nz == routines->nz &&
           functions->nparameters == routines->nparameters &&
           functions->nprepared == routines->nprepared &&
           (functions->prepare || routines->nprepared == 0) &&
           functions->nvalues == routines->nvalues && functions->lagrangian && functions->force &&
           functions->first && functions->momentum && functions->second &&
           (functions->gradient || routines->program[GRADIENT].noutputs == 0) &&
           (functions->quantities || routines->nvalues == 0) &&
           functions->nholonomic == routines->nholonomic &&
           functions->nnonholonomic == routines->nnonholonomic && functions->nzc == routines->nzc &&
           ((functions->constraints && functions->constraints_second) || routines->nzc == 0) &&
           functions->nevents == routines->nevents &&
           (functions->events || routines->nevents == 0) &&
           (functions->event_rates || routines->program[EVENT_RATES].noutputs == 0) &&
           functions->nnoises == routines->nnoises &&
           (functions->noise || routines->nnoises == 0) &&
           functions->nrecorded == routines->nrecorded &&
           (functions->records || routines->nrecorded == 0);
}

static bool load(struct code *code, const char *path, const struct system_functions *routines) {
    code->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!code->handle) {
        const char *message = dlerror();
        snprintf(code->note, sizeof code->note, "the compiled model cannot be loaded: %.300s",
                 message ? message : "");
        return false;
    }
    const struct noe_model_code *loaded = dlsym(code->handle, "noe_model_code");
    if (loaded && loaded->abi == NOE_MODEL_ABI && loaded->real_bytes == (int)sizeof(real) &&
        fits(&loaded->system, routines)) {
        code->functions = &loaded->system;
        return true;
    }
    dlclose(code->handle);
    code->handle = NULL;
    snprintf(code->note, sizeof code->note, "the compiled model is not one of this library");
    return false;
}

static bool load_or_compile(struct code *code, struct cache *cache,
                            const struct cache_source *source,
                            const struct system_functions *routines) {
    char key[CACHE_KEY], path[CACHE_PATH];
    cache_key(source, key);
    code->kind = NOE_CACHED;
    if (cache_find(cache, key, source, path)) {
        if (load(code, path, routines)) return true;
        cache_remove(cache, key);
    }
    code->kind = NOE_COMPILED;
    code->note[0] = 0;
    return cache_add(cache, key, source, path, sizeof code->note, code->note) &&
           load(code, path, routines);
}

/* True if compiled functions were loaded. Otherwise the note has the reason. */
static bool compile(struct code *code, const struct system_functions *routines,
                    const struct noe_model_settings *settings, enum noe_status *status) {
    char compiler[CACHE_PATH];
    if (!compile_find(sizeof compiler, compiler, sizeof code->note, code->note)) return false;
    struct writer text = {0};
    struct cache cache;
    bool is_loaded = false;
    char options[CODE_OPTIONS];
    const struct simd_target lanes = simd_target_find();
    bool *is_vector = NULL;
    *status = vector_functions_find(routines, &lanes, &is_vector);
    code->has_vectors = is_vector != NULL;
    if (*status == NOE_OK) *status = emit_model(&text, routines, is_vector);
    free(is_vector);
    if (*status == NOE_OK) {
        snprintf(options, sizeof options, "%s%s", compile_options(text.length, code->has_vectors),
                 code->has_vectors ? lanes.options : "");
        const struct cache_source source = {.text = text.text,
                                            .length = text.length,
                                            .compiler = compiler,
                                            .options = options,
                                            .libraries = code->has_vectors ? lanes.libraries : NULL,
                                            .interrupt = settings ? settings->interrupt : NULL};
        code->bytes = text.length;
        if (text.length >> 20 >= COMPILE_MEGABYTES) {
            snprintf(code->note, sizeof code->note, "its C text of %zu MB is too large to compile",
                     text.length >> 20);
        } else if (cache_open(&cache, settings ? settings->cache : NULL)) {
            is_loaded = load_or_compile(code, &cache, &source, routines);
            if (is_loaded) snprintf(code->note, sizeof code->note, "%s", cache.note);
            cache_close(&cache); /* a loaded object survives the removal of its file */
        } else {
            snprintf(code->note, sizeof code->note, "%s", cache.note);
        }
    }
    writer_clear(&text);
    return is_loaded;
}

enum noe_status code_make(struct code *code, const struct system_functions *routines,
                          const struct noe_model_settings *settings, struct noe_error *error) {
    enum noe_status status = NOE_OK;
    *code = (struct code){0};
    if (settings && settings->interpret) {
        snprintf(code->note, sizeof code->note, "interpretation was requested");
    } else if (compile(code, routines, settings, &status)) {
        return NOE_OK;
    }
    code->kind = NOE_INTERPRETED;
    code->functions = &interpret_functions;
    if (status == NOE_OK) status = interpret_create(&code->interpret, routines);
    if (status == NOE_OK) return NOE_OK;
    code_clear(code);
    return status_set(error, status, "out of memory while writing the model's functions");
}

void code_clear(struct code *code) {
    if (code->handle) dlclose(code->handle);
    interpret_free(code->interpret);
    *code = (struct code){0};
}
