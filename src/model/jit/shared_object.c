/* Shared objects compiled from text at run time. */
/* SPDX-License-Identifier: MIT */
#include "model/jit/shared_object.h"

#include <dlfcn.h>
#include <stdio.h>

#include "model/jit/cache.h"
#include "model/jit/compile.h"

void object_set_options(struct object *object, const char *base, const struct simd_target *lanes) {
    snprintf(object->options, sizeof object->options, "%s%s", base, lanes ? lanes->options : "");
    object->libraries = lanes ? lanes->libraries : NULL;
}

static void *open_at(const char *path, const struct object *object, size_t note_size, char *note) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *message = dlerror();
        snprintf(note, note_size, "it cannot be loaded: %.300s", message ? message : "");
        return NULL;
    }
    for (const char *const *symbol = object->symbols; symbol && *symbol; symbol++) {
        if (dlsym(handle, *symbol)) continue;
        dlclose(handle);
        snprintf(note, note_size, "the compiled object is not one of this library");
        return NULL;
    }
    return handle;
}

static void *find_or_compile(struct object *object, struct cache *cache,
                             const struct cache_source *source, size_t note_size, char *note) {
    char key[CACHE_KEY], path[CACHE_PATH];
    cache_key(source, key);
    object->is_cached = cache_find(cache, key, source, path);
    if (object->is_cached) {
        void *handle = open_at(path, object, note_size, note);
        if (handle) return handle;
        cache_remove(cache, key);
        object->is_cached = false;
    }
    if (!cache_add(cache, key, source, path, note_size, note)) return NULL;
    return open_at(path, object, note_size, note);
}

void *object_load(struct object *object, size_t note_size, char *note) {
    char compiler[CACHE_PATH];
    struct cache cache;
    if (!compile_find(sizeof compiler, compiler, note_size, note)) return NULL;
    const struct cache_source source = {.text = object->text->text,
                                        .length = object->text->length,
                                        .compiler = compiler,
                                        .options = object->options,
                                        .libraries = object->libraries,
                                        .interrupt = object->interrupt};
    if (!cache_open(&cache, object->directory)) {
        snprintf(note, note_size, "%s", cache.note);
        return NULL;
    }
    void *handle = find_or_compile(object, &cache, &source, note_size, note);
    cache_close(&cache); /* a loaded object survives the removal of its file */
    return handle;
}
