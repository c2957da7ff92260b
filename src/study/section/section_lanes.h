/* Poincare sections of several members at once, in the SIMD lanes of a batch. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_SECTION_SECTION_LANES_H
#define STUDY_SECTION_SECTION_LANES_H

#include "noether_ensemble.h"
#include "study/section/section.h"

struct section_lanes;

/* One member. Its problem and `start` have the parameters of the member. */
struct section_lane {
    const struct noe_problem *problem;
    struct noe_member start;
    enum noe_status (*take)(void *data, const struct section_point *point, struct noe_error *error);
    void *take_data;
    struct section section; /* result */
    bool is_lost;           /* the run failed, or needs section_run */
};

struct section_lanes_how {
    int width;                         /* number of lanes, as in struct noe_batch_settings */
    const struct section_lanes *alike; /* lanes that share their code, closed later; or NULL */
};

/* Reason why members with these settings cannot run in lanes, or NULL. */
const char *section_lanes_obstacle(const struct section_settings *course);
/* Compiles the batch with the given options. Free with section_lanes_close. */
enum noe_status section_lanes_open(struct section_lanes **lanes,
                                   const struct section_settings *course,
                                   const struct noe_model *model,
                                   const struct section_lanes_how *how, struct noe_error *error);
void section_lanes_close(struct section_lanes *lanes);
/* Number of lanes; 0 if the batch could not be compiled. */
int section_lanes_count(const struct section_lanes *lanes);
/* Text that describes them, or says why the batch could not be compiled. */
const char *section_lanes_text(const struct section_lanes *lanes);
/* Runs `count` members. A member that fails does not affect the others. The returned status is
 * NOE_OK unless the failure concerns all of them. */
enum noe_status section_lanes_run(struct section_lanes *lanes, int count, struct section_lane *lane,
                                  struct noe_error *error);

#endif
