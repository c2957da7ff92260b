/* noether compare: work-precision data of several methods, as a table and as a diagram. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "methods/method.h"
#include "model/model.h"
#include "output/atomic_file.h"
#include "output/json_writer.h"
#include "plot/gnuplot.h"
#include "study/verify/work_precision.h"

enum {
    METHODS_MAX = FIGURE_CURVES_MAX,
    RUNGS_MAX = 64,
    TEXT_MAX = 256,
    METHOD_MAX = 1024,
    REFERENCE_STEPS_MAX = 1 << 22
};

/* Factors on the number of steps of the file. For adaptive methods, the tolerances take their
 * place. */
static const double ladder[] = {0.25, 0.5, 1, 2, 4, 8};
static const double tolerances[] = {1e-3, 1e-5, 1e-7, 1e-9, 1e-11};
enum { LADDER = sizeof ladder / sizeof *ladder };
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances };

/* A method to compare and the results of its runs. Failed runs are left out. */
struct entry {
    char text[TEXT_MAX];              /* as given by the user */
    char method[METHOD_MAX];          /* with its numbers evaluated */
    char reason[TEXT_MAX];            /* reason why it is skipped; "": it is not */
    bool by_tolerance, has_tolerance; /* adaptive with a tolerance; stated */
    bool is_generic;                  /* no specialised stepper could be compiled */
    int count;
    struct work_precision_row row[RUNGS_MAX];
    double tolerance[RUNGS_MAX]; /* 0: fixed step size, or the tolerance of the method */
};

struct compare {
    const struct cli_settings *settings;
    struct run_setup plan;
    struct convergence_task task;
    struct convergence_reference reference;
    struct progress progress;
    long runs; /* number of finished runs */
    int nrungs, nentries;
    struct cli_rung rung[RUNGS_MAX];
    struct entry entry[METHODS_MAX];
    enum noe_status status; /* status of the first run that failed */
};

/* Numbers of steps are rounded to integers. */
static int make_ladder(struct compare *compare) {
    const struct run_setup *plan = &compare->plan;
    if (!(plan->step > 0)) {
        cli_say("compare needs steps: --steps 0.1,0.05,0.025, or a positive step in the file");
        return CLI_USAGE;
    }
    const real horizon = plan->until - plan->from;
    for (int i = 0; i < LADDER; i++) {
        const real steps = noe_floor(ladder[i] * horizon / plan->step + (real)0.5);
        const real before = compare->nrungs ? (real)compare->rung[compare->nrungs - 1].steps : 0;
        if (!(steps > before && steps < (real)9e15)) continue;
        compare->rung[compare->nrungs++] =
            (struct cli_rung){.h = horizon / steps, .steps = (long)steps};
    }
    if (compare->nrungs) return 0;
    cli_say("the file's step %g does not fit into the time from %g to %g", (double)plan->step,
            (double)plan->from, (double)plan->until);
    return CLI_USAGE;
}

static int read_ladder(struct compare *compare) {
    const char *list = compare->settings->steps;
    if (!list) return make_ladder(compare);
    if (!*list) {
        cli_say("--steps: expected steps such as 0.1,0.05,0.025");
        return CLI_USAGE;
    }
    return run_setup_rungs(&compare->plan, list, RUNGS_MAX, compare->rung, &compare->nrungs);
}

/* A method that does not support the system is skipped. An unknown method is an error. */
static int read_entry(struct compare *compare, struct entry *entry) {
    struct noe_problem problem;
    struct noe_error error = {0};
    const struct noe_model *model = compare->plan.model;
    if (!*entry->text) {
        cli_say("--methods: an entry is empty; expected names such as midpoint,rk4");
        return CLI_USAGE;
    }
    if (strlen(entry->text) == TEXT_MAX - 1) {
        cli_say("--methods: an entry is longer than %d bytes", TEXT_MAX - 2);
        return CLI_USAGE;
    }
    if (model_method(model, entry->text, METHOD_MAX, entry->method, &error) != NOE_OK)
        return cli_fail("--methods", &error);
    const enum noe_status status =
        noe_problem_init(&problem, model->system, entry->method, compare->rung[0].h, &error);
    if (status == NOE_OK) {
        entry->by_tolerance =
            (problem.traits & NOE_ADAPTIVE) && !problem.internals->scheme->energy_equation;
        entry->has_tolerance = strstr(entry->method, "tolerance=");
        noe_problem_clear(&problem);
        return 0;
    }
    if (status != NOE_NOT_SERVED) return cli_fail("--methods", &error);
    snprintf(entry->reason, sizeof entry->reason, "%.250s", error.text);
    cli_say("'%s' is passed over: %s", entry->text, error.text);
    return 0;
}

static int read_methods(struct compare *compare) {
    const char *at = compare->settings->methods;
    if (!at || !*at) {
        cli_say("compare needs methods: --methods midpoint,rk4 ('noether methods' lists them)");
        return CLI_USAGE;
    }
    while (*at) {
        if (compare->nentries == METHODS_MAX) {
            cli_say("--methods: more than %d entries", METHODS_MAX);
            return CLI_USAGE;
        }
        struct entry *entry = &compare->entry[compare->nentries++];
        at = run_setup_entry(at, sizeof entry->text, entry->text);
        const int exit = read_entry(compare, entry);
        if (exit) return exit;
        if (!entry->reason[0] && !compare->task.method) compare->task.method = entry->method;
    }
    if (compare->task.method) return 0;
    cli_say("none of the methods serves the system; nothing is left to compare");
    return CLI_USAGE;
}

/* Checks before the first run that the figure can be written. */
static int check_picture(const char *path) {
    struct atomic_file *place;
    struct noe_error error = {0};
    if (!path) return 0;
    if (!gnuplot_draws(path)) {
        cli_say("--output: the name of a picture ends in %s, not '%s'", gnuplot_kinds(), path);
        return CLI_USAGE;
    }
    if (atomic_file_open(&place, path, &error) != NOE_OK) return cli_fail("--output", &error);
    atomic_file_discard(place);
    return 0;
}

static int rung_count(const struct compare *compare, const struct entry *entry) {
    if (entry->reason[0]) return 0;
    if (!entry->by_tolerance) return compare->nrungs;
    return entry->has_tolerance ? 1 : TOLERANCES;
}

/* Compiles a specialised stepper. On failure it warns once per method and times the generic
 * path. */
static void specialise(struct compare *compare, struct entry *entry, struct noe_problem *problem) {
    const struct noe_model_settings settings = {0};
    struct noe_error error = {0};
    if (entry->is_generic) return;
    entry->is_generic =
        noe_problem_specialise(problem, compare->plan.model, &settings, &error) != NOE_OK;
    if (!entry->is_generic) return;
    progress_erase(&compare->progress);
    cli_say("warning: %s: %s; the generic path is timed", entry->text, error.text);
}

static enum noe_status run(struct compare *compare, struct entry *entry, real h, double tolerance,
                           struct work_precision_row *row, struct noe_error *error) {
    struct noe_problem problem;
    char method[METHOD_MAX + 32];
    snprintf(method, sizeof method, "%s", entry->method);
    if (tolerance > 0) snprintf(method + strlen(method), 32, " tolerance=%.0e", tolerance);
    enum noe_status status =
        noe_problem_init(&problem, compare->plan.model->system, method, h, error);
    if (status != NOE_OK) return status;
    if (compare->settings->specialised) specialise(compare, entry, &problem);
    status = work_precision_measure(row, &compare->reference, &compare->task, &problem, error);
    noe_problem_clear(&problem);
    return status;
}

/* Measures one step size of one method. A run that fails numerically is reported and left out. */
static int measure_rung(struct compare *compare, struct entry *entry, int rung) {
    struct noe_error error = {0};
    const bool climbs = entry->by_tolerance && !entry->has_tolerance;
    const double tolerance = climbs ? tolerances[rung] : 0;
    const real h = compare->rung[entry->by_tolerance ? 0 : rung].h;
    const enum noe_status status =
        run(compare, entry, h, tolerance, &entry->row[entry->count], &error);
    progress_update(&compare->progress, ++compare->runs, 0);
    if (status == NOE_OK) {
        entry->tolerance[entry->count++] = tolerance;
        return 0;
    }
    progress_erase(&compare->progress);
    if (climbs)
        cli_say("%s, tolerance %.0e: %s", entry->text, tolerance, error.text);
    else
        cli_say("%s, step %g: %s", entry->text, (double)h, error.text);
    if (compare->status == NOE_OK) compare->status = status;
    return status < 0 ? cli_exit_of(status) : 0;
}

static int measure(struct compare *compare) {
    struct noe_error error = {0};
    long first_steps = compare->rung[0].steps, runs = 0;
    for (int i = 1; i < compare->nrungs; i++)
        if (compare->rung[i].steps < first_steps) first_steps = compare->rung[i].steps;
    if (convergence_refer(&compare->reference, &compare->task, first_steps, &error) != NOE_OK) {
        cli_say("the reference could not be made: %s", error.text);
        return cli_exit_of(error.status);
    }
    for (int i = 0; i < compare->nentries; i++) runs += rung_count(compare, &compare->entry[i]);
    progress_init(&compare->progress, !compare->settings->json, runs, 0, 0);
    int exit = 0;
    for (int i = 0; i < compare->nentries && !exit; i++)
        for (int k = 0; k < rung_count(compare, &compare->entry[i]) && !exit; k++)
            exit = measure_rung(compare, &compare->entry[i], k);
    progress_erase(&compare->progress);
    return exit ? exit : cli_exit_of(compare->status);
}

static void write_row(struct json *json, const struct entry *entry, int i) {
    const struct work_precision_row *row = &entry->row[i];
    json_object(json, NULL);
    json_string(json, "method", entry->text);
    json_real(json, "h", row->h);
    if (entry->tolerance[i] > 0) json_real(json, "tolerance", entry->tolerance[i]);
    json_real(json, "error", row->error);
    json_real(json, "energy_error", row->energy_error);
    json_real(json, "seconds", row->seconds);
    json_integer(json, "evaluations", row->evaluations);
    json_end(json);
}

static int print_json(const struct compare *compare) {
    struct json json;
    json_init(&json);
    json_object(&json, NULL);
    json_string(&json, "reference", compare->reference.words);
    json_array(&json, "rows");
    for (int i = 0; i < compare->nentries; i++)
        for (int k = 0; k < compare->entry[i].count; k++) write_row(&json, &compare->entry[i], k);
    json_end(&json);
    json_array(&json, "passed_over");
    for (int i = 0; i < compare->nentries; i++) {
        if (!compare->entry[i].reason[0]) continue;
        json_object(&json, NULL);
        json_string(&json, "method", compare->entry[i].text);
        json_string(&json, "reason", compare->entry[i].reason);
        json_end(&json);
    }
    json_end(&json);
    json_string(&json, "status", cli_status_word(compare->status));
    json_end(&json);
    return cli_print_json(&json);
}

static void print_table(const struct compare *compare) {
    int width = (int)strlen("method");
    for (int i = 0; i < compare->nentries; i++)
        if ((int)strlen(compare->entry[i].text) > width)
            width = (int)strlen(compare->entry[i].text);
    cli_print("%s\n  errors of (q, p) at t = %.10g\n  reference: %s\n\n",
              compare->plan.model->title, (double)compare->plan.until, compare->reference.words);
    printf("  %-*s %-12s %-10s %-11s %-13s %-10s %s\n", width, "method", "step", "steps", "error",
           "energy error", "seconds", "evaluations");
    for (int i = 0; i < compare->nentries; i++)
        for (int k = 0; k < compare->entry[i].count; k++) {
            const struct work_precision_row *row = &compare->entry[i].row[k];
            printf("  %-*s %-12.6g %-10ld %-11.3e %-13.3e %-10.3e %ld\n", width,
                   compare->entry[i].text, (double)row->h, row->steps, (double)row->error,
                   (double)row->energy_error, row->seconds, row->evaluations);
        }
}

/* Adds the curve of one method to both panels. Zeros are left out, because the axes are
 * logarithmic. */
static enum noe_status add_curves(struct figure *picture, const struct entry *entry,
                                  struct noe_error *error) {
    real seconds[RUNGS_MAX], evaluations[RUNGS_MAX], errors[RUNGS_MAX];
    const real gap = noe_sqrt((real)-1);
    for (int k = 0; k < entry->count; k++) {
        const struct work_precision_row *row = &entry->row[k];
        seconds[k] = row->seconds;
        evaluations[k] = row->evaluations > 0 ? (real)row->evaluations : gap;
        errors[k] = row->error > 0 ? row->error : gap;
    }
    const size_t count = (size_t)entry->count;
    struct figure_panel *time = &picture->panel[0], *effort = &picture->panel[1];
    const int before = effort->ncurves;
    enum noe_status status = figure_add_curve(time, entry->text, count, seconds, errors, error);
    if (status != NOE_OK) return status;
    status = figure_add_curve(effort, entry->text, count, evaluations, errors, error);
    if (effort->ncurves > before) effort->curve[before].style = time->ncurves - 1;
    return status;
}

static enum noe_status make_picture(const struct compare *compare, struct figure *picture,
                                    struct noe_error *error) {
    const struct noe_table words = {0};
    figure_add_panel(picture, "Error against time", "processor seconds", "error of (q, p)");
    figure_add_panel(picture, "Error against evaluations", "evaluations of the model",
                     "error of (q, p)");
    picture->has_one_legend = true;
    picture->panel[0].has_log_axes = picture->panel[1].has_log_axes = true;
    enum noe_status status = NOE_OK;
    for (int i = 0; i < compare->nentries && status == NOE_OK; i++)
        status = add_curves(picture, &compare->entry[i], error);
    if (status == NOE_OK)
        status = figure_finish(picture, &words, compare->plan.model->title, error);
    snprintf(picture->subtitle, sizeof picture->subtitle, "work and precision at t = %.10g",
             (double)compare->plan.until);
    return status;
}

static int draw(const struct compare *compare) {
    struct noe_error error = {0};
    struct figure *picture = calloc(1, sizeof *picture);
    if (!picture) return cli_no_memory();
    enum noe_status status = make_picture(compare, picture, &error);
    if (status == NOE_OK) status = gnuplot_draw(picture, compare->settings->output, &error);
    figure_clear(picture);
    free(picture);
    return status == NOE_OK ? 0 : cli_fail("compare", &error);
}

static bool has_rows(const struct compare *compare) {
    for (int i = 0; i < compare->nentries; i++)
        if (compare->entry[i].count) return true;
    return false;
}

static int prepare(struct compare *compare) {
    const struct cli_settings *settings = compare->settings;
    int exit = run_setup_open(&compare->plan, settings);
    if (!exit)
        exit =
            run_setup_refuse_noise(&compare->plan, settings,
                                   "steps of different lengths see different paths: errors of one "
                                   "path do not compare; 'noether ensemble' gives means, which do");
    if (!exit) exit = run_setup_horizon(&compare->plan, settings);
    if (!exit) exit = read_ladder(compare);
    if (!exit) exit = read_methods(compare);
    if (!exit) exit = check_picture(settings->output);
    if (exit) return exit;
    compare->task.system = compare->plan.model->system;
    compare->task.from = compare->plan.from;
    compare->task.until = compare->plan.until;
    compare->task.q = compare->plan.model->q;
    compare->task.v = compare->plan.model->v;
    compare->task.reference_steps_max = REFERENCE_STEPS_MAX;
    return 0;
}

int cli_compare(const struct cli_settings *settings) {
    struct compare *compare = calloc(1, sizeof *compare);
    if (!compare) return cli_no_memory();
    compare->settings = settings;
    int exit = prepare(compare);
    if (!exit) exit = measure(compare);
    if (compare->reference.end && exit <= CLI_NUMERICS) {
        int shown = settings->json ? print_json(compare) : 0;
        if (!settings->json) print_table(compare);
        if (!shown && settings->output && has_rows(compare)) shown = draw(compare);
        if (shown) exit = shown;
    }
    convergence_reference_clear(&compare->reference);
    run_setup_clear(&compare->plan);
    free(compare);
    return exit;
}
