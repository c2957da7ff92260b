/* Output file of an optimal control problem: nodes, controls and costates. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/control.h"
#include "study/trajectory_columns.h"

/* Writes node k as a row, in the order of columns_create_control. */
static void fill_row(const struct control_run *run, struct noe_work *work, long k, real *row) {
    const struct control *control = &run->control;
    const struct noe_transcription *t = control->transcription;
    const double *x = run->solution.x;
    const bool is_end = k == control->N;
    real *q = row + 1, *v = q + t->np, *p = v + t->n, *u = p + t->n, *costate = u + t->m;
    struct noe_observation moment = {0};
    row[0] = control_time(control, x, k);
    control_point(control, x, k, q);
    for (int i = 0; i < t->n; i++) p[i] = (real)control_momentum(control, x, k)[i];
    const bool has_velocity = noe_work_start_momentum(work, row[0], q, p, NULL) == NOE_OK &&
                              noe_work_observe(work, &moment, NULL) == NOE_OK;
    for (int i = 0; i < t->n; i++) v[i] = has_velocity ? moment.v[i] : (real)NAN;
    control_input(control, x, is_end ? k - 1 : k, is_end, u);
    control_costate(control, &run->solution, k, costate);
}

static enum noe_status write_rows(const struct control_run *run, const struct noe_format *format,
                                  void *file, int count, struct noe_error *error) {
    struct noe_problem problem;
    struct noe_work *work = NULL;
    real *row = calloc((size_t)count + 1, sizeof *row);
    if (!row) return NOE_NO_MEMORY;
    enum noe_status status =
        noe_problem_init(&problem, run->plan.model->system, run->plan.method, 1, error);
    if (status == NOE_OK) {
        status = noe_work_create(&work, &problem, error);
        for (long k = 0; k <= run->control.N && status == NOE_OK; k++) {
            fill_row(run, work, k, row);
            status = format->row(file, row, error);
        }
        noe_work_free(work);
        noe_problem_clear(&problem);
    }
    free(row);
    return status;
}

int control_record(const struct control_run *run) {
    const struct noe_format *format = noe_format_find(run->settings->output);
    struct noe_error error = {0};
    void *file = NULL;
    int count = 0;
    char settings[64];
    char **names = columns_create_control(run->plan.model, run->control.transcription, &count);
    snprintf(settings, sizeof settings, "steps=%ld", run->control.N);
    const struct noe_record_header header = {.model_title = run->plan.model->title,
                                             .model_text = run->plan.model->text,
                                             .method = run->plan.method,
                                             .settings = settings,
                                             .ncolumns = count,
                                             .column = (const char *const *)names};
    enum noe_status status = names ? NOE_OK : NOE_NO_MEMORY;
    if (status == NOE_OK) status = format->open(&file, run->settings->output, &header, &error);
    if (status == NOE_OK) {
        status = write_rows(run, format, file, count, &error);
        const bool is_whole = run->solution.status == NOE_OK;
        if (status == NOE_OK)
            status = format->close(file, is_whole ? NULL : run->solution.words, &error);
        else
            format->discard(file);
    }
    columns_free(names, count);
    if (status == NOE_OK) return 0;
    cli_say("%s", error.text[0] ? error.text : "out of memory");
    return cli_exit_of(status);
}
