/* Runs the system's C compiler: search, options, child process and timeout. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "model/jit/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/program_path.h"

extern char **environ;

enum {
    LARGE = 100000, /* bytes of C above which -O2 takes twice the time without gain */
    SECONDS_MAX = 120,
    ARGUMENTS_MAX = 40,
    WORDS_MAX = 512,
    OUTPUT_MAX = 600, /* max stored bytes of the compiler's messages */
    TICK = 20,        /* milliseconds between polls of a silent compiler */
    LAST_TICK = 1     /* milliseconds between polls after it has closed its output */
};

/* No -march, because machines may share the cache. Callers add the options of the SIMD target if
 * SIMD lanes or more registers are worthwhile.
 * No built-in pow, because a constant argument must not change its result. */
#define OPTIONS " -std=gnu11 -w -fPIC -shared -ffp-contract=off -fno-math-errno -fno-builtin-pow"
#define STEPPER " -fwhole-program -fvisibility=hidden"
#ifdef NOE_QUAD
#define PRECISION " -DNOE_QUAD"
#define LIBRARIES "-lquadmath -lm"
#else
#define PRECISION ""
#define LIBRARIES "-lm"
#endif

const char *compile_options(size_t bytes, bool has_vectors) {
    if (has_vectors)
        return bytes > LARGE ? "-O1 -ftree-vectorize" OPTIONS PRECISION : "-O3" OPTIONS PRECISION;
    return bytes > LARGE ? "-O1" OPTIONS PRECISION : "-O2" OPTIONS PRECISION;
}

const char *compile_stepper_options(bool use_vectors) {
    return use_vectors ? "-O3" STEPPER OPTIONS PRECISION
                       : "-O3 -fno-tree-vectorize" STEPPER OPTIONS PRECISION;
}

/* --- Search. */

bool compile_find(size_t size, char *path, size_t note_size, char *note) {
    static const char *const names[] = {"cc", "gcc", "clang"};
    const char *wanted = secure_getenv("NOETHER_CC");
    if (wanted && *wanted) {
        if (!strchr(wanted, '/')) {
            if (program_path_find(wanted, size, path)) return true;
        } else if (strlen(wanted) < size && access(wanted, X_OK) == 0) {
            strcpy(path, wanted);
            return true;
        }
        snprintf(note, note_size, "the compiler '%.200s' that NOETHER_CC names cannot be run",
                 wanted);
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (program_path_find(names[i], size, path)) return true;
    }
    snprintf(note, note_size, "no C compiler (cc, gcc, clang) was found");
    return false;
}

/* --- Child process. */

struct run {
    pid_t pid;
    int from;     /* pipe with the compiler's messages, or -1 after its end */
    double until; /* deadline on the monotonic clock */
    size_t length;
    char output[OUTPUT_MAX];
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds_allowed(void) {
    const char *text = secure_getenv("NOETHER_CC_TIMEOUT");
    const double seconds = text ? atof(text) : 0;
    return seconds > 0 && seconds <= 86400 ? seconds : SECONDS_MAX;
}

/* Starts the compiler in its own process group, so that its children can be killed with it. Its
 * input is empty, its output goes to `to`, and its signal handling is the default. */
static int spawn(struct run *run, char *const *arguments, int to) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, default_value;
    sigemptyset(&none);
    sigemptyset(&default_value);
    sigaddset(&default_value, SIGINT);
    sigaddset(&default_value, SIGTERM);
    sigaddset(&default_value, SIGPIPE);
    if (posix_spawn_file_actions_init(&files) != 0) return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    int failed = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_adddup2(&files, to, 1);
    if (!failed) failed = posix_spawn_file_actions_adddup2(&files, to, 2);
    if (!failed) failed = posix_spawnattr_setpgroup(&attributes, 0);
    if (!failed) failed = posix_spawnattr_setsigmask(&attributes, &none);
    if (!failed) failed = posix_spawnattr_setsigdefault(&attributes, &default_value);
    if (!failed) {
        failed = posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    if (!failed) {
        failed = posix_spawn(&run->pid, arguments[0], &files, &attributes, arguments, environ);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

/* Polls the compiler's output and stores what it wrote. */
static void poll_output(struct run *run) {
    struct pollfd wanted = {.fd = run->from, .events = POLLIN};
    if (poll(&wanted, run->from >= 0, run->from >= 0 ? TICK : LAST_TICK) <= 0) return;
    char text[512];
    const ssize_t count = read(run->from, text, sizeof text);
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) {
        close(run->from);
        run->from = -1;
        return;
    }
    const size_t room = sizeof run->output - 1 - run->length;
    const size_t kept = (size_t)count < room ? (size_t)count : room;
    memcpy(run->output + run->length, text, kept);
    run->length += kept;
}

/* Waits for the compiler to exit. Kills it and returns false on timeout or interrupt. If the exit
 * status was collected elsewhere, success is assumed, because the object is checked later. */
static bool await(struct run *run, const volatile int *interrupt, int *status) {
    *status = 0;
    for (;;) {
        poll_output(run);
        const pid_t ended = waitpid(run->pid, status, WNOHANG);
        if (ended == run->pid || (ended < 0 && errno == ECHILD)) break;
        if (now() > run->until || (interrupt && *interrupt)) {
            kill(-run->pid, SIGKILL);
            waitpid(run->pid, status, 0);
            return false;
        }
    }
    return true;
}

static void describe(const struct run *run, const char *compiler, int status, size_t note_size,
                     char *note) {
    const char *message = strstr(run->output, "error: ");
    message = message ? message + strlen("error: ") : run->output;
    const int length = (int)strcspn(message, "\n");
    if (WIFSIGNALED(status)) {
        snprintf(note, note_size, "the compiler '%s' was ended by signal %d", compiler,
                 WTERMSIG(status));
    } else {
        snprintf(note, note_size, "the compiler '%s' failed with status %d%s%.*s", compiler,
                 WEXITSTATUS(status), length > 0 ? ": " : "", length < 200 ? length : 200, message);
    }
}

static bool run_compiler(char *const *arguments, const volatile int *interrupt, size_t note_size,
                         char *note) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        snprintf(note, note_size, "the compiler could not be started: %s", strerror(errno));
        return false;
    }
    const double seconds = seconds_allowed();
    struct run run = {.from = ends[0], .until = now() + seconds};
    const int failed = spawn(&run, arguments, ends[1]);
    close(ends[1]);
    int status = 0;
    bool is_done = false;
    if (failed) {
        snprintf(note, note_size, "the compiler '%s' could not be started: %s", arguments[0],
                 strerror(failed));
    } else if (!await(&run, interrupt, &status)) {
        if (interrupt && *interrupt)
            snprintf(note, note_size, "the compiler '%s' was interrupted", arguments[0]);
        else
            snprintf(note, note_size, "the compiler '%s' was ended after %g s", arguments[0],
                     seconds);
    } else {
        is_done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (!is_done) describe(&run, arguments[0], status, note_size, note);
    }
    if (run.from >= 0) close(run.from);
    return is_done;
}

/* Appends the blank-separated words of `text`, which is modified. */
static int add_words(char **argument, int count, char *text) {
    char *next = NULL;
    for (char *word = strtok_r(text, " ", &next); word; word = strtok_r(NULL, " ", &next))
        if (count < ARGUMENTS_MAX) argument[count++] = word;
    return count;
}

bool compile_file(const struct compile_file *file, size_t note_size, char *note) {
    char options[WORDS_MAX], libraries[WORDS_MAX], *argument[ARGUMENTS_MAX + 8];
    snprintf(options, sizeof options, "%s", file->options);
    snprintf(libraries, sizeof libraries, "%s " LIBRARIES, file->libraries ? file->libraries : "");
    int count = add_words(argument, 1, options);
    argument[0] = (char *)file->compiler;
    argument[count++] = "-o";
    argument[count++] = (char *)file->object;
    argument[count++] = (char *)file->source;
    count = add_words(argument, count, libraries);
    argument[count] = NULL;
    return run_compiler(argument, file->interrupt, note_size, note);
}
