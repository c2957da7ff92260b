/* What is decided about a routine before its text is written. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EMIT_PLAN_H
#define MODEL_EMIT_PLAN_H

#include "model/program.h"

/* What is decided about one step. */
struct emit_note {
    int width;  /* columns where it is used */
    int number; /* of its variable; 0: written where it is used; -1: variable without number yet */
    int slot;   /* in the array shared by the parts; -1: used in its own part only */
    int output; /* its first output, or -1; others follow in `next` */
};

struct emit_plan {
    const struct graph *graph;
    struct program *program;
    struct emit_note *note; /* by step */
    int *next;              /* by output */
    bool *leads;            /* which steps are evaluated together with the next one */
    int *twin;              /* by step: of a sine the cosine of its argument, or the reverse; -1 */
    int nparts, part_steps, nslots;
};

/* What may be evaluated together. */
enum emit_together { EMIT_NOTHING, EMIT_PAIRS, EMIT_SINE_WITH_COSINE };

/* Makes the plan of `program`; with EMIT_PAIRS its steps change their order. */
enum noe_status emit_plan_make(struct emit_plan *plan, const struct graph *graph,
                               struct program *program, enum emit_together together);
void emit_plan_clear(struct emit_plan *plan);

/* The part in which a step is evaluated, and the step after the last one of a part. */
int emit_plan_part(const struct emit_plan *plan, int step);
int emit_plan_part_end(const struct emit_plan *plan, int part);

#endif
