/* What is decided about a routine before its text is written. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_EMIT_PLAN_H
#define MODEL_CODEGEN_EMIT_PLAN_H

#include "model/codegen/vectorise/program_loops.h"

/* What is decided about one step. */
struct emit_decision {
    int width;  /* columns where it is used */
    int number; /* of its variable; 0: written where it is used; -1: variable without number yet */
    int slot;   /* in the array shared by the parts; -1: used in its own part only */
    int output; /* its first output, or -1; others follow in `next` */
};

/* Steps that are written together: some that follow one another, or a loop. */
struct emit_part {
    int first, end;
    int loop; /* or -1 */
};

/* A loop of a group. Where the group is at its members b to e - 1, the loop is at its own from
 * b + least to e + most - 1, and ahead of those that read it. */
struct emit_tile {
    int group; /* or -1 */
    int min, max;
    bool is_read;
};

/* The loops of parts `part` to `end` - 1, carried out together. */
struct emit_group {
    int part, end;
    int count;       /* members of the longest */
    int kept, nkept; /* in emit_tiles.kept: steps whose numbers others read */
};

struct emit_tiles {
    int ngroups;
    struct emit_group *group;
    struct emit_tile *piece; /* by loop; NULL: there are none */
    int *kept;
};

struct emit_plan {
    const struct graph *graph;
    struct program *program;
    struct emit_decision *note; /* by step */
    int *next;                  /* by output */
    bool *leads;                /* which steps are evaluated together with the next one */
    int *twin; /* by step: of a sine the cosine of its argument, or the reverse; -1 */
    struct program_loops loops;
    int *part;                   /* by step */
    struct emit_part *part_list; /* in the order in which they run */
    bool is_split;               /* are its parts functions of their own? */
    bool has_leaf_loops;         /* are outputs that are leaves in loops as well? */
    int nparts, nslots;
    int (*gather)[2]; /* by loop: where operands of a call are collected, or -1 */
    struct emit_tiles pieces;
};

/* What may be evaluated together. */
enum emit_together { EMIT_NOTHING, EMIT_PAIRS, EMIT_SINE_WITH_COSINE };

/* What a plan may do: `has_loops` allows loops where they pay; `is_vector` as in
 * program_isomorphic_make. */
struct emit_options {
    enum emit_together together;
    bool has_loops;
    const bool *is_vector;
};

/* Makes the plan of `program`; with loops or EMIT_PAIRS its steps change their order. */
enum noe_status emit_plan_make(struct emit_plan *plan, const struct graph *graph,
                               struct program *program, const struct emit_options *wishes);
void emit_plan_clear(struct emit_plan *plan);

/* Where the value of a node stands; a step's index is its slot. */
struct program_where emit_plan_where(const struct emit_plan *plan, int node);

/* Writes where operand k of each member of a loop stands to `index`; returns the common place. */
enum program_place emit_plan_operands(const struct emit_plan *plan, int loop, int k, int *index);

#endif
