/* Amalgamation of the library's own source files. */
/* SPDX-License-Identifier: MIT */
#include "model/jit/amalgam.h"

#include <stdio.h>
#include <string.h>

extern const struct source_file source_files[]; /* from the build; ends with a row without a path */

enum { PATH_ROOM = 160 };

static const char include[] = "#include \"";

static int find(const char *path) {
    for (int i = 0; source_files[i].path && i < AMALGAM_FILES_MAX; i++)
        if (strcmp(source_files[i].path, path) == 0) return i;
    return -1;
}

/* The line after the one at `line`. */
static const char *next_line(const char *line) {
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

static void add_file(struct amalgam *amalgam, int i);

/* Adds every file that the text includes. */
static void add_includes(struct amalgam *amalgam, const char *text) {
    char path[PATH_ROOM];
    for (const char *line = text; *line; line = next_line(line)) {
        if (strncmp(line, include, sizeof include - 1) != 0) continue;
        const char *name = line + sizeof include - 1;
        snprintf(path, sizeof path, "%.*s", (int)strcspn(name, "\""), name);
        const int file = find(path);
        if (file >= 0) add_file(amalgam, file);
    }
}

/* Writes the text without the lines that include other files of the library. */
static void write_text(struct writer *out, const char *text) {
    const char *from = text;
    for (const char *line = text; *line; line = next_line(line)) {
        if (strncmp(line, include, sizeof include - 1) != 0) continue;
        writer_bytes(out, from, (size_t)(line - from));
        from = next_line(line);
    }
    writer_put(out, from);
}

/* Below the engine, the functions that a header declares are part of the step path. Their file
 * waits until all headers that are being added are written: it may include one of them. */
static void note_companion(struct amalgam *amalgam, const char *path) {
    static const char *const folders[] = {"spaces/", "mechanics/", "methods/"};
    char companion[PATH_ROOM];
    const size_t length = strlen(path);
    if (length < 2 || strcmp(path + length - 2, ".h") != 0) return;
    snprintf(companion, sizeof companion, "%.*s.c", (int)length - 2, path);
    const int file = find(companion);
    for (int i = 0; i < 3 && file >= 0; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0) amalgam->is_waiting[file] = true;
}

/* Writes the file `i` after the files that it includes. */
static void add_file(struct amalgam *amalgam, int i) {
    amalgam->is_waiting[i] = false;
    if (amalgam->is_added[i]) return;
    amalgam->is_added[i] = true;
    add_includes(amalgam, source_files[i].text);
    write_text(amalgam->out, source_files[i].text);
    note_companion(amalgam, source_files[i].path);
}

void amalgam_add(struct amalgam *amalgam, const char *path) {
    const int first = find(path);
    if (first >= 0) add_file(amalgam, first);
    for (int i = 0; source_files[i].path; i++)
        if (amalgam->is_waiting[i]) {
            add_file(amalgam, i);
            i = -1; /* it may have left others waiting before it */
        }
}

void amalgam_add_list(struct amalgam *amalgam, const char *paths) {
    char path[PATH_ROOM];
    while (*paths) {
        const size_t length = strcspn(paths, " ");
        snprintf(path, sizeof path, "%.*s", (int)length, paths);
        amalgam_add(amalgam, path);
        paths += length + strspn(paths + length, " ");
    }
}
