/* Atomic file replacement: a temporary file in the same directory is renamed to the final path when
 * it is complete. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_ATOMIC_FILE_H
#define OUTPUT_ATOMIC_FILE_H

#include <stdbool.h>

#include "base/status.h"

struct atomic_file;

/* Opens a file that will replace `path`, by a temporary file in the same directory. A path that
 * exists and is not a regular file (a device, a pipe) is written directly. */
enum noe_status atomic_file_open(struct atomic_file **place, const char *path,
                                 struct noe_error *error);
/* atomic_file_open in two steps. The first creates no file. If the second fails, the caller must
 * still discard. */
enum noe_status atomic_file_prepare(struct atomic_file **place, const char *path,
                                    struct noe_error *error);
enum noe_status atomic_file_create(struct atomic_file *place, struct noe_error *error);
/* Appends bytes. After a failure every later call returns the same failure. */
enum noe_status atomic_file_write(struct atomic_file *place, const void *data, size_t size,
                                  struct noe_error *error);
/* Syncs the file to disk and renames it to the final path. Removes it if that or an earlier write
 * failed. Frees `place` in every case. */
enum noe_status atomic_file_commit(struct atomic_file *place, struct noe_error *error);
/* Removes the temporary file and frees `place`, which may be NULL. */
void atomic_file_discard(struct atomic_file *place);

/* Releases the lock of the temporary file, for a library that opens it by its path. */
void atomic_file_unlock(const struct atomic_file *place);
/* The file descriptor, for writers that need random access. */
int atomic_file_descriptor(const struct atomic_file *place);
/* Path of the temporary file; NULL if the path is written directly. */
const char *atomic_file_temporary(const struct atomic_file *place);
/* False if the path is written directly, so that seeking is impossible. */
bool atomic_file_is_regular(const struct atomic_file *place);
/* Preallocates `size` bytes if the file system supports it, so that a full disk is reported at
 * once. */
void atomic_file_reserve(struct atomic_file *place, size_t size);
/* Records that writing to the descriptor failed with `code` (an errno). The first failure
 * counts. */
void atomic_file_fail(struct atomic_file *place, int code);
/* NOE_OK, or the first failure with its message. */
enum noe_status atomic_file_status(const struct atomic_file *place, struct noe_error *error);

#endif
