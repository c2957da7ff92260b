/* Search for a program in the directories of PATH. */
/* SPDX-License-Identifier: MIT */
#include "base/program_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

bool program_path_find(const char *name, size_t size, char *path) {
    const char *directories = getenv("PATH");
    for (const char *at = directories; at && *at;) {
        const size_t length = strcspn(at, ":");
        const int written = snprintf(path, size, "%.*s/%s", (int)length, at, name);
        if (at[0] == '/' && written > 0 && (size_t)written < size && is_program(path)) return true;
        at += length + (at[length] == ':');
    }
    return false;
}
