/* The directory of compiled models: which one, whether it is safe, how much it holds. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_CACHE_DIRECTORY_H
#define MODEL_JIT_CACHE_DIRECTORY_H

#include "model/jit/cache.h"

/* Names of directories in which an entry is being made start with this. */
#define CACHE_BUILDING "building-"

/* Writes the real path of `wanted` (NULL: NOETHER_CACHE, XDG_CACHE_HOME/noether or
 * HOME/.cache/noether), made if it is not there. False, with a note, if it is not this user's alone
 * to write to. */
bool cache_directory_user(const char *wanted, char path[CACHE_PATH], char note[CACHE_NOTE]);
/* Makes a new directory under TMPDIR. */
bool cache_directory_private(char path[CACHE_PATH]);
/* Removes a private directory and the entries in it. */
void cache_directory_remove(const char *path);
/* Removes the entries used longest ago when there are too many, and what broken runs left. */
void cache_directory_trim(const char *path);

#endif
