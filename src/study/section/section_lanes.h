/* Crossings of several members at once, in the lanes of a batch. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_SECTION_SECTION_LANES_H
#define STUDY_SECTION_SECTION_LANES_H

#include "noether_ensemble.h"
#include "study/section/section.h"

struct section_lanes;

/* One member: its problem has the member's parameters, and so has `start`. */
struct section_lane {
    const struct noe_problem *problem;
    struct noe_member start;
    enum noe_status (*take)(void *data, const struct section_point *point, struct noe_error *error);
    void *take_data;
    struct section section; /* how it went */
    bool is_lost;           /* it has failed, or met what only section_run can tell of */
};

struct section_lanes_how {
    int width;                         /* as struct noe_batch_settings has it */
    const struct section_lanes *alike; /* lanes of the same course that are closed later, or NULL */
};

/* Why members of this course, whose problem may have other parameters, cannot go side by side; or
 * NULL. */
const char *section_lanes_obstacle(const struct section_settings *course);
/* Compiles the batch; `how` says its width and, of others, which has its code already. Free with
 * section_lanes_close. */
enum noe_status section_lanes_open(struct section_lanes **lanes,
                                   const struct section_settings *course,
                                   const struct noe_model *model,
                                   const struct section_lanes_how *how, struct noe_error *error);
void section_lanes_close(struct section_lanes *lanes);
/* How many members go at once; 0: it could not be compiled. */
int section_lanes_count(const struct section_lanes *lanes);
/* Follows `count` members. A member that is lost does not disturb the others. What is not NOE_OK is
 * not about one of them. */
enum noe_status section_lanes_run(struct section_lanes *lanes, int count, struct section_lane *lane,
                                  struct noe_error *error);

#endif
