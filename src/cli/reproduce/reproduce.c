/* noether reproduce: published experiments compared with computed results, with a verdict on
 * each. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"
#include "cli/reproduce/reproduce.h"
#include "output/json_reader.h"
#include "output/json_writer.h"

/* A requested experiment. */
struct task {
    struct reproduce_experiment *experiment;
    char *folder; /* directory of its results */
    char digest[REPRODUCE_DIGEST];
    pid_t worker; /* 0: not running */
    bool is_done, is_kept;
    char *result; /* the text of result.json */
};

struct campaign {
    const struct cli_settings *settings;
    char place[PATH_MAX];
    int nnames, ntasks;
    char **names;
    struct task *task;
    const char *directory;
    double began;
};

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int add_task(struct campaign *campaign, const char *name) {
    for (int i = 0; i < campaign->ntasks; i++)
        if (strcmp(campaign->task[i].experiment->name, name) == 0) return CLI_DONE;
    struct task *task = &campaign->task[campaign->ntasks++];
    char *folder = reproduce_path(campaign->place, name);
    if (!folder) return cli_no_memory();
    const int exit = reproduce_file_open(&task->experiment, folder, name);
    free(folder);
    return exit;
}

static int unknown(const struct campaign *campaign, const char *name) {
    const char *near = status_nearest(name, campaign->nnames, (const char *const *)campaign->names);
    if (near)
        cli_say("there is no experiment '%s' (did you mean '%s'?)", name, near);
    else
        cli_say("there is no experiment '%s'; 'noether reproduce --list' lists them", name);
    return CLI_USAGE;
}

static int choose(struct campaign *campaign) {
    const struct cli_settings *settings = campaign->settings;
    const bool takes_all =
        settings->list || (settings->nnames == 1 && strcmp(settings->names[0], "all") == 0);
    int exit = reproduce_directory_find(campaign->place, sizeof campaign->place);
    if (!exit)
        exit = reproduce_directory_names(campaign->place, &campaign->nnames, &campaign->names);
    if (exit) return exit;
    campaign->task = calloc((size_t)campaign->nnames + 1, sizeof *campaign->task);
    if (!campaign->task) return cli_no_memory();
    for (int i = 0; i < campaign->nnames && takes_all && !exit; i++)
        exit = add_task(campaign, campaign->names[i]);
    for (int k = 0; k < settings->nnames && !takes_all && !exit; k++) {
        bool is_known = false;
        for (int i = 0; i < campaign->nnames; i++)
            is_known |= strcmp(settings->names[k], campaign->names[i]) == 0;
        exit = is_known ? add_task(campaign, settings->names[k])
                        : unknown(campaign, settings->names[k]);
    }
    return exit;
}

static int list_json(const struct campaign *campaign) {
    struct json json;
    json_init(&json);
    json_array(&json, NULL);
    for (int i = 0; i < campaign->ntasks; i++) {
        const struct reproduce_experiment *experiment = campaign->task[i].experiment;
        json_object(&json, NULL);
        json_string(&json, "name", experiment->name);
        json_string(&json, "title", experiment->title);
        json_string(&json, "source", experiment->source);
        json_array(&json, "claims");
        for (int k = 0; k < experiment->nclaims; k++) {
            const struct reproduce_claim *claim = &experiment->claim[k];
            json_object(&json, NULL);
            json_string(&json, "keys", claim->keys);
            json_string(&json, "published", claim->published);
            json_string(&json, "verdict", reproduce_verdict_word(claim->verdict));
            json_string(&json, "reason", claim->reason);
            json_end(&json);
        }
        json_end(&json);
        json_end(&json);
    }
    json_end(&json);
    return cli_print_json(&json);
}

static int list(const struct campaign *campaign) {
    if (campaign->settings->json) return list_json(campaign);
    for (int i = 0; i < campaign->ntasks; i++) {
        const struct reproduce_experiment *experiment = campaign->task[i].experiment;
        cli_print("%-24s %s\n%-24s %s\n", experiment->name, experiment->title, "",
                  experiment->source);
    }
    return CLI_DONE;
}

static char *read_result(const struct task *task) {
    char *path = reproduce_path(task->folder, "result.json");
    char *text = path ? reproduce_read_text(path) : NULL;
    free(path);
    return text;
}

/* True if the result of an earlier call is still valid. A failure may have had a cause that is
 * gone, such as a full disk, so it is carried out again. */
static bool is_current(const struct task *task, char *result) {
    const struct reproduce_results one = {.count = 1, .result = &result};
    const char *digest = result ? json_member(result, "digest", 6) : NULL;
    char *text = digest ? json_copy(digest) : NULL;
    const bool is_same = text && strcmp(text, task->digest) == 0;
    free(text);
    return is_same && reproduce_summary_failed(&one) == 0;
}

static int prepare(struct campaign *campaign) {
    const struct cli_settings *settings = campaign->settings;
    campaign->directory = settings->output ? settings->output : "reproduced";
    int exit = reproduce_directory_open(campaign->directory, settings->force);
    for (int i = 0; i < campaign->ntasks && !exit; i++) {
        struct task *task = &campaign->task[i];
        reproduce_directory_digest(task->experiment->folder, settings->quick, task->digest);
        exit = reproduce_directory_make(campaign->directory, task->experiment->name, &task->folder);
        if (exit || settings->force) continue;
        task->result = read_result(task);
        task->is_done = task->is_kept = is_current(task, task->result);
    }
    return exit;
}

static int start(struct campaign *campaign, struct task *task) {
    fflush(stdout);
    fflush(stderr);
    const pid_t worker = fork();
    if (worker == 0)
        _exit(reproduce_work(task->experiment, task->folder, campaign->settings->quick,
                             task->digest));
    if (worker < 0) {
        cli_say("no process can be started: %s", strerror(errno));
        return CLI_ENVIRONMENT;
    }
    task->worker = worker;
    return CLI_DONE;
}

static void show_progress(const struct campaign *campaign) {
    int done = 0;
    if (campaign->settings->quiet || !isatty(STDERR_FILENO)) return;
    for (int i = 0; i < campaign->ntasks; i++) done += campaign->task[i].is_done;
    fprintf(stderr, "\r\033[K%d of %d experiments, %.0f s; now", done, campaign->ntasks,
            seconds_now() - campaign->began);
    for (int i = 0; i < campaign->ntasks; i++)
        if (campaign->task[i].worker) fprintf(stderr, " %s", campaign->task[i].experiment->name);
    if (done == campaign->ntasks) fputs("\r\033[K", stderr);
    fflush(stderr);
}

/* Waits for one worker and reads its result. */
static int finish(struct campaign *campaign) {
    int status;
    pid_t worker;
    while ((worker = wait(&status)) < 0)
        if (errno != EINTR) return CLI_ENVIRONMENT;
    for (int i = 0; i < campaign->ntasks; i++) {
        struct task *task = &campaign->task[i];
        if (task->worker != worker) continue;
        task->worker = 0;
        task->is_done = true;
        free(task->result);
        task->result = read_result(task);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && task->result) return CLI_DONE;
        cli_say("%s could not be carried out", task->experiment->name);
        return CLI_ENVIRONMENT;
    }
    return CLI_DONE;
}

static int run(struct campaign *campaign) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int running = 0, exit = CLI_DONE;
    cli_interrupt_catch();
    for (int i = 0; i < campaign->ntasks || running > 0;) {
        const bool may_start = !exit && !cli_interrupted && i < campaign->ntasks;
        if (may_start && campaign->task[i].is_done) {
            i++;
        } else if (may_start && running < processors) {
            exit = start(campaign, &campaign->task[i++]);
            running += !exit;
        } else if (running > 0) {
            const int ended = finish(campaign);
            if (ended) exit = ended;
            running--;
        } else {
            break;
        }
        show_progress(campaign);
    }
    if (!cli_interrupted || exit) return exit;
    cli_say("interrupted; the same command goes on with what is left");
    return CLI_NUMERICS;
}

static int report(struct campaign *campaign) {
    const double seconds = seconds_now() - campaign->began;
    char **result = calloc((size_t)campaign->ntasks + 1, sizeof *result);
    if (!result) return cli_no_memory();
    for (int i = 0; i < campaign->ntasks; i++) result[i] = campaign->task[i].result;
    const struct reproduce_results results = {.directory = campaign->directory,
                                              .count = campaign->ntasks,
                                              .result = result,
                                              .seconds = seconds,
                                              .is_quick = campaign->settings->quick};
    int exit = reproduce_html_write(&results);
    if (!exit && campaign->settings->json)
        reproduce_summary_json(&results);
    else if (!exit && !campaign->settings->quiet)
        reproduce_summary_print(&results);
    if (!exit && reproduce_summary_failed(&results) > 0) exit = CLI_NUMERICS;
    free(result);
    return exit;
}

static void clear(struct campaign *campaign) {
    for (int i = 0; i < campaign->ntasks; i++) {
        reproduce_file_free(campaign->task[i].experiment);
        free(campaign->task[i].folder);
        free(campaign->task[i].result);
    }
    for (int i = 0; i < campaign->nnames; i++) free(campaign->names[i]);
    free(campaign->names);
    free(campaign->task);
}

int cli_reproduce(const struct cli_settings *settings) {
    struct campaign campaign = {.settings = settings, .began = seconds_now()};
    if (!settings->list && settings->nnames == 0) {
        cli_say("reproduce needs the name of an experiment, 'all' or --list");
        return CLI_USAGE;
    }
    int exit = choose(&campaign);
    if (!exit && settings->list) {
        exit = list(&campaign);
    } else if (!exit) {
        exit = prepare(&campaign);
        if (!exit) exit = run(&campaign);
        if (!exit) exit = report(&campaign);
    }
    clear(&campaign);
    return exit;
}
