/* Reports of noether section: JSON object and tables. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/coordinate_names.h"
#include "cli/json_code.h"
#include "cli/section.h"
#include "output/json_writer.h"

enum { LABEL = 20, COLUMNS_SHOWN = 6 };

void section_report_name(const struct noe_quantity *record, int i, size_t size, char *name) {
    char index[48];
    const int rank = record->cols > 1 ? 2 : record->rows > 1 ? 1 : 0;
    const bool is_plain = rank == 0 || !strpbrk(record->name, "+-*/^( ,");
    coordinate_index_text(rank, record->cols, i, sizeof index, index);
    snprintf(name, size, "%s%s%s%s", is_plain ? "" : "(", record->name, is_plain ? "" : ")", index);
}

static void write_row(struct json *json, const struct noe_event *crossing, const real *numbers) {
    json_array(json, NULL);
    for (int k = 0; k < crossing->nrecords; k++) {
        const struct noe_quantity *record = &crossing->record[k];
        const int count = record->rows * record->cols;
        if (record->cols > 1)
            json_matrix(json, NULL, record->rows, record->cols, numbers);
        else if (record->rows > 1)
            json_vector(json, NULL, record->rows, numbers);
        else
            json_real(json, NULL, *numbers);
        numbers += count;
    }
    json_end(json);
}

static void write_section(struct json *json, const struct noe_event *crossing,
                          const struct section_list *list, bool has_members) {
    const size_t width = (size_t)list->width + 2;
    json_object(json, crossing->name);
    json_string(json, "equation", crossing->text);
    json_array(json, "columns");
    for (int k = 0; k < crossing->nrecords; k++) json_string(json, NULL, crossing->record[k].name);
    json_end(json);
    json_integer(json, "count", list->count);
    if (has_members) json_array(json, "member");
    for (long i = 0; has_members && i < list->kept; i++)
        json_integer(json, NULL, (long long)list->row[(size_t)i * width + width - 1]);
    if (has_members) json_end(json);
    json_array(json, "t");
    for (long i = 0; i < list->kept; i++) json_real(json, NULL, list->row[(size_t)i * width]);
    json_end(json);
    json_array(json, "records");
    for (long i = 0; i < list->kept; i++)
        write_row(json, crossing, list->row + (size_t)i * width + 1);
    json_end(json);
    json_end(json);
}

/* Members have their own energies at the start and at the end. */
static void write_deviations(struct json *json, const struct section_report *report,
                             const struct section_energy *energy) {
    if (!report->orbits) json_real(json, "start", report->section->energy_start);
    if (!report->orbits) json_real(json, "final", energy->final);
    json_real(json, "max_error", energy->max_error);
    json_real(json, "mean_error", energy->mean_error);
}

static void write_orbits(struct json *json, const struct section_orbits *orbits) {
    json_integer(json, "members", orbits->members);
    json_array(json, "failed");
    for (long i = 0; i < orbits->nfailed && i < SECTION_FAILED; i++) {
        json_object(json, NULL);
        json_integer(json, "member", orbits->failure[i].member);
        json_integer(json, "step", orbits->failure[i].step);
        json_string(json, "reason", orbits->failure[i].reason);
        json_end(json);
    }
    json_end(json);
    json_integer(json, "failed_count", orbits->nfailed);
    json_integer(json, "threads", orbits->threads);
    json_integer(json, "lanes", orbits->lanes);
}

static void write_course(struct json *json, const struct section_report *report) {
    const struct noe_system *system = report->problem->system;
    const struct section *section = report->section;
    json_real(json, "time", section->t_end);
    json_object(json, "sections");
    for (int i = 0; i < system->nevents; i++)
        if (system->crossing[i].name)
            write_section(json, &system->crossing[i], &report->list[i], report->orbits);
    json_end(json);
    json_object(json, "energy");
    write_deviations(json, report, &section->at_crossings);
    json_object(json, "steps");
    write_deviations(json, report, &section->at_steps);
    json_end(json);
    json_end(json);
    if (section->stopped_by < 0) return;
    json_object(json, "stopped");
    json_string(json, "by", system->crossing[section->stopped_by].text);
    json_end(json);
}

int section_report_json(const struct section_report *report) {
    const struct section *section = report->section;
    struct json json;
    json_init(&json);
    json_object(&json, NULL);
    json_string(&json, "model", report->plan->model->title);
    json_string(&json, "method", report->problem->method->name);
    json_string(&json, "status", cli_status_word(section->error.status));
    json_string(&json, "message", report->message);
    json_integer(&json, "steps", section->steps);
    if (report->orbits) write_orbits(&json, report->orbits);
    if (section->has_started) write_course(&json, report);
    code_write(&json, report->plan->model, report->stepper, report->stepper_reason, NULL);
    json_real(&json, "wall_seconds", (real)section->wall_seconds);
    json_end(&json);
    return cli_print_json(&json);
}

static void print_heading(const struct section_report *report) {
    const struct section *section = report->section;
    cli_print("%s\n  %s, ", report->plan->model->title, report->plan->method);
    if (report->orbits) printf("%ld members, ", report->orbits->members);
    if (report->problem->traits & NOE_ADAPTIVE)
        printf("steps from %.6g to %.6g", (double)section->step_min, (double)section->step_max);
    else
        printf("step %.10g", (double)report->problem->h);
    printf(", %ld steps, t = %.10g to %.10g\n", section->steps, (double)section->t_start,
           (double)section->t_end);
    if (section->error.status != NOE_OK)
        printf("  INCOMPLETE (%s)\n", cli_status_word(section->error.status));
    else if (section->stopped_by >= 0)
        cli_print("  stopped at t = %.10g where %s\n", (double)section->t_end,
                  report->problem->system->crossing[section->stopped_by].text);
    else if (report->ended_early)
        printf("  the step size does not divide the run, up to %.10g: it ended after the last full "
               "step\n",
               (double)report->plan->until);
}

static void print_names(const struct noe_event *crossing, int width) {
    int at = 0;
    printf("  %-*s %-18s", LABEL, "", "t");
    for (int k = 0; k < crossing->nrecords; k++)
        for (int j = 0; j < crossing->record[k].rows * crossing->record[k].cols; j++) {
            char name[200];
            section_report_name(&crossing->record[k], j, sizeof name, name);
            if (at++ < COLUMNS_SHOWN) printf(" %-18.18s", name);
        }
    puts(width > COLUMNS_SHOWN ? " ..." : "");
}

static void print_section(const struct noe_event *crossing, const struct section_list *list) {
    static const char *const way[] = {
        [NOE_EITHER_WAY] = "", [NOE_RISING] = ", rising", [NOE_FALLING] = ", falling"};
    cli_print("\n  %-*s %s%s: ", LABEL, crossing->name, crossing->text, way[crossing->direction]);
    if (list->count == 0) {
        puts("never crossed");
        return;
    }
    printf("crossed %ld time%s\n", list->count, list->count == 1 ? "" : "s");
    print_names(crossing, list->width);
    for (long i = 0; i < list->kept && i < SECTION_SHOWN; i++) {
        const real *row = list->row + (size_t)i * ((size_t)list->width + 2);
        printf("  %-*s", LABEL, "");
        for (int j = 0; j <= list->width && j <= COLUMNS_SHOWN; j++)
            printf(" %-18.10g", (double)row[j]);
        putchar('\n');
    }
    if (list->count > SECTION_SHOWN) printf("  %-*s ...\n", LABEL, "");
}

static void print_energy(const char *label, const struct section_report *report,
                         const struct section_energy *energy) {
    const real start = report->section->energy_start;
    if (energy->count == 0) return;
    printf("  %-*s ", LABEL, label);
    if (!report->orbits) printf("%-18.10g %-18.10g ", (double)start, (double)energy->final);
    printf("%.2e", (double)energy->max_error);
    cli_print_relative(start, energy->max_error);
    putchar('\n');
}

static void print_failures(const struct section_orbits *orbits) {
    enum { SHOWN = 5 };
    if (orbits->nfailed) printf("\n  %ld members failed\n", orbits->nfailed);
    for (long i = 0; i < orbits->nfailed && i < SHOWN; i++)
        printf("    member %ld at step %ld: %s\n", orbits->failure[i].member,
               orbits->failure[i].step, orbits->failure[i].reason);
}

void section_report_print(const struct section_report *report) {
    const struct section *section = report->section;
    const struct noe_system *system = report->problem->system;
    if (!section->has_started) return;
    long rows = 0;
    print_heading(report);
    for (int i = 0; i < system->nevents; i++) {
        if (system->crossing[i].name) print_section(&system->crossing[i], &report->list[i]);
        rows += report->list[i].count;
    }
    printf("\n  %-*s ", LABEL, "energy");
    printf(report->orbits ? "%s%s" : "%-18s %-18s ", report->orbits ? "" : "start",
           report->orbits ? "" : "final");
    puts("largest deviation");
    print_energy("at crossings", report, &section->at_crossings);
    print_energy("at steps", report, &section->at_steps);
    if (report->orbits) print_failures(report->orbits);
    printf("\n  %-*s %.3g s", LABEL, "speed", section->wall_seconds);
    if (section->steps > 0 && section->wall_seconds > 0)
        printf(", %.3g steps/s", (double)section->steps / section->wall_seconds);
    putchar('\n');
    if (report->settings->verbose)
        printf("  %-*s %s\n  %-*s %s\n", LABEL, "stepper", report->stepper, LABEL, "",
               report->stepper_reason);
    if (report->settings->output && section->error.status >= 0)
        cli_print("  %-*s %s, %ld rows\n", LABEL, "wrote", report->settings->output, rows);
}
