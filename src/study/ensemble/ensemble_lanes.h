/* Members of an ensemble that one thread advances together: SIMD lanes of a batch, or a single run
 * if its tangent map is needed. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_ENSEMBLE_ENSEMBLE_LANES_H
#define STUDY_ENSEMBLE_ENSEMBLE_LANES_H

#include "noether_ensemble.h"
#include "study/ensemble/ensemble.h"

struct ensemble_alone;

struct ensemble_runs {
    struct noe_batch *batch;
    struct ensemble_alone *alone; /* NULL: the batch is used */
};

/* Close `runs` in every case. */
enum noe_status ensemble_runs_open(struct ensemble_runs *runs,
                                   const struct ensemble_settings *settings,
                                   struct noe_error *error);
void ensemble_runs_close(struct ensemble_runs *runs);
int ensemble_runs_lanes(const struct ensemble_runs *runs);
const char *ensemble_runs_text(const struct ensemble_runs *runs);
/* noe_batch_start, noe_batch_steps, noe_batch_observe and noe_batch_lane, for either kind. */
enum noe_status ensemble_runs_start(struct ensemble_runs *runs, int count,
                                    const struct noe_member *member, struct noe_error *error);
void ensemble_runs_steps(struct ensemble_runs *runs, long count);
void ensemble_runs_measure(struct ensemble_runs *runs);
void ensemble_runs_lane(const struct ensemble_runs *runs, int lane, struct noe_lane *now);

#endif
