/* Sections of many orbits: members of an ensemble, each with its crossings, in lanes and threads.
 */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_SECTION_SECTION_ENSEMBLE_H
#define STUDY_SECTION_SECTION_ENSEMBLE_H

#include "noether_ensemble.h"
#include "study/section/section.h"

/* How one member went: all but its crossings. */
struct section_member {
    long number;
    const struct section *section;
};

struct section_members {
    const struct noe_model *model;
    /* What all members share; q, v, progress and take are not read. Its problem may have a
     * specialised stepper. */
    struct section_settings course;
    long members;
    unsigned long seed;
    int threads;
    int lanes; /* of a thread, as in struct noe_batch_settings; -1: members go one by one */
    /* Called in the order of the members, by one thread at a time: the crossings of a member, then
     * its end. What is not NOE_OK ends all. May be NULL. */
    enum noe_status (*take)(void *data, long member, const struct section_point *point,
                            struct noe_error *error);
    enum noe_status (*ended)(void *data, const struct section_member *member,
                             struct noe_error *error);
    void *data;
};

/* Runs them all. A member that fails is told to `ended` like the others. Crossings wait in memory
 * only until those of earlier members are taken, and few members run ahead. */
enum noe_status section_members_run(const struct section_members *settings,
                                    struct noe_error *error);

#endif
