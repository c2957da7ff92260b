/* Poincare sections of an ensemble: members with their section points, distributed over lanes and
 * threads. */
/* SPDX-License-Identifier: MIT */
#include "study/section/section_ensemble.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "model/model.h"
#include "study/section/section_lanes.h"

enum { THREADS_MAX = 256, LANES_MAX = 8 };

/* State shared by the threads. */
struct team {
    const struct section_members *settings;
    pthread_mutex_t lock, reading; /* lock: of this struct; reading: of the model */
    pthread_cond_t turn;
    long next, told; /* next member to run, next member to report */
    int lanes;       /* members that a thread runs at once */
    struct noe_error error;
};

/* A member with its own parameters, and its points. */
struct orbit {
    struct team *team;
    struct noe_problem problem;
    struct noe_system system;
    real *parameters, *q, *v;
    long count, room;
    real *point; /* for each point: event, t, energy, recorded quantities */
    struct section section;
};

/* State of one thread. */
struct crew {
    struct team *team;
    struct section_lanes *lanes; /* NULL: one member at a time */
    struct orbit orbit[LANES_MAX];
    struct section_lane lane[LANES_MAX];
    int nlanes; /* number of lanes in use, and their orbits */
    int place[LANES_MAX];
};

static int point_size(const struct noe_system *system) { return 3 + system->nrecorded; }

/* Stores a point until all earlier members have been reported. */
static enum noe_status keep(void *data, const struct section_point *point,
                            struct noe_error *error) {
    struct orbit *orbit = data;
    const int size = point_size(&orbit->system);
    if (orbit->count == orbit->room) {
        const long room = 2 * orbit->room + 64;
        real *larger = realloc(orbit->point, (size_t)(room * size) * sizeof *larger);
        if (!larger)
            return status_set(error, NOE_NO_MEMORY,
                              "no memory for more than %ld crossings of one member", orbit->count);
        orbit->point = larger;
        orbit->room = room;
    }
    real *at = orbit->point + orbit->count++ * size;
    at[0] = (real)point->crossing;
    at[1] = point->t;
    at[2] = point->energy;
    memcpy(at + 3, point->recorded, (size_t)orbit->system.nrecorded * sizeof *at);
    return NOE_OK;
}

/* Reads initial state and parameters of a member. A failure is stored in its section. */
static bool read_member(struct orbit *orbit, long member) {
    struct team *team = orbit->team;
    const struct section_members *settings = team->settings;
    struct noe_error error = {0};
    orbit->count = 0;
    pthread_mutex_lock(&team->reading);
    const enum noe_status status =
        noe_model_member(settings->model, settings->seed, member, orbit->q, orbit->v,
                         orbit->parameters, NULL, &error);
    pthread_mutex_unlock(&team->reading);
    orbit->section = (struct section){.error = error, .stopped_by = -1};
    orbit->section.error.status = status;
    if (status == NOE_OK) model_prepare(settings->model, orbit->parameters);
    return status == NOE_OK;
}

static void run_alone(struct orbit *orbit) {
    struct section_settings course = orbit->team->settings->course;
    course.problem = &orbit->problem;
    course.q = orbit->q;
    course.v = orbit->v;
    course.progress = NULL;
    course.take = keep;
    course.take_data = orbit;
    orbit->count = 0;
    section_run(&orbit->section, &course);
}

/* Assigns the next lane to the orbit, if its initial state is valid. */
static bool take_lane(struct crew *crew, int place) {
    struct orbit *orbit = &crew->orbit[place];
    const struct section_settings *course = &crew->team->settings->course;
    struct noe_work *work = NULL;
    const size_t bytes = (size_t)orbit->problem.np * sizeof *orbit->q;
    bool is_good = noe_work_create(&work, &orbit->problem, NULL) == NOE_OK;
    is_good = is_good && noe_work_start(work, course->from, orbit->q, orbit->v, NULL) == NOE_OK;
    if (is_good) {
        memcpy(orbit->q, noe_work_state(work)->q, bytes); /* the group element is projected */
        crew->place[crew->nlanes] = place;
        crew->lane[crew->nlanes++] =
            (struct section_lane){.problem = &orbit->problem,
                                  .start = {.parameters = orbit->parameters,
                                            .t = course->from,
                                            .q = orbit->q,
                                            .v = orbit->v},
                                  .take = keep,
                                  .take_data = orbit};
    }
    noe_work_free(work);
    return is_good;
}

/* Runs `count` members in lanes. A member that fails there is run again alone, which gives its
 * error message. */
static enum noe_status run_lanes(struct crew *crew, long first, int count,
                                 struct noe_error *error) {
    bool is_alone[LANES_MAX] = {false};
    crew->nlanes = 0;
    for (int i = 0; i < count; i++)
        if (read_member(&crew->orbit[i], first + i)) is_alone[i] = !take_lane(crew, i);
    if (crew->nlanes > 0) {
        const enum noe_status status =
            section_lanes_run(crew->lanes, crew->nlanes, crew->lane, error);
        if (status != NOE_OK) return status;
    }
    for (int i = 0; i < crew->nlanes; i++) {
        crew->orbit[crew->place[i]].section = crew->lane[i].section;
        is_alone[crew->place[i]] = crew->lane[i].is_lost;
    }
    for (int i = 0; i < count; i++)
        if (is_alone[i]) run_alone(&crew->orbit[i]);
    return NOE_OK;
}

static enum noe_status run_members(struct crew *crew, long first, int count,
                                   struct noe_error *error) {
    if (crew->lanes) return run_lanes(crew, first, count, error);
    if (read_member(crew->orbit, first)) run_alone(crew->orbit);
    return NOE_OK;
}

/* Reports the points of a member and its result. */
static enum noe_status tell(struct orbit *orbit, long member) {
    const struct section_members *settings = orbit->team->settings;
    const int size = point_size(&orbit->system);
    struct noe_error *error = &orbit->team->error;
    const enum noe_status ended = orbit->section.error.status;
    const bool ends_all =
        ended == NOE_INTERRUPTED || ended == NOE_NO_MEMORY || ended == NOE_NOT_SERVED;
    enum noe_status status = ends_all ? ended : NOE_OK;
    if (status != NOE_OK) *error = orbit->section.error;
    for (long i = 0; i < orbit->count && status == NOE_OK && settings->take; i++) {
        const real *at = orbit->point + i * size;
        const struct section_point point = {(int)at[0], at[1], at[2], at + 3};
        status = settings->take(settings->data, member, &point, error);
    }
    const struct section_member end = {member, &orbit->section};
    if (status == NOE_OK && settings->ended) status = settings->ended(settings->data, &end, error);
    error->status = status;
    return status;
}

/* Runs members until none is left. Results are reported in the order of members. A thread waits
 * until its own members are due, so that memory is bounded by the number of lanes. */
static void *work(void *data) {
    struct crew *crew = data;
    struct team *team = crew->team;
    for (;;) {
        struct noe_error error = {0};
        pthread_mutex_lock(&team->lock);
        const long first = team->next, left = team->settings->members - first;
        const int count = left < team->lanes ? (int)left : team->lanes;
        const bool is_over = left <= 0 || team->error.status != NOE_OK;
        team->next += team->lanes;
        pthread_mutex_unlock(&team->lock);
        if (is_over) return NULL;
        const enum noe_status status = run_members(crew, first, count, &error);
        pthread_mutex_lock(&team->lock);
        while (team->told < first) pthread_cond_wait(&team->turn, &team->lock);
        if (status != NOE_OK && team->error.status == NOE_OK) {
            team->error = error;
            team->error.status = status;
        }
        for (int i = 0; i < count && team->error.status == NOE_OK; i++)
            tell(&crew->orbit[i], first + i);
        team->told += count;
        pthread_cond_broadcast(&team->turn);
        pthread_mutex_unlock(&team->lock);
    }
}

static bool orbit_open(struct orbit *orbit, struct team *team) {
    const struct section_members *settings = team->settings;
    const struct noe_model *model = settings->model;
    orbit->team = team;
    orbit->problem = *settings->course.problem;
    orbit->system = *orbit->problem.system;
    orbit->problem.system = &orbit->system;
    const size_t numbers = (size_t)(model->system->nparameters + model->system->nprepared);
    const size_t m = (size_t)(orbit->system.nholonomic + orbit->system.nnonholonomic);
    orbit->parameters = calloc(numbers + 1, sizeof(real));
    orbit->q = calloc((size_t)orbit->problem.np + 1, sizeof(real));
    orbit->v = calloc((size_t)orbit->system.n + m + 1, sizeof(real));
    orbit->system.parameters = orbit->parameters;
    return orbit->parameters && orbit->q && orbit->v;
}

static void orbit_close(struct orbit *orbit) {
    free(orbit->parameters);
    free(orbit->q);
    free(orbit->v);
    free(orbit->point);
}

static bool crew_open(struct crew *crew, struct team *team) {
    bool is_open = true;
    crew->team = team;
    for (int i = 0; i < team->lanes; i++) is_open = orbit_open(&crew->orbit[i], team) && is_open;
    return is_open;
}

static void crew_close(struct crew *crew) {
    section_lanes_close(crew->lanes);
    for (int i = 0; i < LANES_MAX; i++) orbit_close(&crew->orbit[i]);
}

/* Opens the lanes of all threads; none if the members cannot run in lanes. */
static enum noe_status open_lanes(struct team *team, struct crew *crew, int threads) {
    const struct section_members *settings = team->settings;
    int min = settings->lanes < 0 || section_lanes_obstacle(&settings->course) ? 0 : LANES_MAX;
    for (int i = 0; i < threads && min > 0; i++) {
        const struct section_lanes_how how = {settings->lanes, i ? crew[0].lanes : NULL};
        const enum noe_status status = section_lanes_open(&crew[i].lanes, &settings->course,
                                                          settings->model, &how, &team->error);
        if (status != NOE_OK) return status;
        const int count = section_lanes_count(crew[i].lanes);
        if (count < min) min = count;
    }
    team->lanes = min > 0 ? min : 1;
    if (settings->used && crew[0].lanes) {
        settings->used->count = team->lanes;
        snprintf(settings->used->text, sizeof settings->used->text, "%s",
                 section_lanes_text(crew[0].lanes));
    }
    for (int i = threads - 1; i >= 0 && min == 0; i--) {
        section_lanes_close(crew[i].lanes);
        crew[i].lanes = NULL;
    }
    return NOE_OK;
}

/* Runs all members, in fewer threads if the system gives no more. */
static void run_crews(struct team *team, struct crew *crew, int count) {
    pthread_t thread[THREADS_MAX];
    int open = 0, running = 0;
    while (open < count && crew_open(&crew[open], team)) open++;
    if (open < count) {
        status_set(&team->error, NOE_NO_MEMORY, "out of memory for an orbit");
        return;
    }
    for (; running + 1 < count; running++)
        if (pthread_create(&thread[running], NULL, work, &crew[running + 1]) != 0) break;
    work(&crew[0]);
    for (int i = 0; i < running; i++) pthread_join(thread[i], NULL);
}

enum noe_status section_members_run(const struct section_members *settings,
                                    struct noe_error *error) {
    struct team team = {.settings = settings};
    const int threads = settings->threads < THREADS_MAX ? settings->threads : THREADS_MAX;
    struct crew *crew = calloc((size_t)threads, sizeof *crew);
    if (!crew) return status_set(error, NOE_NO_MEMORY, "out of memory for %d threads", threads);
    pthread_mutex_init(&team.lock, NULL);
    pthread_mutex_init(&team.reading, NULL);
    pthread_cond_init(&team.turn, NULL);
    team.error.status = open_lanes(&team, crew, threads);
    if (team.error.status == NOE_OK) run_crews(&team, crew, threads);
    for (int i = threads - 1; i >= 0; i--) crew_close(&crew[i]); /* the first owns the code */
    pthread_cond_destroy(&team.turn);
    pthread_mutex_destroy(&team.reading);
    pthread_mutex_destroy(&team.lock);
    free(crew);
    if (error) *error = team.error;
    return team.error.status;
}
