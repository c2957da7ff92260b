/* Poincare sections of an ensemble: members with their section points, distributed over lanes and
 * threads. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_SECTION_SECTION_ENSEMBLE_H
#define STUDY_SECTION_SECTION_ENSEMBLE_H

#include "noether_ensemble.h"
#include "study/section/section.h"

/* Result of one member, without its points. */
struct section_member {
    long number;
    const struct section *section;
};

/* Lanes that the members ran in: 1 if one by one; and a text that says which, or why not. */
struct section_lanes_used {
    int count;
    char text[300];
};

struct section_members {
    const struct noe_model *model;
    /* Settings of all members; q, v, progress and take are ignored. The problem may have a
     * specialised stepper. */
    struct section_settings course;
    long members;
    unsigned long seed;
    int threads;
    int lanes; /* lanes per thread, as in struct noe_batch_settings; -1: one member at a time */
    /* Called in the order of members, by one thread at a time: `take` for each point of a member,
     * then `ended`. A status other than NOE_OK stops all. Both may be NULL. */
    enum noe_status (*take)(void *data, long member, const struct section_point *point,
                            struct noe_error *error);
    enum noe_status (*ended)(void *data, const struct section_member *member,
                             struct noe_error *error);
    void *data;
    struct section_lanes_used *used; /* receives the lanes; may be NULL */
};

/* Runs all members. A member that fails is reported to `ended` like the others. Points are kept in
 * memory only until those of earlier members have been reported. */
enum noe_status section_members_run(const struct section_members *settings,
                                    struct noe_error *error);

#endif
