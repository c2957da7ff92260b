/* Cache directory of compiled models: location, permissions and size limit. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "model/jit/cache_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    ENTRIES_MAX = 256,
    KEY_LENGTH = CACHE_KEY - 1,
    STALE_SECONDS = 24 * 3600 /* an older building directory was left by an aborted run */
};

static const char *environment(const char *name) {
    const char *value = secure_getenv(name);
    return value && *value ? value : NULL;
}

/* --- Location. */

static bool choose(const char *wanted, char path[CACHE_PATH]) {
    const char *own = environment("NOETHER_CACHE"), *cache = environment("XDG_CACHE_HOME");
    const char *home = environment("HOME");
    int length = -1;
    if (wanted || own)
        length = snprintf(path, CACHE_PATH, "%s", wanted ? wanted : own);
    else if (cache && cache[0] == '/')
        length = snprintf(path, CACHE_PATH, "%s/noether", cache);
    else if (home && home[0] == '/')
        length = snprintf(path, CACHE_PATH, "%s/.cache/noether", home);
    return length > 0 && length < CACHE_PATH;
}

/* Makes a directory for this user only, whatever the umask, unless it exists. */
static bool make_directory(const char *path) {
    if (mkdir(path, 0700) != 0) return errno == EEXIST;
    return chmod(path, 0700) == 0;
}

/* Makes the directory and its missing parents, accessible to this user only. */
static bool make_directories(const char *path) {
    char part[CACHE_PATH];
    for (size_t i = 1; path[i]; i++) {
        if (path[i] != '/') continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (!make_directory(part) && errno != EROFS && errno != EACCES) return false;
    }
    return make_directory(path);
}

/* Reason to refuse the directory, or NULL. It, and a link to it, must be owned by this user, and no
 * one else may write to it. */
static const char *objection(const char *path) {
    struct stat link, directory;
    if (lstat(path, &link) != 0 || stat(path, &directory) != 0) return strerror(errno);
    if (!S_ISDIR(directory.st_mode)) return "it is not a directory";
    if (link.st_uid != geteuid() || directory.st_uid != geteuid()) {
        return "it belongs to another user";
    }
    if (directory.st_mode & (S_IWGRP | S_IWOTH)) return "others may write to it";
    if (access(path, R_OK | W_OK | X_OK) != 0) return strerror(errno);
    return NULL;
}

bool cache_directory_user(const char *wanted, char path[CACHE_PATH], char note[CACHE_NOTE]) {
    char stated[CACHE_PATH], real_path[PATH_MAX];
    if (!choose(wanted, stated)) {
        snprintf(note, CACHE_NOTE, "there is no cache directory: HOME is not set");
        return false;
    }
    size_t length = strlen(stated);
    /* lstat follows a link that ends with a slash. */
    while (length > 1 && stated[length - 1] == '/') stated[--length] = 0;
    const char *why = make_directories(stated) ? objection(stated) : strerror(errno);
    if (!why && (!realpath(stated, real_path) || strlen(real_path) >= CACHE_PATH)) {
        why = strerror(errno);
    }
    if (why) {
        snprintf(note, CACHE_NOTE, "the cache directory '%.200s' is not used: %s", stated, why);
        return false;
    }
    strcpy(path, real_path);
    return true;
}

bool cache_directory_private(char path[CACHE_PATH]) {
    const char *above = environment("TMPDIR");
    const int length =
        snprintf(path, CACHE_PATH, "%s/noether-XXXXXX", above && above[0] == '/' ? above : "/tmp");
    return length > 0 && length < CACHE_PATH && mkdtemp(path) != NULL && chmod(path, 0700) == 0;
}

/* --- Contents. */

/* True if the name is <32 hexadecimal digits> followed by `ending`. */
static bool is_entry(const char *name, const char *ending) {
    return strspn(name, "0123456789abcdef") == KEY_LENGTH && strcmp(name + KEY_LENGTH, ending) == 0;
}

static void remove_entry(int directory, const char *key) {
    char name[KEY_LENGTH + 4];
    snprintf(name, sizeof name, "%.*s.so", KEY_LENGTH, key);
    unlinkat(directory, name, 0);
    snprintf(name, sizeof name, "%.*s.c", KEY_LENGTH, key);
    unlinkat(directory, name, 0);
}

void cache_directory_remove(const char *path) {
    DIR *listing = opendir(path);
    if (!listing) return;
    for (struct dirent *at; (at = readdir(listing));) {
        if (is_entry(at->d_name, ".so") || is_entry(at->d_name, ".c")) {
            unlinkat(dirfd(listing), at->d_name, 0);
        }
    }
    closedir(listing);
    rmdir(path);
}

struct kept {
    char key[CACHE_KEY];
    struct timespec used;
};

static int compare_kept(const void *a, const void *b) {
    const struct timespec x = ((const struct kept *)a)->used, y = ((const struct kept *)b)->used;
    if (x.tv_sec != y.tv_sec) return x.tv_sec < y.tv_sec ? -1 : 1;
    return (x.tv_nsec > y.tv_nsec) - (x.tv_nsec < y.tv_nsec);
}

static void remove_stale(int directory, const char *name) {
    struct stat about;
    if (strncmp(name, CACHE_BUILDING, strlen(CACHE_BUILDING)) != 0) return;
    if (fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(about.st_mode) ||
        time(NULL) - about.st_mtime < STALE_SECONDS) {
        return;
    }
    static const char *const files[] = {"model.c", "model.so"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[NAME_MAX + 16];
        snprintf(path, sizeof path, "%s/%s", name, files[i]);
        unlinkat(directory, path, 0);
    }
    unlinkat(directory, name, AT_REMOVEDIR);
}

/* Lists the entries. Returns their number, or -1 if memory ran out. */
static int list_entries(DIR *listing, struct kept **kept) {
    int count = 0, room = 0;
    *kept = NULL;
    for (struct dirent *at; (at = readdir(listing));) {
        struct stat about;
        remove_stale(dirfd(listing), at->d_name);
        if (!is_entry(at->d_name, ".so") ||
            fstatat(dirfd(listing), at->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        if (count == room) {
            room = 2 * room + ENTRIES_MAX;
            struct kept *grown = realloc(*kept, (size_t)room * sizeof **kept);
            if (!grown) return -1;
            *kept = grown;
        }
        memcpy((*kept)[count].key, at->d_name, KEY_LENGTH);
        (*kept)[count].key[KEY_LENGTH] = 0;
        (*kept)[count++].used = about.st_mtim;
    }
    return count;
}

void cache_directory_trim(const char *path) {
    DIR *listing = opendir(path);
    if (!listing) return;
    struct kept *kept = NULL;
    const int count = list_entries(listing, &kept);
    if (count > ENTRIES_MAX) {
        qsort(kept, (size_t)count, sizeof *kept, compare_kept);
        for (int i = 0; i < count - ENTRIES_MAX; i++) remove_entry(dirfd(listing), kept[i].key);
    }
    free(kept);
    closedir(listing);
}
