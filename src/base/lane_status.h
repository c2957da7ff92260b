/* Statuses of lanes: how each of the runs side by side fares. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_LANE_STATUS_H
#define BASE_LANE_STATUS_H

#include "base/real.h"
#include "noether.h"

#if defined NOE_LANES && NOE_LANES > 1
static inline noe_lane_status lane_status_broadcast(enum noe_status status) {
    return (noe_lane_status){0} + (long)status;
}
static inline noe_lane_status lane_status_select(mask m, noe_lane_status yes, noe_lane_status no) {
    return (m & yes) | (~m & no);
}
#else
static inline noe_lane_status lane_status_broadcast(enum noe_status status) { return status; }
static inline noe_lane_status lane_status_select(mask m, noe_lane_status yes, noe_lane_status no) {
    return m ? yes : no;
}
#endif

/* `outcome`, and `status` in the lanes where nothing has failed before but this. */
static inline noe_lane_status lane_status_join(noe_lane_status outcome, mask failed,
                                               enum noe_status status) {
    return lane_status_select(failed & (outcome == NOE_OK), lane_status_broadcast(status), outcome);
}

#endif
