/* Settings of a run: those of the model file, overridden by the options. */
/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/coordinate_names.h"
#include "base/status.h"
#include "engine/problem.h"
#include "engine/regular_start.h"
#include "model/model.h"
#include "noether_ensemble.h"
#include "output/format.h"
#include "study/trajectory.h"
#include "study/verify/constraint_rank.h"

enum { METHOD_ROOM = 1024, ENTRY_ROOM = 256 };

volatile sig_atomic_t cli_interrupted;

static struct sigaction previous[2]; /* previous actions of the signals */

static void note_interrupt(int signal_number) { cli_interrupted = signal_number; }

void cli_interrupt_catch(void) {
    struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &previous[0]);
    sigaction(SIGTERM, &action, &previous[1]);
}

static void release_interrupt(void) {
    sigaction(SIGINT, &previous[0], NULL);
    sigaction(SIGTERM, &previous[1], NULL);
}

int run_setup_number(const struct run_setup *plan, const char *option, const char *text,
                     real *value) {
    struct noe_error error = {0};
    enum noe_status status = model_number(plan->model, text, value, &error);
    if (status == NOE_OK && !real_is_finite(*value))
        status = status_set(&error, NOE_BAD_INPUT, "'%s' is not a finite number", text);
    if (status == NOE_OK) return 0;
    char origin[64];
    if (error.column > 0)
        snprintf(origin, sizeof origin, "%s: column %d", option, error.column);
    else
        snprintf(origin, sizeof origin, "%s", option);
    return cli_fail(origin, &error);
}

int run_setup_count(const struct run_setup *plan, const char *option, const char *text, long min,
                    long *value) {
    real number;
    const int exit = run_setup_number(plan, option, text, &number);
    if (exit) return exit;
    if (!(number >= min) || number > 9e15 || number != noe_floor(number)) {
        cli_say("%s: expected a whole number of at least %ld, found '%s'", option, min, text);
        return CLI_USAGE;
    }
    *value = (long)number;
    return 0;
}

/* Method of the file or of the option, with its numbers evaluated. */
static int plan_method(struct run_setup *plan, const char *option) {
    if (!option && !plan->model->run.method) return 0;
    plan->method = malloc(METHOD_ROOM);
    if (!plan->method) return cli_no_memory();
    if (!option) {
        snprintf(plan->method, METHOD_ROOM, "%s", plan->model->run.method);
        return 0;
    }
    struct noe_error error = {0};
    plan->method_origin = "--method";
    if (model_method(plan->model, option, METHOD_ROOM, plan->method, &error) == NOE_OK) return 0;
    return cli_fail("--method", &error);
}

static int plan_options(struct run_setup *plan, const struct cli_settings *settings) {
    int exit = plan_method(plan, settings->method);
    if (!exit && settings->step) {
        plan->step_origin = "--step";
        exit = run_setup_number(plan, "--step", settings->step, &plan->step);
    }
    if (!exit && settings->until) {
        plan->until_origin = "--until";
        exit = run_setup_number(plan, "--until", settings->until, &plan->until);
    }
    if (!exit && settings->from)
        exit = run_setup_number(plan, "--from", settings->from, &plan->from);
    if (!exit && settings->seed)
        exit = run_setup_count(plan, "--seed", settings->seed, 0, &plan->seed);
    if (!exit && settings->sample)
        exit = run_setup_count(plan, "--sample", settings->sample, 1, &plan->sample);
    return exit;
}

static int check_readable(const char *path) {
    struct stat info;
    if (stat(path, &info) || access(path, R_OK)) {
        cli_complain("%s: %s", path, strerror(errno));
        return CLI_USAGE;
    }
    if (S_ISDIR(info.st_mode)) {
        cli_complain("%s: this is a directory, not a model file", path);
        return CLI_USAGE;
    }
    return 0;
}

/* Signals are caught during compilation, so that no compiler process is left behind. */
static int open_model(struct run_setup *plan, const struct cli_settings *settings) {
    const struct noe_model_settings model_settings = {.nsets = settings->nsets,
                                                      .sets = settings->sets,
                                                      .interpret = settings->interpret,
                                                      .interrupt = &cli_interrupted};
    struct noe_error error = {0};
    cli_interrupt_catch();
    const enum noe_status status =
        noe_model_open(&plan->model, settings->file, &model_settings, &error);
    if (status != NOE_OK) plan->model = NULL;
    if (cli_interrupted) {
        cli_say("interrupted");
        return CLI_NUMERICS;
    }
    release_interrupt();
    return status == NOE_OK ? 0 : cli_fail_file(settings->file, &error);
}

/* Warns of redundant constraints by their statements, for any method. */
static int warn_of_redundancy(const struct run_setup *plan, const struct cli_settings *settings) {
    const struct noe_model *model = plan->model;
    struct constraint_rank found;
    struct noe_error error = {0};
    if (constraint_rank_find(&found, model, plan->from, &error) != NOE_OK)
        return cli_fail(settings->file, &error);
    for (int i = 0; i < model->nconstraints && found.rank >= 0; i++) {
        const struct noe_constraint *stated = &model->constraint[i];
        if (!found.is_redundant[i] || settings->quiet) continue;
        struct noe_error warning = {.line = stated->line, .column = stated->column};
        snprintf(warning.text, sizeof warning.text,
                 "'%.200s'%s follows from the constraints before it, at the start: multipliers are "
                 "not unique",
                 stated->text, stated->component ? ", or a component of it," : "");
        cli_warn_file(settings->file, &warning);
    }
    constraint_rank_clear(&found);
    return 0;
}

int run_setup_read(struct run_setup *plan, const struct cli_settings *settings) {
    *plan = (struct run_setup){0};
    int exit = check_readable(settings->file);
    if (!exit) exit = open_model(plan, settings);
    if (exit) return exit;
    plan->step = plan->model->run.step;
    plan->from = plan->model->run.from;
    plan->until = plan->model->run.until;
    plan->seed = (long)noe_model_ensemble(plan->model).seed;
    plan->sample = plan->model->run.sample > 0 ? plan->model->run.sample : 1;
    if (plan->model->code.kind == NOE_INTERPRETED && !settings->interpret && !settings->quiet)
        cli_say("the model is interpreted, not compiled: %s",
                plan->model->code.note ? plan->model->code.note : "no compiler");
    else if (plan->model->code.note && !settings->quiet)
        cli_say("%s", plan->model->code.note);
    for (int i = 0; i < plan->model->nnotes && !settings->quiet; i++)
        cli_warn_file(settings->file, &plan->model->note[i]);
    exit = plan_options(plan, settings);
    return exit ? exit : warn_of_redundancy(plan, settings);
}

int run_setup_open(struct run_setup *plan, const struct cli_settings *settings) {
    const int exit = run_setup_read(plan, settings);
    if (exit || plan->model->system->first) return exit;
    cli_complain(
        "%s: the file states what to minimise and no Lagrangian, so that nothing moves; it is "
        "for 'noether optimise %s'",
        settings->file, settings->file);
    return CLI_USAGE;
}

int run_setup_refuse_noise(const struct run_setup *plan, const struct cli_settings *settings,
                           const char *why) {
    if (!plan->model->system->nnoises) return 0;
    cli_complain("%s: the model has noise, and %s", settings->file, why);
    return CLI_USAGE;
}

void run_setup_clear(struct run_setup *plan) {
    free(plan->method);
    noe_model_free(plan->model);
    *plan = (struct run_setup){0};
}

/* Reports an error at a line and column of the file, or of the option `origin`. */
static int fail_at(const struct cli_settings *settings, const char *origin, int line, int column,
                   struct noe_error *error) {
    if (origin) return cli_fail(origin, error);
    error->line = line;
    error->column = column;
    return cli_fail_file(settings->file, error);
}

/* Reports what the file does not state, at its last line. */
static int fail_missing(const struct run_setup *plan, const struct cli_settings *settings,
                        const char *what) {
    struct noe_error error = {.status = NOE_BAD_INPUT, .line = 1, .column = 1};
    for (const char *c = plan->model->text; *c; c++) error.line += *c == '\n' && c[1];
    snprintf(error.text, sizeof error.text, "%s", what);
    return cli_fail_file(settings->file, &error);
}

/* Refuses a model in which a coordinate has no inertia, at its declaration. */
static int refuse_no_inertia(const struct run_setup *plan, const struct cli_settings *settings) {
    const struct noe_model *model = plan->model;
    struct noe_error error = {.status = NOE_BAD_INPUT};
    int component = 0, index = 0;
    bool is_singular;
    if (noe_model_ensemble(model).has_parameters) return 0; /* members are checked at their start */
    if (regular_start_find(model->system, plan->from, model->q, model->v, &component,
                           &is_singular) != REGULAR_START_NONE)
        return 0;
    const int at =
        coordinate_find(model->ncoordinates, model->coordinate, true, component, 0, &index);
    if (at < 0) return 0;
    const struct noe_coordinate *coordinate = &model->coordinate[at];
    char part[48];
    coordinate_index_text(coordinate->point.rank, coordinate->tangent.cols, index, sizeof part,
                          part);
    snprintf(error.text, sizeof error.text, "'%s%s' %s", coordinate->name, part,
             regular_start_words(model->system));
    error.line = coordinate->line;
    error.column = coordinate->column;
    return cli_fail_file(settings->file, &error);
}

/* Checks that method and step size are stated. */
static int check_stated(const struct run_setup *plan, const struct cli_settings *settings) {
    struct noe_error error = {.status = NOE_BAD_INPUT};
    if (!plan->method)
        return fail_missing(plan, settings,
                            "no method is stated; add for example 'method midpoint' to the file or "
                            "use --method ('noether methods' lists them)");
    if (plan->step != plan->step)
        return fail_missing(
            plan, settings,
            "no step is stated; add for example 'step 0.01' to the file or use --step");
    if (plan->step > 0) return 0;
    snprintf(error.text, sizeof error.text, "the step must be positive, it is %g",
             (double)plan->step);
    return fail_at(settings, plan->step_origin, plan->model->run.step_line,
                   plan->model->run.step_column, &error);
}

int run_setup_problem(const struct run_setup *plan, const struct cli_settings *settings,
                      struct noe_problem *problem) {
    struct noe_error error = {.status = NOE_BAD_INPUT};
    int exit = check_stated(plan, settings);
    if (!exit) exit = refuse_no_inertia(plan, settings);
    if (exit) return exit;
    if (noe_problem_init(problem, plan->model->system, plan->method, plan->step, &error) != NOE_OK)
        return fail_at(settings, plan->method_origin, plan->model->run.method_line,
                       plan->model->run.method_column, &error);
    problem->seed = (unsigned long)plan->seed;
    if (!settings->kernel || problem_set_kernel(problem, settings->kernel, &error) == NOE_OK)
        return 0;
    noe_problem_clear(problem);
    return cli_fail("--kernel", &error);
}

int run_setup_horizon(const struct run_setup *plan, const struct cli_settings *settings) {
    if (plan->until != plan->until)
        return fail_missing(
            plan, settings,
            "no end time is stated; add for example 'until 10' to the file or use --until");
    if (plan->until > plan->from) return 0;
    cli_complain("%s: the end time %g must lie after the start time %g",
                 plan->until_origin ? plan->until_origin : settings->file, (double)plan->until,
                 (double)plan->from);
    return CLI_USAGE;
}

const char *run_setup_entry(const char *at, size_t size, char *entry) {
    int depth = 0;
    size_t length = 0;
    for (at += strspn(at, " "); *at && !(*at == ',' && depth == 0); at++) {
        if (*at == '(' || *at == '[') depth++;
        if (*at == ')' || *at == ']') depth--;
        if (length + 1 < size) entry[length++] = *at;
    }
    while (length > 0 && entry[length - 1] == ' ') length--;
    entry[length] = 0;
    return *at ? at + 1 : at;
}

static int read_rung(const struct run_setup *plan, const char *entry, struct cli_rung *rung) {
    const int exit = run_setup_number(plan, "--steps", entry, &rung->h);
    if (exit) return exit;
    bool fits = false;
    rung->steps = rung->h > 0 ? trajectory_step_count(plan->from, plan->until, rung->h, &fits) : 0;
    if (!(rung->h > 0)) {
        cli_say("--steps: a step must be positive, '%s' is not", entry);
        return CLI_USAGE;
    }
    if (fits && rung->steps >= 1) return 0;
    cli_say("--steps: the step %s does not divide the time from %g to %g", entry,
            (double)plan->from, (double)plan->until);
    return CLI_USAGE;
}

int run_setup_rungs(const struct run_setup *plan, const char *list, int max, struct cli_rung *rung,
                    int *count) {
    for (*count = 0; *list; ++*count) {
        char entry[ENTRY_ROOM];
        list = run_setup_entry(list, sizeof entry, entry);
        if (*count == max) {
            cli_say("--steps: more than %d entries", max);
            return CLI_USAGE;
        }
        const int exit = read_rung(plan, entry, &rung[*count]);
        if (exit) return exit;
    }
    return 0;
}

int run_setup_steps(const struct run_setup *plan, const struct cli_settings *settings,
                    const struct noe_problem *problem, long *steps, bool *ended_early) {
    *ended_early = false;
    *steps = -1;
    if (settings->steps) return run_setup_count(plan, "--steps", settings->steps, 0, steps);
    const int exit = run_setup_horizon(plan, settings);
    if (exit || problem->traits & NOE_ADAPTIVE) return exit;
    bool fits;
    *steps = trajectory_step_count(plan->from, plan->until, plan->step, &fits);
    *ended_early = !fits;
    if (*steps >= 0) return 0;
    cli_say("from %g to %g there are too many steps of %g to count", (double)plan->from,
            (double)plan->until, (double)plan->step);
    return CLI_USAGE;
}

int run_setup_format(const char *path, const struct noe_format **format) {
    if (!path) return 0;
    *format = noe_format_find(path);
    if (*format) return 0;
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".h5") == 0) {
        cli_say("this build cannot write %s: the HDF5 library was missing; use a name in .csv",
                path);
        return CLI_ENVIRONMENT;
    }
    char names[256] = "";
    for (int i = 0; i < format_count(); i++) {
        const size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s.%s", i ? ", " : "", format_at(i)->name);
    }
    cli_say("--output: the extension of '%s' is none of %s", path, names);
    return CLI_USAGE;
}

void run_setup_words(const struct run_setup *plan, long steps, size_t size, char *words) {
    char numbers[3][48];
    const real number[3] = {plan->step, plan->from, plan->until};
    for (int i = 0; i < 3; i++) real_print_shortest(numbers[i], sizeof numbers[i], number[i]);
    int length = snprintf(words, size, "step=%s from=%s sample=%ld precision=%s", numbers[0],
                          numbers[1], plan->sample, NOE_REAL_NAME);
    if (plan->model->system->nnoises)
        length += snprintf(words + length, size - (size_t)length, " seed=%ld", plan->seed);
    if (steps >= 0)
        snprintf(words + length, size - (size_t)length, " steps=%ld", steps);
    else
        snprintf(words + length, size - (size_t)length, " until=%s", numbers[2]);
}
