/* Ensembles: members of one model, distributed over SIMD lanes, threads and MPI ranks. */
/* SPDX-License-Identifier: MIT */
#include "study/ensemble/ensemble.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"
#include "study/ensemble/ensemble_lanes.h"
#include "study/tangent_dynamics.h"

enum { EXACT_BYTES = 1 << 26, LANES_MAX = 64 };

/* State shared by the threads. */
struct team {
    struct ensemble *ensemble;
    const struct ensemble_settings *settings;
    long nblocks, blocks_of_part; /* blocks in total, and per part */
    pthread_mutex_t lock;
    pthread_cond_t turn;
    long next, joined;       /* next block to run, next block to add to the statistics */
    long done;               /* number of finished members */
    pthread_mutex_t reading; /* the model is read for one member at a time */
};

/* State of one thread. */
struct worker {
    struct team *team;
    struct ensemble_runs runs;
    real *value;              /* samples of one block: [(i * nnumbers + k) * BLOCK + member] */
    real *end;                /* final states of a block; NULL: not needed */
    real *q, *v, *parameters; /* initial states and parameters, one member per lane */
    struct ensemble_failure failure[ENSEMBLE_BLOCK]; /* failures in the block; member -1: none */
    struct noe_error error;
};

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static long part_of(const struct team *team, long block) { return block / team->blocks_of_part; }

/* The block at position `place` of this rank; -1 after the last. */
static long block_at(const struct team *team, long place) {
    const struct ensemble_settings *settings = team->settings;
    const long part = settings->first_part + place / team->blocks_of_part * settings->parts;
    const long block = part * team->blocks_of_part + place % team->blocks_of_part;
    return block < team->nblocks ? block : -1;
}

/* Quantity k of a run at its current state. */
static real number_of(const struct noe_problem *problem, const struct noe_lane *now, int k) {
    const struct noe_system *system = problem->system;
    if (k == 0) return now->energy;
    k--;
    if (system->nvalues) return now->values[k * now->stride];
    return k < problem->np ? now->q[k * now->stride] : now->v[(k - problem->np) * now->stride];
}

/* Reads the quantities of a run. Returns NOE_OK, or the reason why the run no longer counts. */
static enum noe_status read_numbers(const struct ensemble *ensemble,
                                    const struct noe_problem *problem, const struct noe_lane *now,
                                    bool was_lost, real *value) {
    bool is_finite = true;
    for (int k = 0; k < ensemble->nnumbers; k++) {
        value[k * ENSEMBLE_BLOCK] = number_of(problem, now, k);
        is_finite = is_finite && real_is_finite(value[k * ENSEMBLE_BLOCK]);
    }
    if (now->status == NOE_OK && is_finite && !was_lost) return NOE_OK;
    for (int k = 0; k < ensemble->nnumbers; k++) value[k * ENSEMBLE_BLOCK] = (real)NAN;
    return now->status == NOE_OK ? NOE_NOT_FINITE : now->status;
}

static void read_end(const struct noe_problem *problem, const struct noe_lane *now, bool is_good,
                     real *end) {
    const int np = problem->np, n = problem->system->n;
    for (int j = 0; j < np; j++) end[j] = is_good ? now->q[j * now->stride] : (real)NAN;
    for (int j = 0; j < n; j++) {
        end[np + j] = is_good ? now->v[j * now->stride] : (real)NAN;
        end[np + n + j] = is_good ? now->p[j * now->stride] : (real)NAN;
    }
    end += np + 2 * n;
    end[0] = is_good ? now->energy : (real)NAN;
    for (int j = 0; j < problem->system->nvalues; j++)
        end[1 + j] = is_good ? now->values[j * now->stride] : (real)NAN;
}

/* Records sample i of the members base + first and following, one per lane. */
static void note_sample(struct worker *worker, long i, int first, int count, long base) {
    struct team *team = worker->team;
    const struct ensemble *ensemble = team->ensemble;
    const struct ensemble_settings *settings = team->settings;
    ensemble_runs_measure(&worker->runs);
    for (int lane = 0; lane < count; lane++) {
        struct noe_lane now;
        struct ensemble_failure *failure = &worker->failure[first + lane];
        real *value = worker->value + i * ensemble->nnumbers * ENSEMBLE_BLOCK + first + lane;
        ensemble_runs_lane(&worker->runs, lane, &now);
        const bool was_lost = failure->member >= 0;
        const enum noe_status status =
            read_numbers(ensemble, settings->problem, &now, was_lost, value);
        if (status != NOE_OK && !was_lost) {
            failure->member = base + first + lane;
            failure->step = now.status == NOE_OK ? now.k : now.k + 1;
            snprintf(failure->reason, sizeof failure->reason, "%s", noe_status_text(status));
        }
        if (worker->end && i + 1 == ensemble->nsamples)
            read_end(settings->problem, &now, failure->member < 0,
                     worker->end + (first + lane) * ensemble_end_size(settings->problem));
    }
}

/* A member that the model cannot create has failed, and its values are NaN. */
static void lose_member(struct worker *worker, long member, int lane) {
    const struct ensemble_settings *settings = worker->team->settings;
    const struct noe_model *model = settings->model;
    struct ensemble_failure *failure = &worker->failure[member % ENSEMBLE_BLOCK];
    for (int i = 0; i < settings->problem->np; i++)
        worker->q[lane * settings->problem->np + i] = (real)NAN;
    memcpy(worker->parameters + lane * model->system->nparameters, model->system->parameters,
           (size_t)model->system->nparameters * sizeof(real));
    failure->member = member;
    failure->step = 0;
    snprintf(failure->reason, sizeof failure->reason, "%.110s", worker->error.text);
    worker->error = (struct noe_error){0};
}

/* Starts the members base + first and following, one per lane. */
static enum noe_status begin(struct worker *worker, long base, int first, int count) {
    struct team *team = worker->team;
    const struct ensemble_settings *settings = team->settings;
    const struct noe_model *model = settings->model;
    const int np = settings->problem->np, n = settings->problem->system->n;
    struct noe_member member[LANES_MAX];
    enum noe_status status = NOE_OK;
    pthread_mutex_lock(&team->reading);
    for (int lane = 0; lane < count && status == NOE_OK; lane++) {
        real *q = worker->q + lane * np, *v = worker->v + lane * n;
        real *parameters = worker->parameters + lane * model->system->nparameters;
        status = noe_model_member(model, settings->seed, base + first + lane, q, v, parameters,
                                  NULL, &worker->error);
        if (status == NOE_BAD_INPUT) {
            lose_member(worker, base + first + lane, lane);
            status = NOE_OK;
        }
        member[lane] = (struct noe_member){
            parameters, settings->from, q, v, settings->seed, (unsigned long)(base + first + lane)};
    }
    pthread_mutex_unlock(&team->reading);
    if (status != NOE_OK) return status;
    return ensemble_runs_start(&worker->runs, count, member, &worker->error);
}

static enum noe_status run_block(struct worker *worker, long block) {
    struct team *team = worker->team;
    const struct ensemble *ensemble = team->ensemble;
    const struct ensemble_settings *settings = team->settings;
    const long base = block * ENSEMBLE_BLOCK;
    const long size =
        settings->members - base < ENSEMBLE_BLOCK ? settings->members - base : ENSEMBLE_BLOCK;
    const int lanes = ensemble_runs_lanes(&worker->runs);
    for (int i = 0; i < ENSEMBLE_BLOCK; i++) worker->failure[i].member = -1;
    for (int first = 0; first < size; first += lanes) {
        const int count = first + lanes < size ? lanes : (int)size - first;
        const enum noe_status status = begin(worker, base, first, count);
        if (status != NOE_OK) return status;
        long step = 0;
        for (long i = 0; i < ensemble->nsamples; i++) {
            ensemble_runs_steps(&worker->runs, ensemble->step[i] - step);
            step = ensemble->step[i];
            note_sample(worker, i, first, count, base);
            if (settings->interrupt && *settings->interrupt)
                return status_set(&worker->error, NOE_INTERRUPTED, "interrupted");
        }
    }
    return NOE_OK;
}

/* Passes on the final states of a block. */
static enum noe_status hand_ends(struct worker *worker, long base, long count) {
    const struct ensemble_settings *settings = worker->team->settings;
    const long size = ensemble_end_size(settings->problem);
    real *final = worker->team->ensemble->final;
    if (final) memcpy(final + base * size, worker->end, (size_t)(count * size) * sizeof *final);
    if (!settings->take_ends) return NOE_OK;
    return settings->take_ends(settings->ends_data, base, count, worker->end, &worker->error);
}

/* Adds the block to the statistics of its part, in the order of members. */
static enum noe_status join_block(struct worker *worker, long block) {
    struct team *team = worker->team;
    struct ensemble *ensemble = team->ensemble;
    const struct ensemble_settings *settings = team->settings;
    const long base = block * ENSEMBLE_BLOCK, all = ensemble->nsamples * ensemble->nnumbers;
    const long size =
        settings->members - base < ENSEMBLE_BLOCK ? settings->members - base : ENSEMBLE_BLOCK;
    for (long j = 0; j < all; j++) {
        struct statistic own;
        statistic_clear(&own);
        for (long i = 0; i < size; i++) {
            const real value = worker->value[j * ENSEMBLE_BLOCK + i];
            if (ensemble->is_exact) ensemble->value[j * settings->members + base + i] = value;
            if (!(value == value)) continue;
            statistic_add(&own, value);
            if (!ensemble->is_exact) ensemble->bin[j * STATISTIC_BINS + statistic_bin(value)]++;
        }
        statistic_join(&ensemble->part[part_of(team, block) * all + j], &own);
    }
    for (long i = 0; i < size; i++)
        if (worker->failure[i].member >= 0) ensemble_add_failures(ensemble, 1, &worker->failure[i]);
    return worker->end ? hand_ends(worker, base, size) : NOE_OK;
}

/* Runs blocks until none is left. Each is added to the statistics after all blocks before it. */
static void *work(void *data) {
    struct worker *worker = data;
    struct team *team = worker->team;
    const struct ensemble_settings *settings = team->settings;
    enum noe_status status = NOE_OK;
    for (;;) {
        pthread_mutex_lock(&team->lock);
        const long place = team->next++;
        pthread_mutex_unlock(&team->lock);
        const long block = block_at(team, place);
        if (block >= 0 && status == NOE_OK) status = run_block(worker, block);
        pthread_mutex_lock(&team->lock);
        while (team->joined < place) pthread_cond_wait(&team->turn, &team->lock);
        if (block >= 0 && status == NOE_OK) {
            status = join_block(worker, block);
            team->done += ENSEMBLE_BLOCK;
            if (settings->progress) settings->progress(settings->progress_data, team->done);
        }
        team->joined++;
        pthread_cond_broadcast(&team->turn);
        pthread_mutex_unlock(&team->lock);
        if (block < 0 || status != NOE_OK) {
            worker->error.status = status;
            return NULL;
        }
    }
}

static bool open_worker(struct worker *worker, struct team *team, struct noe_error *error) {
    const struct ensemble_settings *settings = team->settings;
    const struct ensemble *ensemble = team->ensemble;
    worker->team = team;
    if (ensemble_runs_open(&worker->runs, settings, error) != NOE_OK) return false;
    const size_t lanes = (size_t)ensemble_runs_lanes(&worker->runs);
    const size_t numbers = (size_t)(ensemble->nsamples * ensemble->nnumbers);
    const bool wants_ends = settings->keeps_final || settings->take_ends;
    worker->value = calloc(numbers * ENSEMBLE_BLOCK + 1, sizeof(real));
    if (wants_ends)
        worker->end =
            calloc((size_t)ensemble_end_size(settings->problem) * ENSEMBLE_BLOCK, sizeof(real));
    worker->q = calloc(lanes * (size_t)settings->problem->np + 1, sizeof(real));
    worker->v = calloc(lanes * (size_t)settings->problem->system->n + 1, sizeof(real));
    worker->parameters =
        calloc(lanes * (size_t)settings->model->system->nparameters + 1, sizeof(real));
    if (lanes <= LANES_MAX && worker->value && worker->q && worker->v && worker->parameters &&
        (worker->end || !wants_ends))
        return true;
    status_set(error, NOE_NO_MEMORY, "out of memory for the members of a thread");
    return false;
}

static void close_worker(struct worker *worker) {
    ensemble_runs_close(&worker->runs);
    free(worker->value);
    free(worker->end);
    free(worker->q);
    free(worker->v);
    free(worker->parameters);
}

/* Runs the opened workers, in fewer threads if the system gives no more. */
static enum noe_status run_workers(struct team *team, struct worker *worker, int count) {
    struct ensemble *ensemble = team->ensemble;
    pthread_t thread[256];
    int running = 0;
    ensemble->lanes = ensemble_runs_lanes(&worker->runs);
    snprintf(ensemble->words, sizeof ensemble->words, "%.190s", ensemble_runs_text(&worker->runs));
    for (; running + 1 < count; running++)
        if (pthread_create(&thread[running], NULL, work, &worker[running + 1]) != 0) break;
    work(&worker[0]);
    for (int i = 0; i < running; i++) pthread_join(thread[i], NULL);
    enum noe_status status = NOE_OK;
    for (int i = 0; i <= running && status == NOE_OK; i++) {
        status = worker[i].error.status;
        if (status != NOE_OK) ensemble->error = worker[i].error;
    }
    return status;
}

static enum noe_status run_team(struct team *team, struct worker *worker, int count) {
    int open = 0;
    while (open < count && open_worker(&worker[open], team, &team->ensemble->error)) open++;
    const enum noe_status status =
        open == count ? run_workers(team, worker, count) : team->ensemble->error.status;
    for (int i = 0; i < count; i++) close_worker(&worker[i]); /* also those that were not opened */
    return status;
}

/* Number of steps between samples. The last step is always a sample. */
static long sample_interval(const struct ensemble_settings *settings) {
    return settings->sample > 0 ? settings->sample : settings->steps;
}

static void count_numbers(struct ensemble *ensemble, const struct ensemble_settings *settings) {
    const long every = sample_interval(settings);
    const long whole = every > 0 ? settings->steps / every : 0;
    const bool has_rest = every > 0 && settings->steps % every != 0;
    ensemble->nsamples = settings->sample > 0 ? 1 + whole + has_rest : 1;
    ensemble->nnumbers = ensemble_number_count(settings->problem);
}

static bool list_samples(struct ensemble *ensemble, const struct ensemble_settings *settings) {
    const long every = sample_interval(settings);
    ensemble->step = calloc((size_t)ensemble->nsamples, sizeof *ensemble->step);
    for (long i = 0; ensemble->step && i < ensemble->nsamples; i++)
        ensemble->step[i] = i * every < settings->steps ? i * every : settings->steps;
    if (ensemble->step) ensemble->step[ensemble->nsamples - 1] = settings->steps;
    return ensemble->step != NULL;
}

/* Memory in bytes that all threads together need. */
static double memory_needed(const struct ensemble *ensemble,
                            const struct ensemble_settings *settings) {
    const double numbers = (double)ensemble->nsamples * ensemble->nnumbers;
    const double members = (double)settings->members;
    const double exact = numbers * members * sizeof(real);
    const double end = settings->keeps_final ? ensemble_end_size(settings->problem) : 0;
    return numbers * (ENSEMBLE_PARTS + 1) * sizeof *ensemble->part +
           (exact <= EXACT_BYTES ? exact : numbers * STATISTIC_BINS * sizeof *ensemble->bin) +
           members * end * sizeof(real) +
           settings->threads * (numbers + end) * ENSEMBLE_BLOCK * sizeof(real);
}

static bool allocate(struct ensemble *ensemble, const struct ensemble_settings *settings) {
    const double has = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (memory_needed(ensemble, settings) > has || !list_samples(ensemble, settings)) return false;
    const size_t numbers = (size_t)ensemble->nsamples * (size_t)ensemble->nnumbers;
    const size_t members = (size_t)settings->members;
    ensemble->statistic = calloc(numbers, sizeof *ensemble->statistic);
    ensemble->part = calloc(numbers * ENSEMBLE_PARTS, sizeof *ensemble->part);
    ensemble->failure = calloc(ENSEMBLE_FAILED_MAX, sizeof *ensemble->failure);
    ensemble->is_exact = members <= EXACT_BYTES / sizeof(real) / numbers;
    if (ensemble->is_exact)
        ensemble->value = malloc(numbers * members * sizeof(real));
    else
        ensemble->bin = calloc(numbers * STATISTIC_BINS, sizeof *ensemble->bin);
    if (settings->keeps_final)
        ensemble->final =
            malloc(members * (size_t)ensemble_end_size(settings->problem) * sizeof(real));
    if (!ensemble->statistic || !ensemble->part || !ensemble->failure ||
        !(ensemble->value || ensemble->bin) || (settings->keeps_final && !ensemble->final))
        return false;
    for (size_t i = 0; i < numbers * ENSEMBLE_PARTS; i++) statistic_clear(&ensemble->part[i]);
    for (size_t i = 0; ensemble->value && i < numbers * members; i++)
        ensemble->value[i] = (real)NAN;
    return true;
}

enum noe_status ensemble_run(struct ensemble *ensemble, const struct ensemble_settings *settings) {
    struct team team = {.ensemble = ensemble, .settings = settings};
    const double start = seconds_now();
    memset(ensemble, 0, sizeof *ensemble);
    enum noe_status status = tangent_check(settings->problem, &ensemble->error);
    if (status != NOE_OK) return status;
    team.nblocks = (settings->members + ENSEMBLE_BLOCK - 1) / ENSEMBLE_BLOCK;
    team.blocks_of_part = (team.nblocks + ENSEMBLE_PARTS - 1) / ENSEMBLE_PARTS;
    const int threads = settings->threads < 256 ? settings->threads : 256;
    struct worker *worker = calloc((size_t)threads, sizeof *worker);
    count_numbers(ensemble, settings);
    if (!worker || !allocate(ensemble, settings)) {
        free(worker);
        return status_set(&ensemble->error, NOE_NO_MEMORY,
                          "out of memory: %ld samples of %d numbers%s need %.3g GB; try fewer "
                          "samples%s",
                          ensemble->nsamples, ensemble->nnumbers,
                          settings->keeps_final ? " and the ends of all members" : "",
                          memory_needed(ensemble, settings) / 1e9,
                          settings->keeps_final ? ", or --final without --json, into a file .h5"
                                                : "");
    }
    pthread_mutex_init(&team.lock, NULL);
    pthread_mutex_init(&team.reading, NULL);
    pthread_cond_init(&team.turn, NULL);
    status = run_team(&team, worker, threads);
    pthread_cond_destroy(&team.turn);
    pthread_mutex_destroy(&team.reading);
    pthread_mutex_destroy(&team.lock);
    free(worker);
    ensemble->seconds = seconds_now() - start;
    ensemble->error.status = status;
    return status;
}

void ensemble_add_failures(struct ensemble *ensemble, long count,
                           const struct ensemble_failure *failure) {
    struct ensemble_failure *list = ensemble->failure;
    long listed = ensemble_listed(ensemble);
    for (long i = 0; i < count; i++) { /* insert in order of members; the last ones drop out */
        long place = listed;
        while (place > 0 && list[place - 1].member > failure[i].member) place--;
        if (place == ENSEMBLE_FAILED_MAX) continue;
        if (listed < ENSEMBLE_FAILED_MAX) listed++;
        memmove(list + place + 1, list + place, (size_t)(listed - 1 - place) * sizeof *list);
        list[place] = failure[i];
    }
    ensemble->nfailed += count;
}

static int by_value(const void *a, const void *b) {
    const real x = *(const real *)a, y = *(const real *)b;
    return (x > y) - (x < y);
}

void ensemble_join(struct ensemble *ensemble, const struct ensemble_settings *settings) {
    const long all = ensemble->nsamples * ensemble->nnumbers;
    for (long j = 0; j < all; j++) {
        statistic_clear(&ensemble->statistic[j]);
        for (int part = 0; part < ENSEMBLE_PARTS; part++)
            statistic_join(&ensemble->statistic[j], &ensemble->part[part * all + j]);
        if (!ensemble->is_exact) continue;
        real *value = ensemble->value + j * settings->members;
        long good = 0; /* number of members that have not failed */
        for (long i = 0; i < settings->members; i++)
            if (value[i] == value[i]) value[good++] = value[i];
        qsort(value, (size_t)good, sizeof *value, by_value);
    }
}

real ensemble_quantile(const struct ensemble *ensemble, const struct ensemble_settings *settings,
                       long i, int k, real share) {
    const long j = i * ensemble->nnumbers + k;
    if (!ensemble->is_exact)
        return statistic_bin_quantile(ensemble->bin + j * STATISTIC_BINS, share);
    return statistic_quantile(ensemble->statistic[j].count, ensemble->value + j * settings->members,
                              share);
}

real ensemble_end_number(const struct noe_problem *problem, const real *end, int k) {
    const struct noe_system *system = problem->system;
    const bool is_configuration = k > 0 && !system->nvalues;
    return end[is_configuration ? k - 1 : problem->np + 2 * system->n + k];
}

void ensemble_histogram(const struct ensemble *ensemble, const struct ensemble_settings *settings,
                        long i, int k, int cells, real *share) {
    const long j = i * ensemble->nnumbers + k;
    const struct statistic *statistic = &ensemble->statistic[j];
    if (ensemble->is_exact)
        statistic_histogram(statistic->count, ensemble->value + j * settings->members,
                            statistic->min, statistic->max, cells, share);
    else
        statistic_bin_histogram(ensemble->bin + j * STATISTIC_BINS, statistic->min, statistic->max,
                                cells, share);
}

void ensemble_clear(struct ensemble *ensemble) {
    free(ensemble->step);
    free(ensemble->statistic);
    free(ensemble->part);
    free(ensemble->failure);
    free(ensemble->value);
    free(ensemble->bin);
    free(ensemble->final);
    memset(ensemble, 0, sizeof *ensemble);
}
