/* noether section for several orbits: members of the file's ensemble, in lanes and threads. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/status.h"
#include "cli/section.h"
#include "model/jit/simd_target.h"
#include "study/section/section_ensemble.h"
#include "study/section/section_lanes.h"

struct orbits {
    struct section_run *run;
    struct progress progress;
};

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static enum noe_status take(void *data, long member, const struct section_point *point,
                            struct noe_error *error) {
    struct orbits *orbits = data;
    orbits->run->member = member;
    return section_take(orbits->run, point, error);
}

/* Combines energy deviations. The energies themselves differ between members. */
static void join_energy(struct section_energy *all, const struct section_energy *own) {
    const real count = (real)(all->count + own->count);
    if (own->count)
        all->mean_error += (own->mean_error - all->mean_error) * (real)own->count / count;
    all->max_error = noe_max(all->max_error, own->max_error);
    all->count += own->count;
}

static enum noe_status ended(void *data, const struct section_member *member,
                             struct noe_error *error) {
    struct orbits *orbits = data;
    struct section *all = &orbits->run->section;
    struct section_orbits *told = orbits->run->orbits;
    const struct section *own = member->section;
    (void)error;
    told->nended++;
    all->steps += own->steps;
    all->t_end = noe_max(all->t_end, own->t_end);
    all->step_min = all->has_started ? noe_min(all->step_min, own->step_min) : own->step_min;
    all->step_max = noe_max(all->step_max, own->step_max);
    all->has_started |= own->has_started;
    join_energy(&all->at_crossings, &own->at_crossings);
    join_energy(&all->at_steps, &own->at_steps);
    if (own->error.status != NOE_OK && told->nfailed++ < SECTION_FAILED) {
        struct section_failure *failure = &told->failure[told->nfailed - 1];
        failure->member = member->number;
        failure->step = own->steps;
        snprintf(failure->reason, sizeof failure->reason, "%.190s", own->error.text);
    }
    progress_update(&orbits->progress, member->number + 1, (real)(member->number + 1));
    return NOE_OK;
}

/* Members run in SIMD lanes, which needs compilation, if an option requests it or if they have many
 * steps in total. If they cannot, one specialised stepper serves all. */
static void choose_lanes(struct section_run *run) {
    static const double many = 3e6;
    struct cli_settings settings = *run->settings;
    struct compile_choice *stepper = &run->stepper;
    const double steps = (double)run->orbits->members * (double)run->course.steps;
    const char *obstacle = section_lanes_obstacle(&run->course);
    const bool compiles = settings.specialised || settings.lanes || steps >= many;
    const bool has_lanes = compiles && !settings.generic && !obstacle;
    settings.specialised = compiles && !settings.generic && obstacle;
    compile_choice_init(stepper, &settings, run->plan.model, &run->problem);
    if (has_lanes) {
        run->orbits->lanes = simd_target_describe(sizeof stepper->what, stepper->what);
        if (run->population.lanes) run->orbits->lanes = run->population.lanes;
    }
    snprintf(stepper->why, sizeof stepper->why,
             "%g steps in all: compiling pays from %g; members go %s%s%s", steps, many,
             has_lanes ? "side by side" : "one by one", obstacle ? ": " : "",
             obstacle ? obstacle : "");
}

void section_orbits_integrate(struct section_run *run) {
    struct orbits orbits = {.run = run};
    struct section *all = &run->section;
    const double began = seconds_now();
    struct section_lanes_used used = {0};
    choose_lanes(run);
    const struct section_members settings = {.model = run->plan.model,
                                             .course = run->course,
                                             .members = run->orbits->members,
                                             .seed = run->population.seed,
                                             .threads = run->orbits->threads,
                                             .lanes =
                                                 run->orbits->lanes ? run->population.lanes : -1,
                                             .take = take,
                                             .ended = ended,
                                             .data = &orbits,
                                             .used = &used};
    *all = (struct section){.stopped_by = -1, .t_start = run->course.from};
    progress_init(&orbits.progress, !run->settings->quiet, run->orbits->members, 0,
                  (real)run->orbits->members);
    const enum noe_status status = section_members_run(&settings, &all->error);
    progress_erase(&orbits.progress);
    if (used.count) { /* the batch may not compile */
        run->orbits->lanes = used.count;
        snprintf(run->stepper.what, sizeof run->stepper.what, "%s", used.text);
    }
    all->wall_seconds = seconds_now() - began;
    if (status < 0) all->has_started = false; /* no results to report */
    if (status == NOE_OK && run->orbits->nfailed == run->orbits->members) {
        status_set(&all->error, NOE_NOT_CONVERGED, "all members failed, the first at step %ld: %s",
                   run->orbits->failure->step, run->orbits->failure->reason);
        all->error.status = NOE_NOT_CONVERGED;
    }
}
