/* Code generation plan of a routine: named variables, shared slots, parts, loops and tiles. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_EMIT_PLAN_H
#define MODEL_CODEGEN_EMIT_PLAN_H

#include "model/codegen/vectorise/program_loops.h"

/* Decision about one step. */
struct emit_decision {
    int width;  /* width of its expression in columns */
    int number; /* number of its variable; 0: inlined at its use; -1: variable, not numbered yet */
    int slot;   /* index in the array shared by the parts; -1: used in its own part only */
    int output; /* first output, or -1; `next` links the others */
};

/* A unit of the text: consecutive steps, or one loop. */
struct emit_part {
    int first, end;
    int loop; /* index of the loop, or -1 */
};

/* Tiling of one loop of a group. While the group is at its members b to e - 1, this loop covers its
 * members b + min to e + max - 1, so that it stays ahead of the loops that read it. */
struct emit_tile {
    int group; /* index of the group, or -1 */
    int min, max;
    bool is_read;
};

/* Loops of the parts `part` to `end` - 1, tiled together. */
struct emit_group {
    int part, end;
    int count;       /* trip count of the longest loop */
    int kept, nkept; /* range in emit_tiles.kept: steps read outside the group */
};

struct emit_tiles {
    int ngroups;
    struct emit_group *group;
    struct emit_tile *tile; /* by loop; NULL: no tiling */
    int *kept;
};

struct emit_plan {
    const struct graph *graph;
    struct program *program;
    struct emit_decision *decision; /* by step */
    int *next;                      /* by output */
    bool *starts_pair;              /* true if a step is evaluated together with the next one */
    int *partner; /* by step: the cosine that belongs to a sine, or the reverse; -1: none */
    struct program_loops loops;
    int *part;                   /* by step */
    struct emit_part *part_list; /* in order of execution */
    bool is_split;               /* the parts are separate functions */
    bool has_leaf_loops;         /* outputs that are leaves are written by loops */
    int nparts, nslots;
    int (*gather)[2]; /* by loop and operand: first slot of gathered operands, or -1 */
    struct emit_tiles tiles;
};

/* Kinds of operations that may be evaluated together. */
enum emit_together { EMIT_NOTHING, EMIT_PAIRS, EMIT_SINE_WITH_COSINE };

/* Permissions of a plan. `has_loops` allows loops if worthwhile. `is_vector` as in
 * program_isomorphic_make. */
struct emit_options {
    enum emit_together together;
    bool has_loops;
    const bool *is_vector;
};

/* Makes the plan of `program`. Loops and EMIT_PAIRS reorder its steps. */
enum noe_status emit_plan_make(struct emit_plan *plan, const struct graph *graph,
                               struct program *program, const struct emit_options *options);
void emit_plan_clear(struct emit_plan *plan);

/* Location of the value of a node. The index of a step is its slot. */
struct program_where emit_plan_where(const struct emit_plan *plan, int node);

/* Writes the indices of operand k of all members of a loop. Returns their common place. */
enum program_place emit_plan_operands(const struct emit_plan *plan, int loop, int k, int *index);

#endif
