/* Content-addressed cache of compiled models: <key>.so, which ends with its own checksum, and
 * <key>.c, its source text. Both appear by rename and are never changed afterwards. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "model/jit/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/codegen/model_abi.h"
#include "model/jit/cache_directory.h"
#include "model/jit/compile.h"
#include "noether.h"

/* --- Keys: FNV-1a hash of 128 bits. */

typedef unsigned __int128 hash;

static hash hash_start(void) { return ((hash)0x6c62272e07bb0142u << 64) | 0x62b821756295c58du; }

static hash hash_bytes(hash sum, const char *bytes, size_t count) {
    const hash prime = ((hash)1 << 88) | 0x13b;
    for (size_t i = 0; i < count; i++) sum = (sum ^ (unsigned char)bytes[i]) * prime;
    return sum;
}

/* Includes the terminating zero byte, so that adjacent strings cannot be confused. */
static hash hash_word(hash sum, const char *word) {
    return hash_bytes(sum, word, strlen(word) + 1);
}

static void hash_print(hash sum, char text[CACHE_KEY]) {
    snprintf(text, CACHE_KEY, "%016llx%016llx", (unsigned long long)(sum >> 64),
             (unsigned long long)sum);
}

void cache_key(const struct cache_source *source, char key[CACHE_KEY]) {
    char abi[32];
    snprintf(abi, sizeof abi, "%d %zu", NOE_MODEL_ABI, sizeof(noe_real));
    hash sum = hash_word(hash_start(), NOE_VERSION);
    sum = hash_word(sum, abi);
    sum = hash_word(sum, source->compiler);
    sum = hash_word(sum, source->options);
    sum = hash_word(sum, source->libraries ? source->libraries : "");
    hash_print(hash_bytes(sum, source->text, source->length), key);
}

/* Length of the checksum at the end of a stored object. */
enum { TRAILER = 48 };

/* The checksum includes the key, so an intact object under a wrong name is rejected too. */
static void make_trailer(const char *key, const char *bytes, size_t count,
                         char trailer[TRAILER + 1]) {
    char sum[CACHE_KEY];
    hash_print(hash_bytes(hash_word(hash_start(), key), bytes, count), sum);
    snprintf(trailer, TRAILER + 1, "\nnoether-model\n%s\n", sum);
}

/* --- Files. */

static bool entry_path(const struct cache *cache, const char *key, const char *ending,
                       char path[CACHE_PATH]) {
    const int length = snprintf(path, CACHE_PATH, "%s/%s%s", cache->directory, key, ending);
    return length > 0 && length < CACHE_PATH;
}

/* Reason to refuse an entry, or NULL. */
static const char *objection(const struct stat *about) {
    if (!S_ISREG(about->st_mode)) return "it is not a regular file";
    if (about->st_uid != geteuid()) return "it belongs to another user";
    if (about->st_mode & (S_IWGRP | S_IWOTH)) return "others may write to it";
    return NULL;
}

/* Reads a whole regular file that only this user may write. NULL on failure, with a reason if the
 * file is refused. Opening does not wait for the writer of a FIFO. */
static char *read_file(const char *path, size_t *length, const char **why) {
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    *why = NULL;
    if (file < 0) return NULL;
    struct stat about;
    char *bytes = NULL;
    if (fstat(file, &about) == 0 && !(*why = objection(&about))) {
        *length = (size_t)about.st_size;
        bytes = malloc(*length + 1);
        if (!bytes) *why = "there is no memory to read it";
    }
    for (size_t have = 0; bytes && have < *length;) {
        const ssize_t count = read(file, bytes + have, *length - have);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            free(bytes);
            bytes = NULL;
        } else {
            have += (size_t)count;
        }
    }
    close(file);
    return bytes;
}

static bool write_file(const char *path, int flags, const char *bytes, size_t count) {
    const int file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
    if (file < 0) return false;
    const bool is_private = fchmod(file, 0600) == 0; /* whatever the umask and the compiler did */
    while (is_private && count > 0) {
        const ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        bytes += written;
        count -= (size_t)written;
    }
    return (close(file) == 0) & is_private & (count == 0);
}

static bool is_whole_object(const char *path, const char *key, const char **why) {
    size_t length = 0;
    char *bytes = read_file(path, &length, why);
    bool is_whole = bytes && length > TRAILER;
    if (is_whole) {
        char trailer[TRAILER + 1];
        make_trailer(key, bytes, length - TRAILER, trailer);
        is_whole = memcmp(bytes + length - TRAILER, trailer, TRAILER) == 0;
    }
    free(bytes);
    return is_whole;
}

static bool is_text(const char *path, const struct cache_source *source, const char **why) {
    size_t length = 0;
    char *bytes = read_file(path, &length, why);
    const bool is_same =
        bytes && length == source->length && memcmp(bytes, source->text, length) == 0;
    free(bytes);
    return is_same;
}

bool cache_find(struct cache *cache, const char *key, const struct cache_source *source,
                char path[CACHE_PATH]) {
    const char *why = NULL;
    if (!(entry_path(cache, key, ".c", path) && is_text(path, source, &why) &&
          entry_path(cache, key, ".so", path) && is_whole_object(path, key, &why))) {
        if (why && !cache->note[0])
            snprintf(cache->note, sizeof cache->note,
                     "'%.200s' in the cache was not used but compiled anew: %s", path, why);
        return false;
    }
    utimensat(AT_FDCWD, path, NULL, 0); /* so that entries not used recently are removed first */
    return true;
}

void cache_remove(const struct cache *cache, const char *key) {
    char path[CACHE_PATH];
    if (entry_path(cache, key, ".so", path)) unlink(path);
    if (entry_path(cache, key, ".c", path)) unlink(path);
}

/* --- Building an entry in a directory of its own within the cache. */

struct building {
    char directory[CACHE_PATH], source[CACHE_PATH + 16], object[CACHE_PATH + 16];
};

static bool begin(struct building *building, const struct cache *cache) {
    if (!entry_path(cache, CACHE_BUILDING, "XXXXXX", building->directory) ||
        !mkdtemp(building->directory) || chmod(building->directory, 0700) != 0) {
        return false;
    }
    snprintf(building->source, sizeof building->source, "%s/model.c", building->directory);
    snprintf(building->object, sizeof building->object, "%s/model.so", building->directory);
    return true;
}

static void end(const struct building *building) {
    unlink(building->source);
    unlink(building->object);
    rmdir(building->directory);
}

static bool seal(const char *path, const char *key) {
    size_t length = 0;
    const char *why;
    /* The compiler gives the mode that the umask leaves. */
    if (chmod(path, 0600) != 0) return false;
    char trailer[TRAILER + 1], *bytes = read_file(path, &length, &why);
    if (!bytes) return false;
    make_trailer(key, bytes, length, trailer);
    free(bytes);
    return write_file(path, O_APPEND, trailer, TRAILER);
}

/* Renames `by` to `path`, and replaces an existing file or empty directory. */
static bool replace(const char *path, const char *by) {
    return rename(by, path) == 0 || (errno == EISDIR && rmdir(path) == 0 && rename(by, path) == 0);
}

static bool put_in_place(const struct building *building, const struct cache *cache,
                         const char *key, char path[CACHE_PATH]) {
    char text_path[CACHE_PATH];
    return entry_path(cache, key, ".c", text_path) && entry_path(cache, key, ".so", path) &&
           replace(text_path, building->source) && replace(path, building->object);
}

bool cache_add(const struct cache *cache, const char *key, const struct cache_source *source,
               char path[CACHE_PATH], size_t note_size, char *note) {
    struct building building;
    bool is_kept = false;
    if (!begin(&building, cache)) {
        snprintf(note, note_size, "cannot write to '%.200s': %s", cache->directory,
                 strerror(errno));
        return false;
    }
    if (!write_file(building.source, O_CREAT | O_EXCL, source->text, source->length)) {
        snprintf(note, note_size, "cannot write '%.200s': %s", building.source, strerror(errno));
    } else if (compile_file(&(struct compile_file){source->compiler, source->options,
                                                   source->libraries, building.source,
                                                   building.object, source->interrupt},
                            note_size, note)) {
        is_kept = seal(building.object, key) && put_in_place(&building, cache, key, path);
        if (!is_kept) {
            snprintf(note, note_size, "cannot keep the compiled model in '%.200s': %s",
                     cache->directory, strerror(errno));
        }
    }
    end(&building);
    if (is_kept) cache_directory_trim(cache->directory);
    return is_kept;
}

/* --- The directory. */

bool cache_open(struct cache *cache, const char *wanted) {
    *cache = (struct cache){0};
    if (cache_directory_user(wanted, cache->directory, cache->note)) return true;
    cache->is_private = cache_directory_private(cache->directory);
    if (cache->is_private) return true;
    const size_t used = strlen(cache->note);
    snprintf(cache->note + used, sizeof cache->note - used,
             "; no temporary directory can be made either: %s", strerror(errno));
    return false;
}

void cache_close(struct cache *cache) {
    if (cache->is_private) cache_directory_remove(cache->directory);
    *cache = (struct cache){0};
}
