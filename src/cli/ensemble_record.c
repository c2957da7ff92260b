/* Output files of an ensemble: statistics of every sample, or final states of every member. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/ensemble.h"
#include "model/ensemble_member.h"
#include "study/trajectory_columns.h"

/* Columns of each quantity: mean, standard deviation, minimum, maximum, quantiles, and counts of
 * members in equal bins between minimum and maximum. */
enum { MOMENTS = 4, CELLS = 40, KINDS = MOMENTS + ENSEMBLE_SHARES + CELLS };
static const char *const moments[MOMENTS] = {"mean", "deviation", "min", "max"};

struct ensemble_record {
    const struct ensemble_run *run;
    bool has_ends; /* final states; else statistics */
    int ncolumns;
    char (*name)[ENSEMBLE_NAME + 16];
    /* Coordinates and velocities at the end, where they are not among the quantities; the names of
     * the columns of a run. */
    int ncoordinates, ncourse;
    char **coordinate;
    const char **column;
    real *row; /* final states: a block of rows */
    void *file;
    struct noe_error error;
};

static char *next_name(struct ensemble_record *record) {
    record->column[record->ncolumns] = record->name[record->ncolumns];
    return record->name[record->ncolumns++];
}

static void name_kind(int kind, size_t size, char *text) {
    if (kind < MOMENTS)
        snprintf(text, size, "%s", moments[kind]);
    else if (kind < MOMENTS + ENSEMBLE_SHARES)
        snprintf(text, size, "%s", ensemble_shares[kind - MOMENTS].column);
    else
        snprintf(text, size, "bin%d", kind - MOMENTS - ENSEMBLE_SHARES + 1);
}

static void name_statistics(struct ensemble_record *record) {
    snprintf(next_name(record), sizeof *record->name, "t");
    for (int k = 0; record->run->name[k]; k++)
        for (int kind = 0; kind < KINDS; kind++) {
            char word[16];
            name_kind(kind, sizeof word, word);
            snprintf(next_name(record), sizeof *record->name, "%.190s %s", record->run->name[k],
                     word);
        }
}

/* Distinguishes a varied initial value from the same quantity at the end. */
static void name_ends(struct ensemble_record *record) {
    const struct ensemble_run *run = record->run;
    snprintf(next_name(record), sizeof *record->name, "member");
    for (int i = 0; i < run->members.stated.count; i++)
        snprintf(next_name(record), sizeof *record->name, "%s%.190s",
                 model_ensemble_is_parameter(run->plan.model, i) ? "" : "start.",
                 model_ensemble_name(run->plan.model, i));
    for (int k = 0; run->name[k]; k++)
        snprintf(next_name(record), sizeof *record->name, "%.190s", run->name[k]);
    for (int i = 0; i < record->ncoordinates; i++) /* the first column is the time */
        snprintf(next_name(record), sizeof *record->name, "end.%.190s", record->coordinate[1 + i]);
}

static bool make_columns(struct ensemble_record *record) {
    const struct ensemble_run *run = record->run;
    const int numbers = ensemble_number_count(&run->problem);
    const struct noe_system *system = run->problem.system;
    if (record->has_ends && system->nvalues) {
        record->ncoordinates = run->problem.np + system->n;
        record->coordinate =
            columns_create(run->plan.model, run->problem.method, false, &record->ncourse);
        if (!record->coordinate) return false;
    }
    const int room =
        1 + (record->has_ends ? run->members.stated.count + numbers + record->ncoordinates
                              : KINDS * numbers);
    const int rows = record->has_ends ? ENSEMBLE_BLOCK : 1;
    record->name = calloc((size_t)room, sizeof *record->name);
    record->column = calloc((size_t)room, sizeof *record->column);
    record->row = calloc((size_t)room * (size_t)rows, sizeof *record->row);
    if (!record->name || !record->column || !record->row) return false;
    if (record->has_ends)
        name_ends(record);
    else
        name_statistics(record);
    return true;
}

static enum noe_status write_statistics(struct ensemble_record *record) {
    const struct ensemble_run *run = record->run;
    const struct ensemble *ensemble = &run->ensemble;
    enum noe_status status = NOE_OK;
    for (long i = 0; i < ensemble->nsamples && status == NOE_OK; i++) {
        real *at = record->row;
        *at++ = run->how.from + (real)ensemble->step[i] * run->problem.h;
        for (int k = 0; k < ensemble->nnumbers; k++) {
            const struct statistic *statistic = &ensemble->statistic[i * ensemble->nnumbers + k];
            *at++ = statistic->mean;
            *at++ = noe_sqrt(statistic_variance(statistic));
            *at++ = statistic->min;
            *at++ = statistic->max;
            for (int j = 0; j < ENSEMBLE_SHARES; j++)
                *at++ =
                    ensemble_quantile(ensemble, &run->how, i, k, (real)ensemble_shares[j].share);
            ensemble_histogram(ensemble, &run->how, i, k, CELLS, at);
            at += CELLS;
        }
        status = run->format->row(record->file, record->row, &record->error);
    }
    return status;
}

static void fill_end(const struct ensemble_record *record, long member, const real *end, real *at) {
    const struct ensemble_run *run = record->run;
    *at++ = (real)member;
    model_ensemble_draw(run->plan.model, run->how.seed, member, at);
    at += run->members.stated.count;
    for (int k = 0; run->name[k]; k++) *at++ = ensemble_end_number(&run->problem, end, k);
    for (int i = 0; i < record->ncoordinates; i++) *at++ = end[i]; /* q, then v */
}

/* Function take_ends of struct ensemble_settings. */
static enum noe_status take_ends(void *data, long first, long count, const real *ends,
                                 struct noe_error *error) {
    struct ensemble_record *record = data;
    const struct ensemble_run *run = record->run;
    const long size = ensemble_end_size(&run->problem);
    for (long i = 0; i < count; i++)
        fill_end(record, first + i, ends + i * size, record->row + i * record->ncolumns);
    return run->format->rows_at(record->file, (size_t)first, (size_t)count, record->row, error);
}

static enum noe_status write_ends(struct ensemble_record *record) {
    const struct ensemble_run *run = record->run;
    const long size = ensemble_end_size(&run->problem);
    enum noe_status status = NOE_OK;
    for (long member = 0; member < run->how.members && status == NOE_OK; member++) {
        fill_end(record, member, run->ensemble.final + member * size, record->row);
        status = run->format->row(record->file, record->row, &record->error);
    }
    return status;
}

static enum noe_status open_file(struct ensemble_record *record) {
    const struct ensemble_run *run = record->run;
    char settings[160];
    snprintf(settings, sizeof settings, "step=%g, members=%ld seed=%lu, to t=%g",
             (double)run->problem.h, run->how.members, run->how.seed,
             (double)(run->how.from + (real)run->how.steps * run->problem.h));
    const struct noe_record_header header = {
        .model_title = run->plan.model->title,
        .model_text = run->plan.model->text,
        .method = run->plan.method,
        .settings = settings,
        .ncolumns = record->ncolumns,
        .column = record->column,
        .nrows = record->has_ends ? (size_t)run->how.members : 0,
        .writers = run->streams_ends ? cli_ranks->writers : NULL};
    return run->format->open(&record->file, run->settings->output, &header, &record->error);
}

/* Commits the file on success, else discards it. */
static enum noe_status close_file(struct ensemble_record *record, enum noe_status status) {
    const struct noe_format *format = record->run->format;
    if (record->file && status == NOE_OK)
        status = format->close(record->file, NULL, &record->error);
    else if (record->file)
        format->discard(record->file);
    free(record->name);
    free(record->column);
    free(record->row);
    if (record->coordinate) columns_free(record->coordinate, record->ncourse);
    return status;
}

/* A failure to open or close a file occurs in all processes, so only the first one reports it. */
static int say(const struct ensemble_record *record, enum noe_status status) {
    if (status == NOE_OK) return 0;
    if (cli_ranks->rank == 0)
        cli_say("%s", record->error.text[0] ? record->error.text : "out of memory");
    return cli_exit_of(status);
}

/* Checks and memory that the file of final states needs before it is opened. */
static int make_stream(struct ensemble_run *run) {
    run->stream = calloc(1, sizeof *run->stream);
    if (run->stream) {
        *run->stream = (struct ensemble_record){.run = run, .has_ends = true};
        run->how.take_ends = take_ends;
        run->how.ends_data = run->stream;
        if (make_columns(run->stream)) return 0;
    }
    return cli_no_memory();
}

int ensemble_record_begin(struct ensemble_run *run) {
    const bool of_ends = run->settings->final;
    run->streams_ends = of_ends && run->format && run->format->rows_at &&
                        (cli_ranks->size == 1 || cli_ranks->writers);
    run->how.keeps_final = of_ends && (run->settings->json || (run->format && !run->streams_ends));
    if (!run->streams_ends) return 0;
    int exit = cli_ranks->agree(make_stream(run));
    if (!exit) exit = cli_ranks->agree(say(run->stream, open_file(run->stream)));
    return exit ? ensemble_record_end(run, exit) : 0;
}

int ensemble_record_end(struct ensemble_run *run, int exit) {
    if (!run->stream) return exit;
    const enum noe_status status = close_file(run->stream, exit ? NOE_IO : NOE_OK);
    if (!exit) exit = cli_ranks->agree(say(run->stream, status));
    free(run->stream);
    run->stream = NULL;
    return exit;
}

int ensemble_record_kept(const struct ensemble_run *run) {
    struct ensemble_record record = {.run = run, .has_ends = run->settings->final};
    enum noe_status status = make_columns(&record) ? open_file(&record) : NOE_NO_MEMORY;
    if (status == NOE_OK)
        status = record.has_ends ? write_ends(&record) : write_statistics(&record);
    return say(&record, close_file(&record, status));
}
