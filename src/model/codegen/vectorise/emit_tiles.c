/* Loop tiling: groups of loops that read one another, and the tile offsets of their loops. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/vectorise/emit_tiles.h"

#include <stdlib.h>

enum {
    SLOTS_MIN = 2048, /* fewer stay in the nearest cache anyway */
    KEPT_MAX = 32     /* numbers of a group that others read: each costs a test in every piece */
};

/* A run of loops that may become a group. */
struct finder {
    struct emit_plan *plan;
    struct emit_group group;
    int number; /* of the group */
    int *uses;  /* by step: how often loops of groups read it */
    bool is_good;
};

int emit_tiles_group(const struct emit_plan *plan, int loop) {
    return plan->pieces.piece && loop >= 0 ? plan->pieces.piece[loop].group : -1;
}

static const struct program_loop *loop_at(const struct finder *f, int loop) {
    return &f->plan->loops.loop[loop];
}

static int child_step(const struct finder *f, int step, int k) {
    const struct graph_node *node = &f->plan->graph->node[f->plan->program->step[step]];
    return f->plan->program->place[k == 0 ? node->a : node->b];
}

/* Members of a group must be read at one distance: number i + `ahead` in pass i. */
static void note_operand(struct finder *f, int root, int loop, int k) {
    const int *loop_of = f->plan->loops.loop_of;
    const struct program_loop *list = loop_at(f, loop);
    const int first = child_step(f, list->first, k), from = first < 0 ? -1 : loop_of[first];
    const bool is_inside = from >= 0 && emit_tiles_group(f->plan, from) == f->number;
    for (int i = 0; i < list->count; i++) {
        const int step = child_step(f, list->first + i, k), its = step < 0 ? -1 : loop_of[step];
        if (is_inside ? step != first + i || its != from
                      : its >= 0 && emit_tiles_group(f->plan, its) == f->number)
            f->is_good = false;
        if (is_inside && f->is_good) f->uses[step]++;
    }
    if (!is_inside) return;
    struct emit_tile *piece = &f->plan->pieces.piece[from];
    const struct emit_tile *by = &f->plan->pieces.piece[root];
    const int ahead = first - loop_at(f, from)->first;
    if (!piece->is_read || by->min + ahead < piece->min) piece->min = by->min + ahead;
    if (!piece->is_read || by->max + ahead > piece->max) piece->max = by->max + ahead;
    piece->is_read = true;
}

/* What the passes of `root` read, in `loop`, which is the same or written in place there. */
static void note_operands(struct finder *f, int root, int loop) {
    const struct program_loop *list = loop_at(f, loop);
    int child[2];
    const int count =
        program_children(&f->plan->graph->node[f->plan->program->step[list->first]], child);
    for (int k = 0; k < count && f->is_good; k++) {
        const int step = child_step(f, list->first, k);
        const int from = step < 0 ? -1 : f->plan->loops.loop_of[step];
        if (from >= 0 && loop_at(f, from)->into == loop)
            note_operands(f, root, from);
        else
            note_operand(f, root, loop, k);
    }
}

static bool is_near(int distance) {
    return distance <= EMIT_TILE_HALO && distance >= -EMIT_TILE_HALO;
}

static bool has_outputs(const struct finder *f, const struct program_loop *list) {
    for (int i = list->first; i < list->first + list->count; i++)
        if (f->plan->note[i].output >= 0) return true;
    return false;
}

static void note_loop(struct finder *f, int loop) {
    const struct program_loop *list = loop_at(f, loop);
    const struct emit_tile *piece = &f->plan->pieces.piece[loop];
    if (list->into >= 0) return;
    f->is_good = is_near(f->group.count - list->count) && is_near(piece->min) &&
                 is_near(piece->max) && !(list->is_call && has_outputs(f, list));
    if (f->is_good) note_operands(f, loop, loop);
}

/* Members that are read outside the group. */
static void keep(struct finder *f, int loop) {
    const struct program_loop *list = loop_at(f, loop);
    struct emit_tiles *pieces = &f->plan->pieces;
    for (int i = list->first; list->into < 0 && i < list->first + list->count && f->is_good; i++) {
        int uses = f->plan->program->uses[i] - f->uses[i];
        for (int k = f->plan->note[i].output; k >= 0; k = f->plan->next[k]) uses--;
        if (uses <= 0) continue;
        pieces->kept[f->group.kept + f->group.nkept++] = i;
        f->is_good = f->group.nkept < KEPT_MAX;
    }
}

/* Is there anything that loops of the group leave to one another? */
static bool is_of_use(const struct finder *f) {
    for (int part = f->group.part; part < f->group.end; part++)
        if (f->plan->pieces.piece[f->plan->part_list[part].loop].is_read) return true;
    return false;
}

/* Loops that read others come after them: what a piece needs of these is known then. */
static void try_group(struct finder *f) {
    struct emit_plan *plan = f->plan;
    struct emit_tiles *pieces = &plan->pieces;
    f->number = pieces->ngroups;
    f->is_good = true;
    for (int part = f->group.part; part < f->group.end; part++) {
        const int loop = plan->part_list[part].loop;
        pieces->piece[loop] = (struct emit_tile){.group = f->number};
        if (loop_at(f, loop)->count > f->group.count) f->group.count = loop_at(f, loop)->count;
    }
    for (int part = f->group.end - 1; part >= f->group.part && f->is_good; part--)
        note_loop(f, plan->part_list[part].loop);
    f->is_good = f->is_good && is_of_use(f);
    for (int part = f->group.part; part < f->group.end && f->is_good; part++)
        keep(f, plan->part_list[part].loop);
    for (int part = f->group.part; part < f->group.end && !f->is_good; part++)
        pieces->piece[plan->part_list[part].loop].group = -1;
    if (f->is_good) pieces->group[pieces->ngroups++] = f->group;
}

static bool allocate(struct emit_plan *plan, int **uses) {
    struct emit_tiles *pieces = &plan->pieces;
    const size_t loops = (size_t)plan->loops.nloops + 1;
    pieces->piece = malloc(loops * sizeof *pieces->piece);
    pieces->group = malloc(loops * sizeof *pieces->group);
    pieces->kept = malloc((loops * KEPT_MAX) * sizeof *pieces->kept);
    *uses = calloc((size_t)plan->program->nsteps + 1, sizeof **uses);
    for (int i = 0; pieces->piece && i < plan->loops.nloops; i++) pieces->piece[i].group = -1;
    return pieces->piece && pieces->group && pieces->kept && *uses;
}

enum noe_status emit_tiles_make(struct emit_plan *plan) {
    struct finder f = {.plan = plan};
    if (plan->nslots <= SLOTS_MIN || plan->loops.nloops == 0) return NOE_OK;
    const bool is_done = allocate(plan, &f.uses);
    for (int part = 0, end; is_done && part < plan->nparts; part = end) {
        for (end = part; end < plan->nparts && plan->part_list[end].loop >= 0;) end++;
        f.group =
            (struct emit_group){.part = part, .end = end, .kept = KEPT_MAX * plan->pieces.ngroups};
        if (end > part + 1) try_group(&f);
        if (end == part) end++;
    }
    free(f.uses);
    return is_done ? NOE_OK : NOE_NO_MEMORY;
}

void emit_tiles_clear(struct emit_tiles *pieces) {
    free(pieces->piece);
    free(pieces->group);
    free(pieces->kept);
    *pieces = (struct emit_tiles){0};
}
