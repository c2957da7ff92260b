/* noether section: one integration and its Poincare sections. */
/* SPDX-License-Identifier: MIT */
#include "cli/section.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

static int count_sections(const struct noe_system *system) {
    int count = 0;
    for (int i = 0; i < system->nevents; i++) count += system->crossing[i].name != NULL;
    return count;
}

static int make_lists(struct section_run *run) {
    const struct noe_system *system = run->plan.model->system;
    run->list = calloc((size_t)system->nevents + 1, sizeof *run->list);
    run->row = calloc((size_t)system->nrecorded + 4, sizeof *run->row);
    if (!run->list || !run->row) return cli_no_memory();
    for (int i = 0, first = 0; i < system->nevents; i++) {
        struct section_list *list = &run->list[i];
        list->first = first;
        for (int k = 0; k < system->crossing[i].nrecords; k++)
            list->width += system->crossing[i].record[k].rows * system->crossing[i].record[k].cols;
        first += list->width;
    }
    if (count_sections(system) > 0) return 0;
    cli_complain(
        "%s: the file states no section; add for example 'section cut : q = 0 rising record q, "
        "q''",
        run->settings->file);
    return CLI_USAGE;
}

/* Number of columns before the recorded quantities. */
static int count_first(const struct section_run *run) { return run->orbits ? 4 : 3; }

/* Columns of the file: section, t, energy, the member if there are several orbits, then the
 * recorded quantities, prefixed by the name of the section if there are several sections. */
static int open_output(struct section_run *run) {
    const struct noe_system *system = run->plan.model->system;
    const int before = count_first(run), count = system->nrecorded + before;
    char settings[320], (*names)[256] = calloc((size_t)count, sizeof *names);
    const char **columns = calloc((size_t)count, sizeof *columns);
    struct noe_error error = {0};
    enum noe_status status = NOE_NO_MEMORY;
    if (names && columns) {
        static const char *const first[] = {"section", "t", "energy", "member"};
        for (int i = 0; i < count; i++) columns[i] = i < before ? first[i] : names[i];
        const bool has_several = count_sections(system) > 1;
        for (int i = 0, at = before; i < system->nevents; i++) {
            const struct noe_event *crossing = &system->crossing[i];
            for (int k = 0; k < crossing->nrecords; k++)
                for (int j = 0; j < crossing->record[k].rows * crossing->record[k].cols; j++) {
                    char name[200];
                    section_report_name(&crossing->record[k], j, sizeof name, name);
                    snprintf(names[at++], sizeof *names, "%.50s%s%s",
                             has_several ? crossing->name : "", has_several ? ": " : "", name);
                }
        }
        run_setup_words(&run->plan, run->settings->steps ? run->course.steps : -1, sizeof settings,
                        settings);
        const struct noe_record_header header = {.model_title = run->plan.model->title,
                                                 .model_text = run->plan.model->text,
                                                 .method = run->plan.method,
                                                 .settings = settings,
                                                 .ncolumns = count,
                                                 .column = columns};
        status = run->format->open(&run->file, run->settings->output, &header, &error);
    }
    free(names);
    free(columns);
    if (status == NOE_OK) return 0;
    run->format = NULL;
    cli_say("%s", status == NOE_NO_MEMORY ? "out of memory" : error.text);
    return cli_exit_of(status);
}

/* Quantities of other sections are NaN in a row. */
static enum noe_status write_row(struct section_run *run, const struct section_point *point,
                                 struct noe_error *error) {
    const struct noe_system *system = run->plan.model->system;
    const struct section_list *list = &run->list[point->crossing];
    real number = 0;
    for (int i = 0; i <= point->crossing; i++) number += system->crossing[i].name != NULL;
    run->row[0] = number;
    run->row[1] = point->t;
    run->row[2] = point->energy;
    run->row[3] = (real)run->member; /* overwritten if there is no such column */
    for (int i = 0; i < system->nrecorded; i++) {
        const bool is_own = i >= list->first && i < list->first + list->width;
        run->row[count_first(run) + i] = is_own ? point->recorded[i] : (real)NAN;
    }
    return run->format->row(run->file, run->row, error);
}

enum noe_status section_take(struct section_run *run, const struct section_point *point,
                             struct noe_error *error) {
    struct section_list *list = &run->list[point->crossing];
    const size_t width = (size_t)list->width + 2;
    const bool is_kept = run->settings->json || list->count < SECTION_SHOWN;
    list->count++;
    if (is_kept && list->kept == list->room) {
        const long room = 2 * list->room + 64;
        real *row = realloc(list->row, (size_t)room * width * sizeof *row);
        if (!row)
            return status_set(error, NOE_NO_MEMORY,
                              "no memory for more than %ld crossings of '%s'; without --json they "
                              "go to the file of --output alone",
                              list->kept, run->plan.model->system->crossing[point->crossing].name);
        list->row = row;
        list->room = room;
    }
    if (is_kept) {
        real *row = list->row + (size_t)list->kept++ * width;
        row[0] = point->t;
        memcpy(row + 1, point->recorded + list->first, (size_t)list->width * sizeof *row);
        row[width - 1] = (real)run->member;
    }
    return run->format ? write_row(run, point, error) : NOE_OK;
}

static enum noe_status take(void *data, const struct section_point *point,
                            struct noe_error *error) {
    return section_take(data, point, error);
}

static int prepare_orbits(struct section_run *run) {
    const int exit = cli_ensemble_options_read(&run->population, &run->plan, run->settings);
    if (exit || !cli_ensemble_options_exist(&run->population)) return exit;
    run->orbits = calloc(1, sizeof *run->orbits);
    if (!run->orbits) return cli_no_memory();
    run->orbits->members = run->population.members;
    run->orbits->threads = run->population.threads;
    run->orbits->failure = calloc(SECTION_FAILED, sizeof *run->orbits->failure);
    return run->orbits->failure ? 0 : cli_no_memory();
}

static int prepare(struct section_run *run) {
    const struct cli_settings *settings = run->settings;
    if (settings->generic && settings->specialised) {
        cli_say("--generic and --specialised exclude one another");
        return CLI_USAGE;
    }
    int exit = run_setup_open(&run->plan, settings);
    if (!exit) exit = make_lists(run);
    if (!exit) exit = prepare_orbits(run);
    if (!exit) exit = run_setup_problem(&run->plan, settings, &run->problem);
    if (exit) return exit;
    run->has_problem = true;
    run->course = (struct section_settings){.problem = &run->problem,
                                            .from = run->plan.from,
                                            .q = run->plan.model->q,
                                            .v = run->plan.model->v,
                                            .until = run->plan.until,
                                            .interrupt = &cli_interrupted,
                                            .take = take,
                                            .take_data = run};
    exit =
        run_setup_steps(&run->plan, settings, &run->problem, &run->course.steps, &run->ended_early);
    if (!exit) exit = run_setup_format(settings->output, &run->format);
    return exit || !run->format ? exit : open_output(run);
}

static void compose_message(struct section_run *run) {
    const struct section *section = &run->section;
    if (section->error.status == NOE_INTERRUPTED && run->orbits)
        snprintf(run->message, sizeof run->message,
                 "interrupted after %ld of %ld members with %ld steps together",
                 run->orbits->nended, run->orbits->members, section->steps);
    else if (section->error.status == NOE_INTERRUPTED)
        snprintf(run->message, sizeof run->message, "interrupted after step %ld at t = %.9g",
                 section->steps, (double)section->t_end);
    else if (section->error.status != NOE_OK)
        snprintf(run->message, sizeof run->message, "%s", section->error.text);
}

/* Commits the file, marked as incomplete if the run is. If writing failed, the file is discarded
 * and the run counts as failed. */
static void close_output(struct section_run *run) {
    struct section *section = &run->section;
    if (!run->format) return;
    if (section->error.status < 0 || !section->has_started) {
        run->format->discard(run->file);
        return;
    }
    struct noe_error error = {0};
    const char *message = section->error.status == NOE_OK ? NULL : run->message;
    const enum noe_status status = run->format->close(run->file, message, &error);
    if (status == NOE_OK) return;
    section->error = error;
    section->error.status = status;
    compose_message(run);
}

static void integrate_one(struct section_run *run) {
    struct compile_pace pace = {.stepper = &run->stepper};
    compile_choice_init(&run->stepper, run->settings, run->plan.model, &run->problem);
    progress_init(&pace.progress, !run->settings->quiet, run->course.steps, run->plan.from,
                  run->plan.until);
    run->course.progress = compile_choice_keep_pace;
    run->course.progress_data = &pace;
    section_run(&run->section, &run->course);
    progress_erase(&pace.progress);
}

static int integrate(struct section_run *run) {
    cli_interrupt_catch();
    compile_choice_widen(run->plan.model, &run->problem);
    if (run->orbits)
        section_orbits_integrate(run);
    else
        integrate_one(run);
    compose_message(run);
    close_output(run);
    const enum noe_status status = run->section.error.status;
    if (status != NOE_OK) cli_say("%s", run->message);
    return cli_exit_of(status);
}

static void clear(struct section_run *run) {
    const int count = run->list ? run->plan.model->system->nevents : 0;
    for (int i = 0; i < count; i++) free(run->list[i].row);
    free(run->list);
    free(run->row);
    if (run->orbits) free(run->orbits->failure);
    free(run->orbits);
    if (run->has_problem) noe_problem_clear(&run->problem);
    run_setup_clear(&run->plan);
}

int cli_section(const struct cli_settings *settings) {
    struct section_run run = {.settings = settings};
    int exit = prepare(&run);
    if (!exit) {
        exit = integrate(&run);
        const struct section_report report = {.settings = settings,
                                              .plan = &run.plan,
                                              .problem = &run.problem,
                                              .section = &run.section,
                                              .list = run.list,
                                              .orbits = run.orbits,
                                              .message = run.message,
                                              .stepper = run.stepper.what,
                                              .stepper_reason = run.stepper.why,
                                              .ended_early = run.ended_early};
        const int written = settings->json ? section_report_json(&report) : CLI_DONE;
        if (!settings->json && !settings->quiet) section_report_print(&report);
        if (!exit) exit = written;
    }
    clear(&run);
    return exit;
}
