/* noether converge: errors at the end against a reference solution, and the observed order. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "cli/cli.h"
#include "output/json_writer.h"
#include "study/verify/convergence.h"

enum { ROWS_MAX = 64, REFERENCE_STEPS_MAX = 1 << 22 };

struct converge {
    const struct cli_settings *settings;
    struct run_setup plan;
    struct convergence_task task;
    struct convergence_reference reference;
    int count;
    struct convergence_row row[ROWS_MAX];
    real order;
    struct noe_error error; /* failure of the first row that failed */
    const struct noe_format *format;
};

static int read_rows(struct converge *converge) {
    struct cli_rung rung[ROWS_MAX];
    const char *list = converge->settings->steps;
    if (!list || !*list) {
        cli_say("converge needs the steps to compare: --steps 0.1,0.05,0.025");
        return CLI_USAGE;
    }
    const int exit = run_setup_rungs(&converge->plan, list, ROWS_MAX, rung, &converge->count);
    for (int i = 0; !exit && i < converge->count; i++) {
        converge->row[i].h = rung[i].h;
        converge->row[i].steps = rung[i].steps;
    }
    return exit;
}

/* Checks before the first run that the method supports the system. */
static int check_method(struct converge *converge) {
    struct noe_problem problem;
    converge->plan.step = converge->row[0].h;
    const int exit = run_setup_problem(&converge->plan, converge->settings, &problem);
    if (!exit) noe_problem_clear(&problem);
    return exit;
}

static int measure(struct converge *converge) {
    struct noe_error error = {0};
    long first_steps = converge->row[0].steps;
    for (int i = 1; i < converge->count; i++)
        if (converge->row[i].steps < first_steps) first_steps = converge->row[i].steps;
    if (convergence_refer(&converge->reference, &converge->task, first_steps, &error) != NOE_OK) {
        cli_say("the reference could not be made: %s", error.text);
        return cli_exit_of(error.status);
    }
    for (int i = 0; i < converge->count; i++) {
        const enum noe_status status =
            convergence_measure(&converge->row[i], &converge->reference, &converge->task, &error);
        if (status == NOE_OK) continue;
        cli_say("step %g: %s", (double)converge->row[i].h, error.text);
        if (status < 0) return cli_exit_of(status);
        if (converge->error.status == NOE_OK) converge->error = error;
        converge->error.status = status;
    }
    convergence_orders(converge->count, converge->row);
    converge->order = convergence_order(NULL, converge->count, converge->row, &converge->reference);
    return cli_exit_of(converge->error.status);
}

static int print_json(const struct converge *converge) {
    struct json json;
    json_init(&json);
    json_object(&json, NULL);
    json_string(&json, "reference", converge->reference.words);
    json_array(&json, "rows");
    for (int i = 0; i < converge->count; i++) {
        const struct convergence_row *row = &converge->row[i];
        json_object(&json, NULL);
        json_real(&json, "h", row->h);
        json_real(&json, "error", row->error);
        json_real(&json, "q_error", row->q_error);
        json_real(&json, "p_error", row->p_error);
        json_real(&json, "energy_error", row->energy_error);
        if (row->order == row->order) json_real(&json, "order", row->order);
        json_end(&json);
    }
    json_end(&json);
    if (converge->order == converge->order) json_real(&json, "order", converge->order);
    json_string(&json, "status", cli_status_word(converge->error.status));
    json_end(&json);
    return cli_print_json(&json);
}

/* Writes the rows as a table for 'noether plot'. */
static int write_rows(const struct converge *converge) {
    static const char *const column[] = {"h", "error", "q_error", "p_error", "energy_error"};
    const char *path = converge->settings->output;
    const struct noe_format *format = converge->format;
    const struct noe_record_header header = {.model_title = converge->plan.model->title,
                                             .model_text = converge->plan.model->text,
                                             .method = converge->plan.method,
                                             .settings = "",
                                             .ncolumns = sizeof column / sizeof *column,
                                             .column = column};
    struct noe_error error = {0};
    void *file = NULL;
    enum noe_status status = format->open(&file, path, &header, &error);
    for (int i = 0; i < converge->count && status == NOE_OK; i++) {
        const struct convergence_row *row = &converge->row[i];
        const real values[] = {row->h, row->error, row->q_error, row->p_error, row->energy_error};
        status = format->row(file, values, &error);
        if (status != NOE_OK) format->discard(file);
    }
    if (status == NOE_OK) status = format->close(file, NULL, &error);
    if (status != NOE_OK) cli_say("%s", error.text);
    return cli_exit_of(status);
}

static void print_table(const struct converge *converge) {
    cli_print("%s\n  %s, errors of (q, p) at t = %.10g\n  reference: %s\n\n",
              converge->plan.model->title, converge->plan.method, (double)converge->plan.until,
              converge->reference.words);
    printf("  %-14s %-10s %-12s %s\n", "step", "steps", "error", "order");
    for (int i = 0; i < converge->count; i++) {
        const struct convergence_row *row = &converge->row[i];
        printf("  %-14.8g %-10ld ", (double)row->h, row->steps);
        if (row->error == row->error)
            printf("%-12.4e ", (double)row->error);
        else
            printf("%-12s ", "failed");
        if (row->order == row->order) printf("%.3f", (double)row->order);
        putchar('\n');
    }
    if (converge->order == converge->order)
        printf("\n  observed order %.3f, from the finest rows above rounding\n",
               (double)converge->order);
    else
        puts("\n  no two rows stand clear of rounding: try larger steps");
}

int cli_converge(const struct cli_settings *settings) {
    struct converge converge = {.settings = settings};
    int exit = run_setup_format(settings->output, &converge.format);
    if (!exit) exit = run_setup_open(&converge.plan, settings);
    if (!exit)
        exit =
            run_setup_refuse_noise(&converge.plan, settings,
                                   "steps of different lengths see different paths: errors of one "
                                   "path tell no order; 'noether ensemble' gives means, which do");
    if (!exit) exit = run_setup_horizon(&converge.plan, settings);
    if (!exit) exit = read_rows(&converge);
    if (!exit) exit = check_method(&converge);
    if (!exit) {
        const struct noe_model *model = converge.plan.model;
        converge.task = (struct convergence_task){.system = model->system,
                                                  .method = converge.plan.method,
                                                  .from = converge.plan.from,
                                                  .until = converge.plan.until,
                                                  .q = model->q,
                                                  .v = model->v,
                                                  .reference_steps_max = REFERENCE_STEPS_MAX};
        exit = measure(&converge);
        if (converge.reference.end && exit <= CLI_NUMERICS) {
            int shown = settings->json ? print_json(&converge) : 0;
            if (!settings->json) print_table(&converge);
            if (!shown && settings->output) shown = write_rows(&converge);
            if (shown) exit = shown;
        }
    }
    convergence_reference_clear(&converge.reference);
    run_setup_clear(&converge.plan);
    return exit;
}
