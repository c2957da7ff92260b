/* Shared objects made from text at run time. */
/* SPDX-License-Identifier: MIT */
#include "model/object.h"

#include <dlfcn.h>
#include <stdio.h>

#include "model/cache.h"
#include "model/compile.h"

void object_set_options(struct object *object, const char *base, const struct lanes *lanes) {
    snprintf(object->options, sizeof object->options, "%s%s", base, lanes ? lanes->options : "");
    object->libraries = lanes ? lanes->libraries : NULL;
}

void *object_load(const struct object *object, size_t note_size, char *note) {
    char compiler[CACHE_PATH], key[CACHE_KEY], path[CACHE_PATH];
    struct cache cache;
    void *handle = NULL;
    if (!compile_find(sizeof compiler, compiler, note_size, note)) return NULL;
    const struct cache_source source = {.text = object->text->text,
                                        .length = object->text->length,
                                        .compiler = compiler,
                                        .options = object->options,
                                        .libraries = object->libraries};
    if (!cache_open(&cache, object->directory)) {
        snprintf(note, note_size, "%s", cache.note);
        return NULL;
    }
    cache_key(&source, key);
    if (cache_find(&cache, key, &source, path) ||
        cache_add(&cache, key, &source, path, note_size, note)) {
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        const char *words = handle ? NULL : dlerror();
        if (words) snprintf(note, note_size, "it cannot be loaded: %.300s", words);
    }
    cache_close(&cache); /* what is loaded stays after its file is gone */
    return handle;
}
