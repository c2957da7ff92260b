/* Content-addressed cache of compiled models in a directory of the user. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_CACHE_H
#define MODEL_JIT_CACHE_H

#include <stdbool.h>
#include <stddef.h>

enum { CACHE_PATH = 1024, CACHE_KEY = 33, CACHE_NOTE = 400 };

struct cache {
    char directory[CACHE_PATH];
    bool is_private; /* made for this process alone and removed by cache_close */
    /* Reason why it is private, or why an entry was not used; empty otherwise. */
    char note[CACHE_NOTE];
};

/* Inputs of a compiled model, which identify it. */
struct cache_source {
    const char *text;
    size_t length;
    const char *compiler, *options;
    const char *libraries;         /* additional to the default libraries; NULL: none */
    const volatile int *interrupt; /* nonzero: kill the compiler; may be NULL */
};

/* Opens the directory `wanted`, or the user's own if NULL. If others could write to it, makes a
 * private directory instead. False, with a note, if there is no directory at all. */
bool cache_open(struct cache *cache, const char *wanted);
void cache_close(struct cache *cache);

/* Key (file name) of the object compiled from the source. */
void cache_key(const struct cache_source *source, char key[CACHE_KEY]);

/* Writes the path of the object stored under `key`. False if there is none, if its checksum is
 * wrong, or if it was made from a different text. An object that another user owns or may write is
 * not used either, and the note says so. */
bool cache_find(struct cache *cache, const char *key, const struct cache_source *source,
                char path[CACHE_PATH]);

/* Compiles the source, stores it under `key` and writes the object's path. On failure writes the
 * reason to `note`. Several processes may do this concurrently. */
bool cache_add(const struct cache *cache, const char *key, const struct cache_source *source,
               char path[CACHE_PATH], size_t note_size, char *note);

/* Removes the entry of `key`. */
void cache_remove(const struct cache *cache, const char *key);

#endif
