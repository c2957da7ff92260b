/* One status for each SIMD lane. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_LANE_STATUS_H
#define BASE_LANE_STATUS_H

#include "base/real.h"
#include "noether.h"

/* A status; if `real` has SIMD lanes, one for each lane. */
#if defined NOE_LANES && NOE_LANES > 1
typedef long noe_lane_status __attribute__((vector_size(NOE_LANES * sizeof(long))));
#else
typedef enum noe_status noe_lane_status;
#endif

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

/* Returns `outcome`, with `status` in the lanes that fail now and have not failed before. */
static inline noe_lane_status lane_status_join(noe_lane_status outcome, mask failed,
                                               enum noe_status status) {
    return lane_status_select(failed & (outcome == NOE_OK), lane_status_broadcast(status), outcome);
}

#endif
