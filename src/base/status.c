/* Texts of statuses, and the nearest spelling of a mistyped name. */
/* SPDX-License-Identifier: MIT */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *noe_status_text(enum noe_status status) {
    switch (status) {
    case NOE_OK: return "ok";
    case NOE_NOT_CONVERGED: return "the iteration did not converge";
    case NOE_SINGULAR: return "a matrix is singular";
    case NOE_NOT_FINITE: return "a value is not a finite number";
    case NOE_STEP_TOO_SMALL: return "the step became too small";
    case NOE_INTERRUPTED: return "interrupted";
    case NOE_NO_STEP: return "no length of the step keeps the discrete energy";
    case NOE_BAD_INPUT: return "bad input";
    case NOE_NOT_SERVED: return "the method does not serve the system";
    case NOE_NO_MEMORY: return "out of memory";
    case NOE_IO: return "a file could not be read or written";
    case NOE_NO_LIBRARY: return "an optional part is missing on this machine";
    }
    return "unknown status";
}

enum noe_status status_set(struct noe_error *error, enum noe_status status, const char *format,
                           ...) {
    if (!error) return status;
    error->status = status;
    error->line = error->column = 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

enum noe_status status_set_at(struct noe_error *error, int line, int column, const char *format,
                              ...) {
    if (!error) return NOE_BAD_INPUT;
    error->status = NOE_BAD_INPUT;
    error->line = line;
    error->column = column;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return NOE_BAD_INPUT;
}

enum { WORD_MAX = 40 };

/* Edit distance of two words: insertions, deletions, replacements, swaps of neighbours. Words
 * longer than WORD_MAX count as far apart. */
static int edits(const char *a, const char *b) {
    const int m = (int)strlen(a), n = (int)strlen(b);
    if (m > WORD_MAX || n > WORD_MAX) return WORD_MAX;
    int row[3][WORD_MAX + 1];
    for (int i = 0; i <= m; i++) {
        int *now = row[i % 3];
        const int *above = row[(i + 2) % 3], *twice = row[(i + 1) % 3];
        for (int j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                now[j] = i + j;
                continue;
            }
            const int change = above[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = change;
            if (above[j] + 1 < now[j]) now[j] = above[j] + 1;
            if (now[j - 1] + 1 < now[j]) now[j] = now[j - 1] + 1;
            const int swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && twice[j - 2] + 1 < now[j]) now[j] = twice[j - 2] + 1;
        }
    }
    return row[m % 3][n];
}

const char *status_nearest(const char *word, int count, const char *const *names) {
    const char *nearest = NULL;
    int min = 1 + (int)strlen(word) / 3; /* a larger distance is another word */
    for (int i = 0; i < count; i++) {
        if (!names[i]) continue;
        const int distance = edits(word, names[i]);
        if (distance > min || (nearest && distance == min)) continue;
        min = distance;
        nearest = names[i];
    }
    return nearest;
}
