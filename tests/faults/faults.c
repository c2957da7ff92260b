/* Fault injection: the n-th call of a kind from the project's own code fails.
 *
 * The linker sends these calls to the functions below (--wrap). NOETHER_FAULT="KIND N" selects the
 * call, counted from 1 in all threads. NOETHER_FAULT_REPORT names a file to which every process
 * appends the number of its calls at exit, as "KIND COUNT" in each line. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { MEMORY, OPEN, WRITE, SYNC, RENAME, SPAWN, KINDS };
static const char *const kind_word[KINDS] = {"memory", "open", "write", "sync", "rename", "spawn"};
static const int kind_error[KINDS] = {ENOMEM, EACCES, ENOSPC, EIO, EIO, EAGAIN};

/* Defined in builds with a sanitizer: NOETHER_FAULT_TRACE prints the place of the call. */
__attribute__((weak)) void __sanitizer_print_stack_trace(void);

static atomic_long calls[KINDS];
static int chosen = -1;
static long chosen_call;

__attribute__((constructor)) static void read_choice(void) {
    const char *text = getenv("NOETHER_FAULT");
    for (int k = 0; text && k < KINDS; k++) {
        const size_t length = strlen(kind_word[k]);
        if (strncmp(text, kind_word[k], length) != 0) continue;
        chosen = k;
        chosen_call = strtol(text + length, NULL, 10);
    }
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("NOETHER_FAULT_REPORT");
    const int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
    for (int k = 0; file >= 0 && k < KINDS; k++) dprintf(file, "%s %ld\n", kind_word[k], calls[k]);
    if (file >= 0) close(file);
}

/* Counts a call; true if it is to fail, with errno set. */
static bool fails(enum kind kind) {
    const long call = atomic_fetch_add(&calls[kind], 1) + 1;
    if (chosen != (int)kind || call != chosen_call) return false;
    if (getenv("NOETHER_FAULT_TRACE") && __sanitizer_print_stack_trace)
        __sanitizer_print_stack_trace();
    errno = kind_error[kind];
    return true;
}

/* A function of the C library with this failure value, in the place of which the linker puts ours.
 */
#define WRAP(kind, type, name, failure, parameters, ...)                                           \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters { return fails(kind) ? (failure) : __real_##name(__VA_ARGS__); }

WRAP(MEMORY, void *, malloc, NULL, (size_t size), size)
WRAP(MEMORY, void *, calloc, NULL, (size_t count, size_t size), count, size)
WRAP(MEMORY, void *, realloc, NULL, (void *block, size_t size), block, size)
WRAP(MEMORY, void *, aligned_alloc, NULL, (size_t alignment, size_t size), alignment, size)
WRAP(MEMORY, char *, strdup, NULL, (const char *text), text)
WRAP(MEMORY, char *, strndup, NULL, (const char *text, size_t length), text, length)
WRAP(MEMORY, FILE *, open_memstream, NULL, (char **text, size_t *size), text, size)
WRAP(OPEN, FILE *, fopen, NULL, (const char *path, const char *mode), path, mode)
WRAP(OPEN, int, mkdir, -1, (const char *path, mode_t mode), path, mode)
WRAP(WRITE, ssize_t, write, -1, (int file, const void *bytes, size_t count), file, bytes, count)
WRAP(WRITE, ssize_t, pwrite, -1, (int file, const void *bytes, size_t count, off_t at), file, bytes,
     count, at)
WRAP(WRITE, int, fflush, EOF, (FILE * file), file)
WRAP(WRITE, int, ftruncate, -1, (int file, off_t length), file, length)
WRAP(SYNC, int, fsync, -1, (int file), file)
WRAP(RENAME, int, rename, -1, (const char *from, const char *to), from, to)
WRAP(SPAWN, pid_t, fork, -1, (void))
WRAP(SPAWN, int, pthread_create, EAGAIN,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *data),
     thread, attributes, start, data)
WRAP(SPAWN, int, posix_spawn, EAGAIN,
     (pid_t * child, const char *path, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const *words, char *const *environment),
     child, path, actions, attributes, words, environment)
WRAP(SPAWN, int, posix_spawnp, EAGAIN,
     (pid_t * child, const char *path, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const *words, char *const *environment),
     child, path, actions, attributes, words, environment)

/* fclose closes the file in every case, as the C library's does. */
int __real_fclose(FILE *file);
int __wrap_fclose(FILE *file);
int __wrap_fclose(FILE *file) {
    const bool is_bad = fails(WRITE);
    const int code = __real_fclose(file);
    if (is_bad) errno = kind_error[WRITE];
    return is_bad ? EOF : code;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return fails(OPEN) ? -1 : __real_open(path, flags, mode);
}
