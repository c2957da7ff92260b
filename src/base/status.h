/* Filling the caller's error with words. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include "noether.h"

/* Writes status and a printf-like text into `error` (may be NULL), without a position; returns
 * status. */
enum noe_status status_set(struct noe_error *error, enum noe_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with a source position. */
enum noe_status status_set_at(struct noe_error *error, int line, int column, const char *format,
                              ...) __attribute__((format(printf, 4, 5)));

/* The candidate nearest in spelling to `word` among `count` names (NULL entries are skipped), or
 * NULL if none is near: for "did you mean". */
const char *status_nearest(const char *word, int count, const char *const *names);

#endif
