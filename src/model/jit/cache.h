/* Compiled models kept by content in a directory of the user. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_CACHE_H
#define MODEL_JIT_CACHE_H

#include <stdbool.h>
#include <stddef.h>

enum { CACHE_PATH = 1024, CACHE_KEY = 33, CACHE_NOTE = 400 };

struct cache {
    char directory[CACHE_PATH];
    bool is_private;       /* made for this process alone, removed by cache_close */
    char note[CACHE_NOTE]; /* why it is private; empty otherwise */
};

/* What a compiled model is made from. */
struct cache_source {
    const char *text;
    size_t length;
    const char *compiler, *options;
    const char *libraries;         /* beside the usual ones; NULL: none */
    const volatile int *interrupt; /* not 0: end the compiler; may be NULL */
};

/* Opens the directory `wanted`, or the user's own if NULL; a directory that others could write to
 * is refused and a private one is made instead. False if there is none at all, with a note. */
bool cache_open(struct cache *cache, const char *wanted);
void cache_close(struct cache *cache);

/* The name under which the source's object is kept. */
void cache_key(const struct cache_source *source, char key[CACHE_KEY]);

/* Writes the path of the object kept under `key`; false if there is none that is whole and was made
 * from exactly this text. */
bool cache_find(const struct cache *cache, const char *key, const struct cache_source *source,
                char path[CACHE_PATH]);

/* Compiles the source, keeps it under `key` and writes the object's path. On failure writes why to
 * `note`. Others may do the same at the same time. */
bool cache_add(const struct cache *cache, const char *key, const struct cache_source *source,
               char path[CACHE_PATH], size_t note_size, char *note);

/* Forgets what is kept under `key`. */
void cache_remove(const struct cache *cache, const char *key);

#endif
