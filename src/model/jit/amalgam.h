/* Amalgamation: files of the library and all that they include, each once, as one text. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_AMALGAM_H
#define MODEL_JIT_AMALGAM_H

#include "model/codegen/writer.h"

/* An embedded file, by its path below src/ or include/; written by tools/embed.sh. */
struct source_file {
    const char *path, *text;
};

enum { AMALGAM_FILES_MAX = 512 };

struct amalgam {
    struct writer *out;
    bool is_added[AMALGAM_FILES_MAX], is_waiting[AMALGAM_FILES_MAX];
};

/* Writes the files that `path` includes by #include "...", depth first, then the file itself,
 * without those lines. A header of spaces/, mechanics/ or methods/ brings the .c file of the same
 * name. Files that were added before, and those that are not embedded, are left out. */
void amalgam_add(struct amalgam *amalgam, const char *path);
/* Writes the text of several files, whose paths are separated by spaces. */
void amalgam_add_list(struct amalgam *amalgam, const char *paths);

#endif
