/* Directories of the experiments and of their results. */
/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/reproduce/reproduce.h"

static const char marker[] = "noether-reproduce"; /* marks a directory of results */

static bool is_directory(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

int reproduce_directory_find(char *folder, size_t size) {
    static const char *const places[] = {"../experiments", "../share/noether/experiments"};
    const char *asked = getenv("NOETHER_EXPERIMENTS");
    char self[PATH_MAX];
    if (asked && *asked) {
        snprintf(folder, size, "%s", asked);
        if (is_directory(folder)) return CLI_DONE;
        cli_say("NOETHER_EXPERIMENTS: there is no directory '%s'", asked);
        return CLI_ENVIRONMENT;
    }
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash) *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(folder, size, "%s/%s", self, places[i]);
        if (is_directory(folder)) return CLI_DONE;
    }
    cli_say("the experiments are not beside this program; NOETHER_EXPERIMENTS names their "
            "directory");
    return CLI_ENVIRONMENT;
}

static int is_experiment(const struct dirent *entry) { return entry->d_name[0] != '.'; }

int reproduce_directory_names(const char *folder, int *count, char ***names) {
    struct dirent **entry = NULL;
    const int n = scandir(folder, &entry, is_experiment, alphasort);
    *count = 0;
    *names = n >= 0 ? calloc((size_t)n + 1, sizeof **names) : NULL;
    for (int i = 0; i < n; i++) {
        char *inside = reproduce_path(folder, entry[i]->d_name);
        char *file = inside ? reproduce_path(inside, "experiment") : NULL;
        if (*names && file && access(file, R_OK) == 0)
            (*names)[(*count)++] = strdup(entry[i]->d_name);
        free(inside);
        free(file);
        free(entry[i]);
    }
    free(entry);
    if (*names) return CLI_DONE;
    cli_say("%s cannot be read: %s", folder, strerror(errno));
    return CLI_ENVIRONMENT;
}

static int make(const char *path) {
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && is_directory(path))) return CLI_DONE;
    cli_say("the directory %s cannot be made: %s", path, strerror(errno));
    return CLI_ENVIRONMENT;
}

static bool is_empty(const char *path) {
    struct dirent **entry = NULL;
    const int n = scandir(path, &entry, is_experiment, NULL);
    for (int i = 0; i < n; i++) free(entry[i]);
    free(entry);
    return n == 0;
}

int reproduce_directory_open(const char *directory, bool is_forced) {
    int exit = make(directory);
    char *path = reproduce_path(directory, marker);
    if (!path) return CLI_ENVIRONMENT;
    const bool is_ours = access(path, F_OK) == 0;
    if (!exit && !is_ours && !is_forced && !is_empty(directory)) {
        cli_say("%s is not empty and holds no results of an earlier call; --force writes into it "
                "nevertheless",
                directory);
        exit = CLI_USAGE;
    }
    if (!exit && !is_ours)
        exit = cli_write_file(path, "Results of 'noether reproduce'; the page is report.html.\n");
    free(path);
    return exit;
}

int reproduce_directory_make(const char *directory, const char *name, char **folder) {
    *folder = reproduce_path(directory, name);
    if (*folder) return make(*folder);
    return cli_no_memory();
}

static void mix(uint64_t *hash, const void *data, size_t size) { /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ ((const unsigned char *)data)[i]) * UINT64_C(1099511628211);
}

/* Hash of the names and contents of the files, and of the size and time of the program. */
void reproduce_directory_digest(const char *folder, bool is_quick, char digest[REPRODUCE_DIGEST]) {
    uint64_t hash = UINT64_C(14695981039346656037);
    struct dirent **entry = NULL;
    struct stat self;
    const int n = scandir(folder, &entry, is_experiment, alphasort);
    for (int i = 0; i < n; i++) {
        char *path = reproduce_path(folder, entry[i]->d_name);
        char *text = reproduce_read_text(path);
        mix(&hash, entry[i]->d_name, strlen(entry[i]->d_name) + 1);
        if (text) mix(&hash, text, strlen(text) + 1);
        free(text);
        free(path);
        free(entry[i]);
    }
    free(entry);
    mix(&hash, &is_quick, sizeof is_quick);
    if (stat("/proc/self/exe", &self) == 0) {
        mix(&hash, &self.st_size, sizeof self.st_size);
        mix(&hash, &self.st_mtim, sizeof self.st_mtim);
    }
    snprintf(digest, REPRODUCE_DIGEST, "%016llx", (unsigned long long)hash);
}
