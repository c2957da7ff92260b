/* What an ensemble records: statistics at every sample, or where every member ended. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/ensemble.h"

/* Of each number: mean, deviation, least, largest, quantiles, and how many members lie in equal
 * parts between least and largest. */
enum { MOMENTS = 4, CELLS = 40, KINDS = MOMENTS + ENSEMBLE_SHARES + CELLS };
static const char *const moments[MOMENTS] = {"mean", "deviation", "min", "max"};

struct record {
    const struct ensemble_run *run;
    int ncolumns;
    char (*name)[ENSEMBLE_NAME + 16];
    const char **column;
    real *row;
    const struct noe_format *format;
    void *file;
    struct noe_error error;
};

static bool record_open(struct record *record, int room) {
    record->name = calloc((size_t)room, sizeof *record->name);
    record->column = calloc((size_t)room, sizeof *record->column);
    record->row = calloc((size_t)room, sizeof *record->row);
    return record->name && record->column && record->row;
}

static char *next_name(struct record *record) {
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

static void name_statistics(struct record *record) {
    snprintf(next_name(record), sizeof *record->name, "t");
    for (int k = 0; k < record->run->ensemble.nnumbers; k++)
        for (int kind = 0; kind < KINDS; kind++) {
            char word[16];
            name_kind(kind, sizeof word, word);
            snprintf(next_name(record), sizeof *record->name, "%.190s %s", record->run->name[k],
                     word);
        }
}

/* A number of the start that varies is told apart from the same number at the end. */
static void name_ends(struct record *record) {
    const struct ensemble_run *run = record->run;
    snprintf(next_name(record), sizeof *record->name, "member");
    for (int i = 0; i < run->members.stated.count; i++)
        snprintf(next_name(record), sizeof *record->name, "%s%.190s",
                 noe_model_population_is_parameter(run->plan.model, i) ? "" : "start.",
                 noe_model_population_name(run->plan.model, i));
    for (int k = 0; k < run->ensemble.nnumbers; k++)
        snprintf(next_name(record), sizeof *record->name, "%.190s", run->name[k]);
}

static enum noe_status write_statistics(struct record *record) {
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
            *at++ = statistic->least;
            *at++ = statistic->most;
            for (int j = 0; j < ENSEMBLE_SHARES; j++)
                *at++ =
                    ensemble_quantile(ensemble, &run->how, i, k, (real)ensemble_shares[j].share);
            ensemble_histogram(ensemble, &run->how, i, k, CELLS, at);
            at += CELLS;
        }
        status = record->format->row(record->file, record->row, &record->error);
    }
    return status;
}

static enum noe_status write_ends(struct record *record) {
    const struct ensemble_run *run = record->run;
    const long size = ensemble_end_size(&run->problem);
    enum noe_status status = NOE_OK;
    for (long member = 0; member < run->how.members && status == NOE_OK; member++) {
        const real *end = run->ensemble.final + member * size;
        real *at = record->row;
        *at++ = (real)member;
        noe_model_population_draw(run->plan.model, run->how.seed, member, at);
        at += run->members.stated.count;
        for (int k = 0; k < run->ensemble.nnumbers; k++)
            *at++ = ensemble_end_number(&run->problem, end, k);
        status = record->format->row(record->file, record->row, &record->error);
    }
    return status;
}

static enum noe_status write_file(struct record *record, bool of_ends) {
    const struct ensemble_run *run = record->run;
    char settings[160];
    snprintf(settings, sizeof settings, "step=%g, members=%ld seed=%lu, to t=%g",
             (double)run->problem.h, run->how.members, run->how.seed,
             (double)(run->how.from + (real)run->how.steps * run->problem.h));
    const struct noe_record_header header = {.model_title = run->plan.model->title,
                                             .model_text = run->plan.model->text,
                                             .method = run->plan.method,
                                             .settings = settings,
                                             .ncolumns = record->ncolumns,
                                             .column = record->column};
    enum noe_status status =
        record->format->open(&record->file, run->settings->output, &header, &record->error);
    if (status != NOE_OK) return status;
    status = of_ends ? write_ends(record) : write_statistics(record);
    if (status == NOE_OK) return record->format->close(record->file, NULL, &record->error);
    record->format->discard(record->file);
    return status;
}

int ensemble_record(const struct ensemble_run *run) {
    const bool of_ends = run->settings->final;
    struct record record = {.run = run, .format = noe_format_find(run->settings->output)};
    const int room = 1 + (of_ends ? run->members.stated.count + run->ensemble.nnumbers
                                  : KINDS * run->ensemble.nnumbers);
    enum noe_status status = record_open(&record, room) ? NOE_OK : NOE_NO_MEMORY;
    if (status == NOE_OK) {
        if (of_ends)
            name_ends(&record);
        else
            name_statistics(&record);
        status = write_file(&record, of_ends);
    }
    free(record.name);
    free(record.column);
    free(record.row);
    if (status == NOE_OK) return 0;
    cli_say("%s", record.error.text[0] ? record.error.text : "out of memory");
    return cli_exit_of(status);
}
