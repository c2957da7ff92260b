/* Sections of many orbits: members of an ensemble, each with its crossings, in threads. */
/* SPDX-License-Identifier: MIT */
#include "study/section_members.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

enum { THREADS_MAX = 256 };

/* What the threads share. */
struct team {
    const struct section_members *settings;
    pthread_mutex_t lock, reading; /* of this; one member at a time is read from the model */
    pthread_cond_t turn;
    long next, told; /* the next member to take, the next to tell of */
    struct noe_error error;
};

/* A thread, with a problem whose parameters are those of its member. */
struct orbit {
    struct team *team;
    struct noe_problem problem;
    struct noe_system system;
    real *parameters, *q, *v;
    long count, room;
    real *point; /* of each crossing: which, t, energy, what is recorded */
    struct section section;
};

static int point_size(const struct noe_system *system) { return 3 + system->nrecorded; }

/* Keeps a crossing until it is the member's turn. */
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

/* Runs a member; what fails stands in its section. */
static void run_member(struct orbit *orbit, long member) {
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
    if (status != NOE_OK) return;
    noe_model_prepare(settings->model, orbit->parameters);
    struct section_settings course = settings->course;
    course.problem = &orbit->problem;
    course.q = orbit->q;
    course.v = orbit->v;
    course.progress = NULL;
    course.take = keep;
    course.take_data = orbit;
    section_run(&orbit->section, &course);
}

/* Hands over what the member has crossed, and how it ended. */
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

/* Takes members until there are no more; each is told when those before it are. A thread waits for
 * its own member's turn, so that no more members are kept than there are threads. */
static void *work(void *data) {
    struct orbit *orbit = data;
    struct team *team = orbit->team;
    for (;;) {
        pthread_mutex_lock(&team->lock);
        const long member = team->next++;
        const bool is_over = member >= team->settings->members || team->error.status != NOE_OK;
        pthread_mutex_unlock(&team->lock);
        if (is_over) return NULL;
        run_member(orbit, member);
        pthread_mutex_lock(&team->lock);
        while (team->told < member) pthread_cond_wait(&team->turn, &team->lock);
        if (team->error.status == NOE_OK) tell(orbit, member);
        team->told++;
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
    const size_t numbers = (size_t)(model->nparameters + model->nprepared);
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

static void run_orbits(struct team *team, struct orbit *orbit, int count) {
    pthread_t thread[THREADS_MAX];
    int open = 0, running = 0;
    while (open < count && orbit_open(&orbit[open], team)) open++;
    if (open == 0) status_set(&team->error, NOE_NO_MEMORY, "out of memory for an orbit");
    if (open == 0) team->error.status = NOE_NO_MEMORY;
    for (; running + 1 < open; running++)
        if (pthread_create(&thread[running], NULL, work, &orbit[running + 1]) != 0) break;
    if (open > 0) work(&orbit[0]);
    for (int i = 0; i < running; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < count; i++) orbit_close(&orbit[i]);
}

enum noe_status section_members_run(const struct section_members *settings,
                                    struct noe_error *error) {
    struct team team = {.settings = settings};
    const int threads = settings->threads < THREADS_MAX ? settings->threads : THREADS_MAX;
    struct orbit *orbit = calloc((size_t)threads, sizeof *orbit);
    if (!orbit) return status_set(error, NOE_NO_MEMORY, "out of memory for %d threads", threads);
    pthread_mutex_init(&team.lock, NULL);
    pthread_mutex_init(&team.reading, NULL);
    pthread_cond_init(&team.turn, NULL);
    run_orbits(&team, orbit, threads);
    pthread_cond_destroy(&team.turn);
    pthread_mutex_destroy(&team.reading);
    pthread_mutex_destroy(&team.lock);
    free(orbit);
    if (error) *error = team.error;
    return team.error.status;
}
