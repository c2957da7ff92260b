/* Putting a file in place: written beside its final path, renamed to it when it is whole. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_PLACE_H
#define OUTPUT_PLACE_H

#include <stdbool.h>

#include "base/status.h"

struct place;

/* Starts a file that will stand under `path`: a temporary file in the same directory. A path that
 * exists and is no regular file (a device, a pipe) is written directly. */
enum noe_status place_open(struct place **place, const char *path, struct noe_error *error);
/* The same in two steps: the first leaves no trace in the directory. After a failure of the second
 * the place is still to be discarded. */
enum noe_status place_prepare(struct place **place, const char *path, struct noe_error *error);
enum noe_status place_create(struct place *place, struct noe_error *error);
/* Appends bytes; after a failure every later call fails alike. */
enum noe_status place_write(struct place *place, const void *data, size_t size,
                            struct noe_error *error);
/* Makes the file durable and gives it its final name; if that fails, or anything failed before,
 * removes it. Frees `place` in every case. */
enum noe_status place_commit(struct place *place, struct noe_error *error);
/* Removes what was written and frees `place`; NULL is allowed. */
void place_discard(struct place *place);

/* The descriptor, for writers that do more than append. */
int place_descriptor(const struct place *place);
/* The path of the temporary file; NULL where there is none. */
const char *place_temporary(const struct place *place);
/* False where the path is written directly: there is no going back in it. */
bool place_is_regular(const struct place *place);
/* Takes room for `size` bytes, where the file system can: a disk too small fails now. */
void place_reserve(struct place *place, size_t size);
/* Notes that writing to the descriptor failed with `code` (an errno); the first one counts. */
void place_fail(struct place *place, int code);
/* NOE_OK, or the failure noted so far, in words. */
enum noe_status place_status(const struct place *place, struct noe_error *error);

#endif
