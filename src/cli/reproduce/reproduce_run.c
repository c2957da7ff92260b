/* Runs one experiment: its commands as processes, then comparisons, then figures. The result is
 * written to result.json. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"
#include "cli/reproduce/reproduce.h"
#include "output/json_writer.h"

extern char **environ;

enum { MESSAGE = 400, SHAPES_MOST = 600000 /* bytes */ };

struct outcome {
    int exit_status; /* -1: not started, or ended by a signal */
    double seconds;
    char message[MESSAGE]; /* first line of standard error */
};

struct comparison_outcome {
    bool is_skipped, holds;
    real value, expected, tolerance; /* NaN: none */
    char *words;                     /* the value if it is a string */
    struct noe_error error;
};

struct worker {
    const struct reproduce_experiment *experiment;
    const char *folder;
    bool is_quick, has_failed; /* has_failed: a run had an unexpected exit status */
    struct reproduce_outputs outputs;
    struct outcome run[REPRODUCE_RUNS];
    struct outcome picture[REPRODUCE_PICTURES];
    const char *kind[REPRODUCE_PICTURES]; /* file extensions of the figures */
    struct comparison_outcome comparison[REPRODUCE_COMPARISONS];
};

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool reproduce_cut_words(char *line, int *count, char **word) {
    for (char *at = line; *at;) {
        at += strspn(at, " ");
        if (!*at) break;
        if (*count == REPRODUCE_WORDS_MAX) return false;
        char *out = word[(*count)++] = at;
        for (char quote = 0; *at && (quote || *at != ' '); at++)
            if (*at == quote)
                quote = 0;
            else if (!quote && (*at == '"' || *at == '\''))
                quote = *at;
            else
                *out++ = *at;
        if (*at) at++;
        *out = 0;
    }
    return true;
}

/* Starts this program with the arguments `word` in the experiment's directory and waits for its
 * end. */
static int run_words(const struct worker *worker, char **word, const char *output,
                     const char *errors) {
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, flags, 0666);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, flags, 0666);
    posix_spawn_file_actions_addchdir_np(&actions, worker->folder);
    const int code = posix_spawn(&child, self, &actions, NULL, word, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0) return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Reads the first line that a process wrote to standard error. */
static void read_message(const char *path, char *message) {
    FILE *file = fopen(path, "r");
    message[0] = 0;
    if (!file) return;
    if (!fgets(message, MESSAGE, file)) message[0] = 0;
    message[strcspn(message, "\n")] = 0;
    fclose(file);
}

/* Runs "command extra more" with its output in folder/name.json. */
static void run_command(const struct worker *worker, const char *command, const char *extra,
                        const char *more, const char *name, struct outcome *outcome) {
    char line[4096], file[128], *word[REPRODUCE_WORDS_MAX + 1] = {0};
    int count = 0;
    const double from = seconds_now();
    snprintf(line, sizeof line, "%s %s %s", command, extra ? extra : "", more);
    snprintf(file, sizeof file, "%s.json", name);
    char *output = reproduce_path(worker->folder, file);
    snprintf(file, sizeof file, "%s.err", name);
    char *errors = reproduce_path(worker->folder, file);
    outcome->exit_status = -1;
    if (output && errors && reproduce_cut_words(line, &count, word)) {
        outcome->exit_status = run_words(worker, word, output, errors);
        read_message(errors, outcome->message);
        unlink(errors);
    }
    outcome->seconds = seconds_now() - from;
    free(output);
    free(errors);
}

static const char *quick_words(const struct worker *worker, const char *quick) {
    return worker->is_quick ? quick : NULL;
}

static void run_all(struct worker *worker) {
    const struct reproduce_experiment *experiment = worker->experiment;
    for (int i = 0; i < experiment->nruns; i++) {
        const struct reproduce_run *run = &experiment->run[i];
        char file[REPRODUCE_NAME + 8];
        run_command(worker, run->command, quick_words(worker, run->quick), "--json", run->name,
                    &worker->run[i]);
        snprintf(file, sizeof file, "%.*s.json", REPRODUCE_NAME, run->name);
        char *path = reproduce_path(worker->folder, file);
        worker->outputs.output[i] = path ? reproduce_read_text(path) : NULL;
        free(path);
        if (worker->run[i].exit_status != run->exit_status) worker->has_failed = true;
    }
}

/* Draws figure i as `kind`. Returns its size in bytes, or 0 on failure. */
static long draw_as(struct worker *worker, int i, const char *kind) {
    const struct reproduce_picture *picture = &worker->experiment->picture[i];
    struct stat info;
    char name[32], output[80], file[64];
    snprintf(name, sizeof name, "picture_%d", i + 1);
    snprintf(file, sizeof file, "%s.%s", name, kind);
    snprintf(output, sizeof output, "-o %s", file);
    char *drawn = reproduce_path(worker->folder, file);
    if (drawn) unlink(drawn);
    run_command(worker, picture->command, quick_words(worker, picture->quick), output, name,
                &worker->picture[i]);
    const long size = drawn && stat(drawn, &info) == 0 ? (long)info.st_size : 0;
    snprintf(file, sizeof file, "%s.json", name);
    char *said = reproduce_path(worker->folder, file);
    if (said) unlink(said); /* only the figure file is needed */
    free(said);
    free(drawn);
    return size;
}

/* Point clouds are drawn as bitmaps, because vector graphics would make the report large. */
static void draw_all(struct worker *worker) {
    for (int i = 0; i < worker->experiment->npictures; i++) {
        worker->kind[i] = "svg";
        if (draw_as(worker, i, "svg") <= SHAPES_MOST) continue;
        worker->kind[i] = "png";
        draw_as(worker, i, "png");
    }
}

static enum noe_status numbers(const struct worker *worker,
                               const struct reproduce_comparison *comparison,
                               const struct reproduce_test *test, struct comparison_outcome *out) {
    const struct reproduce_outputs *outputs = &worker->outputs;
    enum noe_status status =
        reproduce_value_number(outputs, comparison->left, &out->value, &out->error);
    if (status == NOE_OK)
        status = reproduce_value_number(outputs, test->right, &out->expected, &out->error);
    if (status == NOE_OK && test->tolerance)
        status = reproduce_value_number(outputs, test->tolerance, &out->tolerance, &out->error);
    if (status == NOE_OK && test->is_relative) out->tolerance *= noe_abs(out->expected) / 100;
    return status;
}

static bool test_holds(const struct reproduce_test *test, const struct comparison_outcome *out) {
    switch (test->relation) {
    case REPRODUCE_EQUAL: return noe_abs(out->value - out->expected) <= out->tolerance;
    case REPRODUCE_BELOW: return out->value < out->expected;
    case REPRODUCE_ABOVE: return out->value > out->expected;
    case REPRODUCE_BETWEEN: return out->value >= out->expected && out->value <= out->tolerance;
    default: return out->words && strcmp(out->words, test->right) == 0;
    }
}

static const struct reproduce_test *test_of(const struct worker *worker,
                                            const struct reproduce_comparison *comparison) {
    return worker->is_quick && comparison->has_quick ? &comparison->quick : &comparison->test;
}

static void compare_all(struct worker *worker) {
    const struct reproduce_experiment *experiment = worker->experiment;
    for (int i = 0; i < experiment->ncomparisons; i++) {
        const struct reproduce_comparison *comparison = &experiment->comparison[i];
        struct comparison_outcome *out = &worker->comparison[i];
        const struct reproduce_test *test = test_of(worker, comparison);
        out->is_skipped = worker->is_quick && comparison->is_skipped;
        out->value = out->expected = out->tolerance = (real)NAN;
        if (out->is_skipped) continue;
        const enum noe_status status =
            test->relation == REPRODUCE_WORDS
                ? reproduce_value_words(&worker->outputs, comparison->left, &out->words,
                                        &out->error)
                : numbers(worker, comparison, test, out);
        out->holds = status == NOE_OK && test_holds(test, out);
    }
}

static void write_run(const struct worker *worker, struct json *json, int i) {
    const struct reproduce_run *run = &worker->experiment->run[i];
    const struct outcome *outcome = &worker->run[i];
    json_object(json, NULL);
    json_string(json, "name", run->name);
    json_string(json, "command", run->command);
    json_string(json, "quick", quick_words(worker, run->quick));
    json_integer(json, "exit", outcome->exit_status);
    json_integer(json, "expected_exit", run->exit_status);
    json_string(json, "message", outcome->message);
    json_real(json, "seconds", (real)outcome->seconds);
    json_end(json);
}

static const char *relation_word(enum reproduce_relation relation) {
    static const char *const words[] = {"=", "<", ">", "in", "is"};
    return words[relation];
}

static void write_comparison(const struct worker *worker, struct json *json, int i) {
    const struct reproduce_comparison *comparison = &worker->experiment->comparison[i];
    const struct comparison_outcome *out = &worker->comparison[i];
    const struct reproduce_test *test = test_of(worker, comparison);
    json_object(json, NULL);
    json_string(json, "label", comparison->label);
    json_string(json, "expression", comparison->left);
    json_string(json, "relation", relation_word(test->relation));
    if (test->relation == REPRODUCE_WORDS) {
        json_string(json, "value", out->words);
        json_string(json, "expected", test->right);
    } else {
        json_real(json, "value", out->value);
        json_real(json, "expected", out->expected);
        json_string(json, "expected_text", test->right);
        json_real(json, "difference", out->value - out->expected);
        json_real(json, "tolerance", out->tolerance);
    }
    json_string(json, "published", comparison->published);
    json_string(json, "under", comparison->under);
    json_bool(json, "skipped", out->is_skipped);
    json_bool(json, "holds", out->holds);
    json_string(json, "message", out->error.status != NOE_OK ? out->error.text : "");
    json_end(json);
}

/* "reproduced", ..., or "FAILED" if a comparison does not hold. */
static const char *verdict_now(const struct worker *worker, const struct reproduce_claim *claim) {
    bool holds = !worker->has_failed;
    int checked = 0;
    for (int i = claim->first; i < claim->first + claim->ncomparisons; i++) {
        checked += !worker->comparison[i].is_skipped;
        holds &= worker->comparison[i].is_skipped || worker->comparison[i].holds;
    }
    return !holds         ? "FAILED"
           : checked == 0 ? "not checked"
                          : reproduce_verdict_word(claim->verdict);
}

static void write_claim(const struct worker *worker, struct json *json, int i) {
    const struct reproduce_claim *claim = &worker->experiment->claim[i];
    json_object(json, NULL);
    json_string(json, "keys", claim->keys);
    json_string(json, "published", claim->published);
    json_string(json, "stated", reproduce_verdict_word(claim->verdict));
    json_string(json, "verdict", verdict_now(worker, claim));
    json_string(json, "reason", claim->reason);
    json_array(json, "comparisons");
    for (int k = claim->first; k < claim->first + claim->ncomparisons; k++)
        write_comparison(worker, json, k);
    json_end(json);
    json_end(json);
}

static void write_picture(const struct worker *worker, struct json *json, int i) {
    const struct reproduce_picture *picture = &worker->experiment->picture[i];
    const struct outcome *outcome = &worker->picture[i];
    char file[64], *path;
    snprintf(file, sizeof file, "picture_%d.%s", i + 1, worker->kind[i]);
    path = reproduce_path(worker->folder, file);
    const bool is_there = path && access(path, R_OK) == 0;
    free(path);
    json_object(json, NULL);
    json_string(json, "title", picture->title);
    json_string(json, "command", picture->command);
    json_string(json, "quick", quick_words(worker, picture->quick));
    json_string(json, "file", is_there ? file : NULL);
    json_string(json, "message", is_there ? "" : outcome->message);
    json_real(json, "seconds", (real)outcome->seconds);
    json_end(json);
}

static void write_result(const struct worker *worker, struct json *json, const char *digest,
                         double seconds) {
    const struct reproduce_experiment *experiment = worker->experiment;
    json_object(json, NULL);
    json_string(json, "name", experiment->name);
    json_string(json, "title", experiment->title);
    json_string(json, "source", experiment->source);
    json_string(json, "about", experiment->about);
    json_string(json, "digest", digest);
    json_bool(json, "quick", worker->is_quick);
    json_real(json, "seconds", (real)seconds);
    json_array(json, "chosen");
    for (int i = 0; i < experiment->nchoices; i++) {
        json_object(json, NULL);
        json_string(json, "what", experiment->choice[i].what);
        json_string(json, "why", experiment->choice[i].why);
        json_end(json);
    }
    json_end(json);
    json_array(json, "runs");
    for (int i = 0; i < experiment->nruns; i++) write_run(worker, json, i);
    json_end(json);
    json_array(json, "claims");
    for (int i = 0; i < experiment->nclaims; i++) write_claim(worker, json, i);
    json_end(json);
    json_array(json, "pictures");
    for (int i = 0; i < experiment->npictures; i++) write_picture(worker, json, i);
    json_end(json);
    json_end(json);
}

static bool copy_file(const char *from, const char *to) {
    char *text = reproduce_read_text(from);
    const bool is_written = text && cli_write_file(to, text) == CLI_DONE;
    free(text);
    return is_written;
}

/* Copies all files of the experiment, because commands run beside them. */
static bool copy_files(const struct worker *worker) {
    DIR *directory = opendir(worker->experiment->folder);
    bool is_done = directory != NULL;
    struct dirent *entry;
    while (is_done && (entry = readdir(directory))) {
        if (entry->d_name[0] == '.') continue;
        char *from = reproduce_path(worker->experiment->folder, entry->d_name);
        char *to = reproduce_path(worker->folder, entry->d_name);
        is_done = from && to && copy_file(from, to);
        free(from);
        free(to);
    }
    if (directory) closedir(directory);
    return is_done;
}

static void worker_clear(struct worker *worker) {
    for (int i = 0; i < REPRODUCE_RUNS; i++) free(worker->outputs.output[i]);
    for (int i = 0; i < REPRODUCE_COMPARISONS; i++) free(worker->comparison[i].words);
    free(worker);
}

static int save(const struct worker *worker, const char *digest, double seconds) {
    struct json json;
    json_init(&json);
    write_result(worker, &json, digest, seconds);
    const char *text = json_text(&json);
    char *path = reproduce_path(worker->folder, "result.json");
    const int exit = text && path ? cli_write_file(path, text) : CLI_ENVIRONMENT;
    free(path);
    json_clear(&json);
    return exit;
}

int reproduce_work(const struct reproduce_experiment *experiment, const char *folder, bool is_quick,
                   const char *digest) {
    const double from = seconds_now();
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker) return CLI_ENVIRONMENT;
    worker->experiment = worker->outputs.experiment = experiment;
    worker->folder = worker->outputs.folder = folder;
    worker->is_quick = is_quick;
    int exit = copy_files(worker) ? CLI_DONE : CLI_ENVIRONMENT;
    if (!exit) {
        run_all(worker);
        compare_all(worker);
        draw_all(worker);
        exit = save(worker, digest, seconds_now() - from);
    }
    worker_clear(worker);
    return exit;
}
