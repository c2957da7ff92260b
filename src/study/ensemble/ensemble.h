/* Many members of one model: in lanes, in threads, in parts that ranks share. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_ENSEMBLE_ENSEMBLE_H
#define STUDY_ENSEMBLE_ENSEMBLE_H

#include <signal.h>

#include "noether_ensemble.h"
#include "study/ensemble/statistic.h"

enum { ENSEMBLE_REASON = 120, ENSEMBLE_FAILED_MAX = 1000 };

/* Members are taken in blocks, blocks in parts. Statistics are made in the order of the members
 * within a block, of blocks within a part, and of parts: the same bits for any number of lanes,
 * threads and ranks. */
enum { ENSEMBLE_BLOCK = 64, ENSEMBLE_PARTS = 64 };

struct ensemble_settings {
    const struct noe_model *model;
    const struct noe_problem *problem;
    long members;
    unsigned long seed;
    real from;
    long steps, sample; /* statistics every so many steps, and at the end; 0: at the end alone */
    int threads, lanes;
    bool keeps_final; /* the end of every member */
    /* Takes the ends of `count` members from `first` on, each of ensemble_end_size numbers; NULL:
     * nobody does. One thread at a time calls it, block by block. */
    enum noe_status (*take_ends)(void *data, long first, long count, const real *ends,
                                 struct noe_error *error);
    void *ends_data;
    long first_part, parts; /* which parts: first_part, first_part + parts, ... */
    const volatile sig_atomic_t *interrupt;
    void (*progress)(void *data, long members_done);
    void *progress_data;
};

struct ensemble_failure {
    long member, step;
    char reason[ENSEMBLE_REASON];
};

/* Sample i at step step[i]; of number k of a sample the statistics stand at [i * nnumbers + k]. */
struct ensemble {
    int nnumbers; /* ensemble_number_count */
    long nsamples;
    long *step;
    struct statistic *statistic;
    struct statistic *part; /* of each part, before they are joined */
    bool is_exact;          /* quantiles come from the values themselves */
    real *value;            /* then: [(i * nnumbers + k) * members + member], NaN: failed */
    unsigned *bin;          /* else: STATISTIC_BINS for each */
    long nfailed;
    struct ensemble_failure *failure; /* the first ENSEMBLE_FAILED_MAX of them, by member */
    real *final;                      /* q, v, p, energy, quantities of each member; NaN: failed */
    int lanes;
    char words[200];
    double seconds;
    struct noe_error error;
};

/* Runs the settings' share of the parts. Clear `ensemble` in every case. */
enum noe_status ensemble_run(struct ensemble *ensemble, const struct ensemble_settings *settings);
/* Adds failures to the list, which keeps the first ones; `failure` in the order of members. */
void ensemble_add_failures(struct ensemble *ensemble, long count,
                           const struct ensemble_failure *failure);
/* How many of the failures are listed. */
static inline long ensemble_listed(const struct ensemble *ensemble) {
    return ensemble->nfailed < ENSEMBLE_FAILED_MAX ? ensemble->nfailed : ENSEMBLE_FAILED_MAX;
}
/* After all parts are there: joins them. */
void ensemble_join(struct ensemble *ensemble, const struct ensemble_settings *settings);
void ensemble_clear(struct ensemble *ensemble);

/* How many numbers statistics are made of: energy, and the system's quantities; without these q
 * and v. */
static inline int ensemble_number_count(const struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    return 1 + (system->nvalues ? system->nvalues : problem->np + system->n);
}
/* How many numbers a member's end has: q, v, p, energy, quantities. */
static inline int ensemble_end_size(const struct noe_problem *problem) {
    return problem->np + 2 * problem->system->n + 1 + problem->system->nvalues;
}
/* Number k of those that statistics are made of, of a member that ended so. */
real ensemble_end_number(const struct noe_problem *problem, const real *end, int k);
/* How many members lie in each of `cells` equal parts between the least and the largest value. */
void ensemble_histogram(const struct ensemble *ensemble, const struct ensemble_settings *settings,
                        long i, int k, int cells, real *share);
/* The value that a share of the members lies below at sample i. */
real ensemble_quantile(const struct ensemble *ensemble, const struct ensemble_settings *settings,
                       long i, int k, real share);

#endif
