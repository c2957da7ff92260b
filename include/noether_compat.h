/* The names of version 0.1 for programs that still use them. Include it in place of noether.h. It
 * leaves with the next release. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_COMPAT_H
#define NOETHER_COMPAT_H

#include "noether_ensemble.h"
#include "noether_optimise.h"

#define noe_start                noe_work_start
#define noe_start_momentum       noe_work_start_momentum
#define noe_step                 noe_work_step
#define noe_steps                noe_work_steps
#define noe_step_by              noe_work_step_by
#define noe_step_retake          noe_work_restep
#define noe_step_linearised      noe_work_step_linearised
#define noe_step_tangent         noe_work_step_tangent
#define noe_step_inside          noe_work_dense_output
#define noe_now                  noe_work_state
#define noe_measure              noe_work_observe
#define noe_work_bytes           noe_work_snapshot_size
#define noe_work_save            noe_work_snapshot_save
#define noe_work_load            noe_work_snapshot_restore
#define noe_work_effort          noe_work_stats
#define noe_batch_measure        noe_batch_observe
#define noe_shape_objective_free noe_objective_free
#define noe_moment               noe_observation         /* struct */
#define noe_effort               noe_step_stats          /* struct */
#define noe_place                noe_array_layout        /* struct */
#define noe_population           noe_ensemble_definition /* struct */
#define noe_crossing             noe_event               /* struct */

#endif
