/* Error messages: filling the caller's struct noe_error. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include "noether.h"

/* Writes the status and a formatted message into `error` (may be NULL), without a source position.
 * Returns the status. */
enum noe_status status_set(struct noe_error *error, enum noe_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Writes NOE_BAD_INPUT and a formatted message with a source position. Returns NOE_BAD_INPUT. */
enum noe_status status_set_at(struct noe_error *error, int line, int column, const char *format,
                              ...) __attribute__((format(printf, 4, 5)));

/* The name nearest in spelling to `word` among `count` names, for "did you mean". NULL entries are
 * skipped. NULL if no name is near. */
const char *status_nearest(const char *word, int count, const char *const *names);

#endif
