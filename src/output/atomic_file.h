/* Putting a file in place: written beside its final path, renamed to it when it is whole. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_ATOMIC_FILE_H
#define OUTPUT_ATOMIC_FILE_H

#include <stdbool.h>

#include "base/status.h"

struct atomic_file;

/* Starts a file that will stand under `path`: a temporary file in the same directory. A path that
 * exists and is no regular file (a device, a pipe) is written directly. */
enum noe_status atomic_file_open(struct atomic_file **place, const char *path,
                                 struct noe_error *error);
/* The same in two steps: the first leaves no trace in the directory. After a failure of the second
 * the place is still to be discarded. */
enum noe_status atomic_file_prepare(struct atomic_file **place, const char *path,
                                    struct noe_error *error);
enum noe_status atomic_file_create(struct atomic_file *place, struct noe_error *error);
/* Appends bytes; after a failure every later call fails alike. */
enum noe_status atomic_file_write(struct atomic_file *place, const void *data, size_t size,
                                  struct noe_error *error);
/* Makes the file durable and gives it its final name; if that fails, or anything failed before,
 * removes it. Frees `place` in every case. */
enum noe_status atomic_file_commit(struct atomic_file *place, struct noe_error *error);
/* Removes what was written and frees `place`; NULL is allowed. */
void atomic_file_discard(struct atomic_file *place);

/* The descriptor, for writers that do more than append. */
int atomic_file_descriptor(const struct atomic_file *place);
/* The path of the temporary file; NULL where there is none. */
const char *atomic_file_temporary(const struct atomic_file *place);
/* False where the path is written directly: there is no going back in it. */
bool atomic_file_is_regular(const struct atomic_file *place);
/* Takes room for `size` bytes, where the file system can: a disk too small fails now. */
void atomic_file_reserve(struct atomic_file *place, size_t size);
/* Notes that writing to the descriptor failed with `code` (an errno); the first one counts. */
void atomic_file_fail(struct atomic_file *place, int code);
/* NOE_OK, or the failure noted so far, in words. */
enum noe_status atomic_file_status(const struct atomic_file *place, struct noe_error *error);

#endif
