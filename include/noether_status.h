/* Status of a function, and the message of a failure. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_STATUS_H
#define NOETHER_STATUS_H

/* 0: success; positive: a numerical failure; negative: misuse, or a failure of the environment. */

#define NOE_STATUS_LIST(X)                                                                         \
    X(NOE_OK, 0, "ok")                                                                             \
    X(NOE_NOT_CONVERGED, 1, "the iteration did not converge")                                      \
    X(NOE_SINGULAR, 2, "a matrix is singular")                                                     \
    X(NOE_NOT_FINITE, 3, "a value is not a finite number")                                         \
    X(NOE_STEP_TOO_SMALL, 4, "the step became too small")                                          \
    X(NOE_INTERRUPTED, 5, "interrupted")                                                           \
    X(NOE_NO_STEP, 6, "no length of the step keeps the discrete energy")                           \
    X(NOE_BAD_INPUT, -1, "bad input")                                                              \
    X(NOE_NOT_SERVED, -2, "the method does not serve the system")                                  \
    X(NOE_NO_MEMORY, -3, "out of memory")                                                          \
    X(NOE_IO, -4, "a file could not be read or written")                                           \
    X(NOE_NO_LIBRARY, -5, "an optional part is missing on this machine")

enum noe_status {
#define NOE_STATUS_ENUM(name, value, text) name = value,
    NOE_STATUS_LIST(NOE_STATUS_ENUM)
#undef NOE_STATUS_ENUM
};

/* A status; if `noe_real` has SIMD lanes, one for each lane. */
#if defined NOE_LANES && NOE_LANES > 1
typedef long noe_lane_status __attribute__((vector_size(NOE_LANES * sizeof(long))));
#else
typedef enum noe_status noe_lane_status;
#endif

/* The message of a failure, filled by the function that failed. Line and column of a model file are
 * 0 if they do not apply. Every function that takes one accepts NULL. */
struct noe_error {
    enum noe_status status;
    int line, column;
    char text[480];
};

#endif
