/* Statuses of lanes: how each of the runs side by side fares. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_OUTCOME_H
#define BASE_OUTCOME_H

#include "base/real.h"
#include "noether.h"

#if defined NOE_LANES && NOE_LANES > 1
static inline noe_outcome outcome_of(enum noe_status status) {
    return (noe_outcome){0} + (long)status;
}
static inline noe_outcome outcome_select(truth m, noe_outcome yes, noe_outcome no) {
    return (m & yes) | (~m & no);
}
#else
static inline noe_outcome outcome_of(enum noe_status status) { return status; }
static inline noe_outcome outcome_select(truth m, noe_outcome yes, noe_outcome no) {
    return m ? yes : no;
}
#endif

/* `outcome`, and `status` in the lanes where nothing has failed before but this. */
static inline noe_outcome outcome_join(noe_outcome outcome, truth failed, enum noe_status status) {
    return outcome_select(failed & (outcome == NOE_OK), outcome_of(status), outcome);
}

#endif
