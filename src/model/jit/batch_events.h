/* Event detection in batches: steps in which an event function changed its sign are logged, run by
 * run, while the runs go on. Substeps of the logged steps are then taken in all lanes at once. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_JIT_BATCH_EVENTS_H
#define MODEL_JIT_BATCH_EVENTS_H

#include "base/batch_abi.h"

/* True if the batch was compiled; otherwise the library's own code steps it. */
bool batch_is_compiled(const struct noe_batch *batch);
/* As noe_batch_create, with an event log. */
enum noe_status batch_create_with_events(struct noe_batch **batch,
                                         const struct noe_problem *problem,
                                         const struct noe_model *model,
                                         const struct noe_batch_settings *settings,
                                         struct noe_error *error);
/* Takes up to `count` steps in every lane that has not failed and returns their number. There are
 * fewer if the log of a run is full, and none if all runs have failed. The first step is always
 * logged. Replaces the log of the previous call. */
long batch_scan_events(struct noe_batch *batch, long count);
/* The i-th logged step of a lane (0-based); false if i is out of range. */
bool batch_event_step(const struct noe_batch *batch, int lane, int i, struct event_step *noted);
/* Selects the i-th logged step of a lane for the functions below. */
void batch_place(struct noe_batch *batch, int lane, int i);
/* Takes the selected step of each lane whose h[lane] is not 0 with that size, as step_substep. */
void batch_substeps(struct noe_batch *batch, const noe_scalar *h);
/* For one event function without rates: finds its root in the selected step of every lane whose
 * theta is not 0, to round-off. theta becomes the fraction of the step, or 0 if there is not
 * exactly one simple root. */
void batch_event_roots(struct noe_batch *batch, noe_scalar *theta);
/* The end of a lane's substep; `values` are event functions and rates. */
void batch_substep(const struct noe_batch *batch, int lane, struct noe_lane *there);
void batch_energies(const struct noe_batch *batch, int lane, struct energy_deviation *energy);

#endif
