/* Atomic file replacement: a temporary file in the same directory is renamed to the final path when
 * it is complete. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "output/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct atomic_file {
    char *shown;     /* the path as the caller gave it, for messages */
    char *final;     /* final path, symbolic links resolved */
    char *temporary; /* path of the temporary file; NULL: the path is written directly */
    mode_t mode;     /* mode of the replaced file, or 0 */
    int descriptor;
    int failure; /* errno of the first failure, or 0 */
};

enum { LINKS_MAX = 40, TRIES_MAX = 100, BASE_MAX = 200 };

static enum noe_status cannot_write(const char *path, int code, struct noe_error *error) {
    return status_set(error, NOE_IO, "cannot write '%s': %s", path, strerror(code));
}

/* Length of the directory part of a path, with its slash; 0 if there is none. */
static size_t directory_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* The path at which a chain of symbolic links ends, even if there is no file. */
static char *follow_links(const char *path) {
    char *now = strdup(path);
    char target[PATH_MAX];
    for (int i = 0; now; i++) {
        const ssize_t length = readlink(now, target, sizeof target - 1);
        if (length < 0) return now;
        target[length] = 0;
        const size_t keep = target[0] == '/' ? 0 : directory_length(now);
        char *next = i < LINKS_MAX ? malloc(keep + (size_t)length + 1) : NULL;
        if (next) {
            memcpy(next, now, keep);
            strcpy(next + keep, target);
        } else {
            errno = i < LINKS_MAX ? ENOMEM : ELOOP;
        }
        free(now);
        now = next;
    }
    return now;
}

/* Chooses a name `.base.pid.part` beside the final path that is not in use. Returns 0 or an
 * errno. */
static int name_temporary(struct atomic_file *place) {
    const int directory = (int)directory_length(place->final);
    const size_t room = strlen(place->final) + 64;
    place->temporary = malloc(room);
    if (!place->temporary) return ENOMEM;
    for (int i = 0; i < TRIES_MAX; i++) {
        const int length =
            snprintf(place->temporary, room, "%.*s.%.*s.%ld", directory, place->final, BASE_MAX,
                     place->final + directory, (long)getpid());
        char *rest = place->temporary + length;
        if (i == 0)
            strcpy(rest, ".part");
        else
            snprintf(rest, room - (size_t)length, ".%d.part", i);
        if (faccessat(AT_FDCWD, place->temporary, F_OK, AT_SYMLINK_NOFOLLOW) != 0) return 0;
    }
    return EEXIST;
}

/* Removes the file if its process has ended and no process holds its lock, which lasts as long as a
 * writer on another machine. */
static void remove_abandoned(int directory, const char *name, long process) {
    struct stat info;
    if (process <= 0 || kill((pid_t)process, 0) == 0 || errno != ESRCH) return;
    const int file = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
        flock(file, LOCK_EX | LOCK_NB) == 0)
        unlinkat(directory, name, 0);
    close(file);
}

/* Removes the temporary files of this path that killed processes left. */
static void remove_leftovers(const struct atomic_file *place) {
    const size_t directory = directory_length(place->final);
    char above[PATH_MAX] = ".", start[BASE_MAX + 3];
    if (directory >= sizeof above) return;
    if (directory) snprintf(above, sizeof above, "%.*s", (int)directory, place->final);
    DIR *listing = opendir(above);
    snprintf(start, sizeof start, ".%.*s.", BASE_MAX, place->final + directory);
    for (struct dirent *at; listing && (at = readdir(listing));) {
        const size_t length = strlen(start);
        if (strncmp(at->d_name, start, length) != 0) continue;
        const char *rest = at->d_name + length + strspn(at->d_name + length, "0123456789.");
        if (rest > at->d_name + length && strcmp(rest, "part") == 0)
            remove_abandoned(dirfd(listing), at->d_name, atol(at->d_name + length));
    }
    if (listing) closedir(listing);
}

/* Examines the file at the path, if any, and chooses the temporary name. Returns 0 or an errno. */
static int find(struct atomic_file *place, const char *path) {
    const size_t length = strlen(path);
    struct stat found;
    if (length == 0) return ENOENT;
    if (path[length - 1] == '/') return EISDIR;
    if (stat(path, &found) != 0) {
        if (errno != ENOENT) return errno;
        place->final = follow_links(path);
        return place->final ? name_temporary(place) : errno;
    }
    if (S_ISDIR(found.st_mode)) return EISDIR;
    if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0) return errno;
    if (!S_ISREG(found.st_mode)) return 0;
    place->mode = found.st_mode;
    place->final = realpath(path, NULL);
    return place->final ? name_temporary(place) : errno;
}

static void release(struct atomic_file *place) {
    free(place->shown);
    free(place->final);
    free(place->temporary);
    free(place);
}

enum noe_status atomic_file_prepare(struct atomic_file **made, const char *path,
                                    struct noe_error *error) {
    *made = NULL;
    struct atomic_file *place = calloc(1, sizeof *place);
    if (place) place->shown = strdup(path);
    if (!place || !place->shown) {
        free(place);
        return status_set(error, NOE_NO_MEMORY, "out of memory");
    }
    place->descriptor = -1;
    const int code = find(place, path);
    if (code) {
        release(place);
        return cannot_write(path, code, error);
    }
    *made = place;
    return NOE_OK;
}

enum noe_status atomic_file_create(struct atomic_file *place, struct noe_error *error) {
    place->descriptor = place->temporary ? open(place->temporary,
                                                O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)0666)
                                         : open(place->shown, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (place->descriptor < 0) return cannot_write(place->shown, errno, error);
    if (place->temporary) flock(place->descriptor, LOCK_EX | LOCK_NB);
    if (place->mode) fchmod(place->descriptor, place->mode & 0777); /* same permissions */
    return NOE_OK;
}

enum noe_status atomic_file_open(struct atomic_file **made, const char *path,
                                 struct noe_error *error) {
    enum noe_status status = atomic_file_prepare(made, path, error);
    if (status == NOE_OK) status = atomic_file_create(*made, error);
    if (status == NOE_OK) return NOE_OK;
    atomic_file_discard(*made);
    *made = NULL;
    return status;
}

void atomic_file_unlock(const struct atomic_file *place) {
    if (place->temporary) flock(place->descriptor, LOCK_UN);
}

int atomic_file_descriptor(const struct atomic_file *place) { return place->descriptor; }

const char *atomic_file_temporary(const struct atomic_file *place) { return place->temporary; }

bool atomic_file_is_regular(const struct atomic_file *place) { return place->temporary != NULL; }

void atomic_file_reserve(struct atomic_file *place, size_t size) {
    const off_t length = (off_t)size;
    if (length < 0 || (size_t)length != size) {
        atomic_file_fail(place, EFBIG);
    } else if (length > 0 && fallocate(place->descriptor, 0, 0, length) != 0 &&
               (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
        atomic_file_fail(place, errno); /* other errors: preallocation is not supported */
    }
}

void atomic_file_fail(struct atomic_file *place, int code) {
    if (!place->failure) place->failure = code;
}

enum noe_status atomic_file_status(const struct atomic_file *place, struct noe_error *error) {
    return place->failure ? cannot_write(place->shown, place->failure, error) : NOE_OK;
}

enum noe_status atomic_file_write(struct atomic_file *place, const void *data, size_t size,
                                  struct noe_error *error) {
    const char *at = data;
    while (size > 0 && !place->failure) {
        const ssize_t written = write(place->descriptor, at, size);
        if (written >= 0) {
            at += written;
            size -= (size_t)written;
        } else if (errno != EINTR) {
            atomic_file_fail(place, errno);
        }
    }
    return atomic_file_status(place, error);
}

enum noe_status atomic_file_commit(struct atomic_file *place, struct noe_error *error) {
    const bool is_regular = atomic_file_is_regular(place);
    if (is_regular && !place->failure && fsync(place->descriptor) != 0)
        atomic_file_fail(place, errno);
    if (close(place->descriptor) != 0) atomic_file_fail(place, errno);
    if (is_regular && !place->failure && rename(place->temporary, place->final) != 0)
        atomic_file_fail(place, errno);
    if (is_regular && place->failure) unlink(place->temporary);
    if (is_regular && !place->failure) remove_leftovers(place);
    const enum noe_status status = atomic_file_status(place, error);
    release(place);
    return status;
}

void atomic_file_discard(struct atomic_file *place) {
    if (!place) return;
    if (place->descriptor >= 0) {
        close(place->descriptor);
        if (place->temporary) unlink(place->temporary);
    }
    release(place);
}
