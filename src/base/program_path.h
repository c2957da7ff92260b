/* Search for a program in the directories of PATH. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_PROGRAM_PATH_H
#define BASE_PROGRAM_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the absolute path of the program. Relative elements of PATH are skipped, so that nothing
 * in the current directory is run. False if there is none. */
bool program_path_find(const char *name, size_t size, char *path);

#endif
