/* Cache directory of compiled models: location, permissions and size limit. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_CACHE_DIRECTORY_H
#define MODEL_JIT_CACHE_DIRECTORY_H

#include "model/jit/cache.h"

/* Prefix of the names of directories in which entries are being built. */
#define CACHE_BUILDING "building-"

/* Writes the real path of `wanted` (NULL: NOETHER_CACHE, XDG_CACHE_HOME/noether or
 * HOME/.cache/noether) and makes the directory if it is missing. False, with a note, if another
 * user could write to it. */
bool cache_directory_user(const char *wanted, char path[CACHE_PATH], char note[CACHE_NOTE]);
/* Makes a new directory under TMPDIR. */
bool cache_directory_private(char path[CACHE_PATH]);
/* Removes a private directory and the entries in it. */
void cache_directory_remove(const char *path);
/* Removes the least recently used entries if there are too many, and the remains of aborted
 * builds. */
void cache_directory_trim(const char *path);

#endif
