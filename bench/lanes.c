/* SIMD lanes: the number of runs that one core and two cores step in the time of one run by
 * hand. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "hand.h"
#include "model/jit/simd_target.h"
#include "noether_ensemble.h"
#include "race.h"
#include "timing.h"

enum { LANES_MAX = 64, NUMBERS_MAX = 18, CHECK_STEPS = 200, THREADS = 2, ROUNDS = 9 };
static const double seconds_a_round = 0.02, seconds_a_thread = 0.1;

struct contest {
    const struct problem *problem;
    const char *method;
    double step;
    const struct solver *hand;
    bool is_rotation; /* the configuration is one rotation */
};

struct racer {
    const struct contest *contest;
    struct noe_model *model;
    struct noe_problem problem;
    struct noe_batch *batch; /* NULL: the loop by hand */
    int lanes;
    long steps;
    double q[NUMBERS_MAX], v[NUMBERS_MAX]; /* the end of the first run */
};

/* Members start at slightly different states, so that they are not copies of one run; rotations
 * start with different velocities. */
static void start_batch(const struct racer *racer) {
    const struct problem *task = racer->contest->problem;
    const bool is_rotation = racer->contest->is_rotation;
    double q[LANES_MAX][NUMBERS_MAX], v[LANES_MAX][NUMBERS_MAX];
    struct noe_member members[LANES_MAX];
    for (int lane = 0; lane < racer->lanes; lane++) {
        const double apart = 1 + 1e-3 * lane;
        for (int i = 0; i < (is_rotation ? 9 : task->n); i++)
            q[lane][i] = task->q[i] * (is_rotation ? 1 : apart);
        for (int i = 0; i < task->n; i++) v[lane][i] = task->v[i] * (is_rotation ? apart : 1);
        members[lane] = (struct noe_member){.q = q[lane], .v = v[lane]};
    }
    noe_batch_start(racer->batch, racer->lanes, members, NULL);
}

static void take_steps(struct racer *racer) {
    struct run run = {
        .step = racer->contest->step, .steps = racer->steps, .q = racer->q, .v = racer->v};
    if (!racer->batch) {
        racer->contest->hand->loop(racer->contest->problem, &run);
        return;
    }
    struct noe_lane now;
    start_batch(racer);
    noe_batch_steps(racer->batch, racer->steps);
    noe_batch_observe(racer->batch);
    noe_batch_lane(racer->batch, 0, &now);
    for (int i = 0; i < racer->contest->problem->n; i++) racer->q[i] = now.q[i * now.stride];
}

static double take_round(void *data) {
    struct racer *racer = data;
    take_steps(racer);
    return 1.0 / ((double)racer->steps * racer->lanes);
}

static void open_batch(struct racer *racer, const struct contest *contest, int lanes,
                       bool plain_sums) {
    const struct noe_batch_settings settings = {.lanes = lanes, .plain_sums = plain_sums};
    struct noe_error error;
    *racer = (struct racer){.contest = contest, .steps = CHECK_STEPS};
    if (noe_model_open_text(&racer->model, contest->problem->name, contest->problem->model, NULL,
                            &error) != NOE_OK ||
        noe_problem_init(&racer->problem, racer->model->system, contest->method, contest->step,
                         &error) != NOE_OK ||
        noe_batch_create(&racer->batch, &racer->problem, racer->model, &settings, &error) !=
            NOE_OK) {
        fprintf(stderr, "lanes: %s\n", error.text);
        exit(1);
    }
    racer->lanes = noe_batch_lanes(racer->batch);
}

static void close_batch(struct racer *racer) {
    noe_batch_free(racer->batch);
    noe_problem_clear(&racer->problem);
    noe_model_free(racer->model);
}

/* The number of steps that fill the given time. */
static void choose_steps(struct racer *racer, double seconds) {
    const double begin = timing_seconds();
    take_steps(racer);
    const double one = (timing_seconds() - begin) / CHECK_STEPS;
    racer->steps = (long)fmax(10, seconds / fmax(one, 1e-10));
}

/* --- One core. */

static void race_core(const struct contest *contest) {
    enum { HAND, ONE, ALL, PLAIN, RACERS };
    struct racer racers[RACERS];
    struct timing_entry entries[RACERS];
    racers[HAND] = (struct racer){.contest = contest, .lanes = 1, .steps = CHECK_STEPS};
    open_batch(&racers[ONE], contest, 1, false);
    open_batch(&racers[ALL], contest, 0, false);
    open_batch(&racers[PLAIN], contest, 0, true);
    for (int i = 0; i < RACERS; i++) {
        choose_steps(&racers[i], seconds_a_round);
        entries[i] = (struct timing_entry){take_round, &racers[i], {0}};
    }
    double difference[RACERS];
    for (int i = 0; i < RACERS; i++) {
        const long steps = racers[i].steps;
        racers[i].steps = CHECK_STEPS;
        take_steps(&racers[i]);
        racers[i].steps = steps;
        difference[i] = race_difference(contest->problem->n, racers[i].q, racers[HAND].q);
    }
    timing_interleave(RACERS, entries);
    for (int i = 0; i < RACERS; i++) {
        const struct timing_spread time = timing_of(&entries[i]);
        const struct timing_spread ratio = timing_ratio(&entries[HAND], &entries[i]);
        char name[40], solver[40] = "by hand";
        snprintf(name, sizeof name, "%s %d", contest->problem->name, contest->problem->n);
        if (i != HAND)
            snprintf(solver, sizeof solver, "lanes %d%s", racers[i].lanes,
                     i == PLAIN ? " plain" : "");
        timing_row("%s|%s|%g|%s|%.2f|%.2f [%.2f %.2f]|%.0e", name, contest->method, contest->step,
                   solver, 1e9 * time.median, ratio.median, ratio.low, ratio.high, difference[i]);
    }
    close_batch(&racers[ONE]);
    close_batch(&racers[ALL]);
    close_batch(&racers[PLAIN]);
}

/* --- Two cores, each with its own batch. */

static void *work_in_thread(void *data) {
    take_steps(data);
    return NULL;
}

static double wall_of(int threads, struct racer *racers) {
    pthread_t thread[THREADS];
    const double begin = timing_wall_seconds();
    for (int i = 1; i < threads; i++) pthread_create(&thread[i], NULL, work_in_thread, &racers[i]);
    take_steps(&racers[0]);
    for (int i = 1; i < threads; i++) pthread_join(thread[i], NULL);
    return timing_wall_seconds() - begin;
}

static void race_threads(const struct contest *contest) {
    struct racer racers[THREADS];
    double gain[ROUNDS];
    for (int i = 0; i < THREADS; i++) open_batch(&racers[i], contest, 0, false);
    choose_steps(&racers[0], seconds_a_thread);
    for (int i = 1; i < THREADS; i++) racers[i].steps = racers[0].steps;
    for (int round = 0; round < ROUNDS; round++) {
        const double one = wall_of(1, racers), two = wall_of(THREADS, racers);
        gain[round] = THREADS * one / two;
    }
    const struct timing_spread spread = timing_spread(ROUNDS, gain);
    timing_say("%s, %s: two threads step %.2f [%.2f %.2f] times as many runs as one",
               contest->problem->name, contest->method, spread.median, spread.low, spread.high);
    for (int i = 0; i < THREADS; i++) close_batch(&racers[i]);
}

int main(void) {
    const struct contest contests[] = {
        {&problem_oscillator, "verlet", 0.01, &hand_oscillator_verlet, false},
        {&problem_oscillator, "splitting order=4", 0.05, &hand_oscillator_order4, false},
        {&problem_henon_heiles, "verlet", 0.01, &hand_henon_heiles_verlet, false},
        {&problem_henon_heiles, "splitting order=4", 0.05, &hand_henon_heiles_order4, false},
        {&problem_planets, "verlet", 10, &hand_planets_verlet, false},
        {&problem_planets, "splitting order=4", 50, &hand_planets_order4, false},
        {&problem_pendulum, "midpoint", 0.001, &hand_pendulum_midpoint, false},
        {&problem_pendulum, "midpoint", 0.01, &hand_pendulum_midpoint, false},
        {&problem_body, "lgvi", 0.001, &hand_body_lgvi, true},
        {&problem_body, "lgvi", 0.01, &hand_body_lgvi, true},
        {&problem_body, "midpoint", 0.001, &hand_body_midpoint, true},
        {&problem_body, "midpoint", 0.01, &hand_body_midpoint, true},
        {&problem_free_body, "flv", 0.05, &hand_free_flv, true},
        {&problem_free_body, "tln", 0.05, &hand_free_tln, true},
        {&problem_free_body, "rk4", 0.05, &hand_free_rk4, true},
    };
    char words[80];
    timing_report_open("lanes", "Runs side by side against one by hand");
    simd_target_describe(sizeof words, words);
    timing_say("lanes:    %s", words);
    timing_head(
        "problem       |method            |step   |solver          |ns a step of one run|     "
        "times by hand|difference");
    for (size_t i = 0; i < sizeof contests / sizeof *contests; i++) race_core(&contests[i]);
    race_threads(&contests[2]);
    race_threads(&contests[6]);
    timing_report_close();
    return 0;
}
