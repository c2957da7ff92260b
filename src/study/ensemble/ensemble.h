/* Ensembles: members of one model, distributed over SIMD lanes, threads and MPI ranks. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_ENSEMBLE_ENSEMBLE_H
#define STUDY_ENSEMBLE_ENSEMBLE_H

#include <signal.h>

#include "noether_ensemble.h"
#include "study/ensemble/statistic.h"

enum { ENSEMBLE_REASON = 120, ENSEMBLE_FAILED_MAX = 1000 };

/* Members form blocks, and blocks form parts. Statistics are summed in the order of members within
 * a block, of blocks within a part, and of parts, so the bits are the same for any number of lanes,
 * threads and ranks. */
enum { ENSEMBLE_BLOCK = 64, ENSEMBLE_PARTS = 64 };

struct ensemble_settings {
    const struct noe_model *model;
    const struct noe_problem *problem;
    long members;
    unsigned long seed;
    real from;
    long steps, sample; /* statistics every `sample` steps and at the end; 0: only at the end */
    int threads, lanes;
    bool keeps_final; /* keep the final state of every member */
    /* Receives the final states of `count` members from `first` on, ensemble_end_size numbers each.
     * May be NULL. One thread at a time calls it, block by block. */
    enum noe_status (*take_ends)(void *data, long first, long count, const real *ends,
                                 struct noe_error *error);
    void *ends_data;
    long first_part, parts; /* this process runs parts first_part, first_part + parts, ... */
    const volatile sig_atomic_t *interrupt;
    void (*progress)(void *data, long members_done);
    void *progress_data;
};

struct ensemble_failure {
    long member, step;
    char reason[ENSEMBLE_REASON];
};

/* Sample i is at step step[i]. The statistics of quantity k of sample i are at [i * nnumbers +
 * k]. */
struct ensemble {
    int nnumbers; /* ensemble_number_count */
    long nsamples;
    long *step;
    struct statistic *statistic;
    struct statistic *part; /* statistics of each part, before they are combined */
    bool is_exact;          /* quantiles are computed from all values */
    real *value;            /* if exact: [(i * nnumbers + k) * members + member], NaN: failed */
    unsigned *bin;          /* if not exact: STATISTIC_BINS counts per quantity */
    long nfailed;
    struct ensemble_failure *failure; /* the first ENSEMBLE_FAILED_MAX failures, by member */
    real *final;                      /* q, v, p, energy, quantities of each member; NaN: failed */
    int lanes;
    char words[200];
    double seconds;
    struct noe_error error;
};

/* Runs the parts of this process. Clear `ensemble` in every case. */
enum noe_status ensemble_run(struct ensemble *ensemble, const struct ensemble_settings *settings);
/* Adds failures, sorted by member, to the list. The list keeps the first ones. */
void ensemble_add_failures(struct ensemble *ensemble, long count,
                           const struct ensemble_failure *failure);
/* Number of failures that are listed. */
static inline long ensemble_listed(const struct ensemble *ensemble) {
    return ensemble->nfailed < ENSEMBLE_FAILED_MAX ? ensemble->nfailed : ENSEMBLE_FAILED_MAX;
}
/* Combines the parts when all are present. */
void ensemble_join(struct ensemble *ensemble, const struct ensemble_settings *settings);
void ensemble_clear(struct ensemble *ensemble);

/* Number of quantities with statistics: the energy and the observed quantities of the system, or q
 * and v if it has none. */
static inline int ensemble_number_count(const struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    return 1 + (system->nvalues ? system->nvalues : problem->np + system->n);
}
/* Number of values of a final state: q, v, p, energy, quantities. */
static inline int ensemble_end_size(const struct noe_problem *problem) {
    return problem->np + 2 * problem->system->n + 1 + problem->system->nvalues;
}
/* Quantity k of those with statistics, from the final state of a member. */
real ensemble_end_number(const struct noe_problem *problem, const real *end, int k);
/* Counts of members in `cells` equal bins between the smallest and the largest value. */
void ensemble_histogram(const struct ensemble *ensemble, const struct ensemble_settings *settings,
                        long i, int k, int cells, real *share);
/* Quantile of quantity k at sample i: the value below which the given fraction of members lies. */
real ensemble_quantile(const struct ensemble *ensemble, const struct ensemble_settings *settings,
                       long i, int k, real share);

#endif
