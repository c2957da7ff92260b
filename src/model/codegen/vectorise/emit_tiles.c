/* Loop tiling: groups of loops that read one another, and the tile offsets of their loops. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/vectorise/emit_tiles.h"

#include <stdlib.h>

enum {
    SLOTS_MIN = 2048, /* smaller arrays stay in the L1 cache without tiling */
    KEPT_MAX = 32     /* max values of a group that others read; each costs one test per tile */
};

/* Consecutive loops that may become a group. */
struct finder {
    struct emit_plan *plan;
    struct emit_group group;
    int number; /* index of the group */
    int *uses;  /* by step: number of reads by loops of its group */
    bool is_good;
};

int emit_tiles_group(const struct emit_plan *plan, int loop) {
    return plan->tiles.tile && loop >= 0 ? plan->tiles.tile[loop].group : -1;
}

static const struct program_loop *loop_at(const struct finder *f, int loop) {
    return &f->plan->loops.loop[loop];
}

static int child_step(const struct finder *f, int step, int k) {
    const struct graph_node *node = &f->plan->graph->node[f->plan->program->step[step]];
    return f->plan->program->place[k == 0 ? node->a : node->b];
}

/* Records the reads of operand k. Members of a group must be read at a constant offset: pass i
 * reads member i + `ahead`. */
static void record_operand(struct finder *f, int root, int loop, int k) {
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
    struct emit_tile *tile = &f->plan->tiles.tile[from];
    const struct emit_tile *by = &f->plan->tiles.tile[root];
    const int ahead = first - loop_at(f, from)->first;
    if (!tile->is_read || by->min + ahead < tile->min) tile->min = by->min + ahead;
    if (!tile->is_read || by->max + ahead > tile->max) tile->max = by->max + ahead;
    tile->is_read = true;
}

/* Records the reads of the passes of `root` in `loop`, which is `root` itself or inlined in it. */
static void record_operands(struct finder *f, int root, int loop) {
    const struct program_loop *list = loop_at(f, loop);
    int child[2];
    const int count =
        program_children(&f->plan->graph->node[f->plan->program->step[list->first]], child);
    for (int k = 0; k < count && f->is_good; k++) {
        const int step = child_step(f, list->first, k);
        const int from = step < 0 ? -1 : f->plan->loops.loop_of[step];
        if (from >= 0 && loop_at(f, from)->into == loop)
            record_operands(f, root, from);
        else
            record_operand(f, root, loop, k);
    }
}

static bool is_near(int distance) {
    return distance <= EMIT_TILE_HALO && distance >= -EMIT_TILE_HALO;
}

static bool has_outputs(const struct finder *f, const struct program_loop *list) {
    for (int i = list->first; i < list->first + list->count; i++)
        if (f->plan->decision[i].output >= 0) return true;
    return false;
}

static void record_loop(struct finder *f, int loop) {
    const struct program_loop *list = loop_at(f, loop);
    const struct emit_tile *tile = &f->plan->tiles.tile[loop];
    if (list->into >= 0) return;
    f->is_good = is_near(f->group.count - list->count) && is_near(tile->min) &&
                 is_near(tile->max) && !(list->is_call && has_outputs(f, list));
    if (f->is_good) record_operands(f, loop, loop);
}

/* Collects the members that are read outside the group. */
static void collect_kept(struct finder *f, int loop) {
    const struct program_loop *list = loop_at(f, loop);
    struct emit_tiles *tiles = &f->plan->tiles;
    for (int i = list->first; list->into < 0 && i < list->first + list->count && f->is_good; i++) {
        int uses = f->plan->program->uses[i] - f->uses[i];
        for (int k = f->plan->decision[i].output; k >= 0; k = f->plan->next[k]) uses--;
        if (uses <= 0) continue;
        tiles->kept[f->group.kept + f->group.nkept++] = i;
        f->is_good = f->group.nkept < KEPT_MAX;
    }
}

/* True if some loop of the group reads another. */
static bool is_of_use(const struct finder *f) {
    for (int part = f->group.part; part < f->group.end; part++)
        if (f->plan->tiles.tile[f->plan->part_list[part].loop].is_read) return true;
    return false;
}

/* Loops are visited in reverse order, so that the ranges of all readers are known before those of
 * the loops they read. */
static void try_group(struct finder *f) {
    struct emit_plan *plan = f->plan;
    struct emit_tiles *tiles = &plan->tiles;
    f->number = tiles->ngroups;
    f->is_good = true;
    for (int part = f->group.part; part < f->group.end; part++) {
        const int loop = plan->part_list[part].loop;
        tiles->tile[loop] = (struct emit_tile){.group = f->number};
        if (loop_at(f, loop)->count > f->group.count) f->group.count = loop_at(f, loop)->count;
    }
    for (int part = f->group.end - 1; part >= f->group.part && f->is_good; part--)
        record_loop(f, plan->part_list[part].loop);
    f->is_good = f->is_good && is_of_use(f);
    for (int part = f->group.part; part < f->group.end && f->is_good; part++)
        collect_kept(f, plan->part_list[part].loop);
    for (int part = f->group.part; part < f->group.end && !f->is_good; part++)
        tiles->tile[plan->part_list[part].loop].group = -1;
    if (f->is_good) tiles->group[tiles->ngroups++] = f->group;
}

static bool allocate(struct emit_plan *plan, int **uses) {
    struct emit_tiles *tiles = &plan->tiles;
    const size_t loops = (size_t)plan->loops.nloops + 1;
    tiles->tile = malloc(loops * sizeof *tiles->tile);
    tiles->group = malloc(loops * sizeof *tiles->group);
    tiles->kept = malloc((loops * KEPT_MAX) * sizeof *tiles->kept);
    *uses = calloc((size_t)plan->program->nsteps + 1, sizeof **uses);
    for (int i = 0; tiles->tile && i < plan->loops.nloops; i++) tiles->tile[i].group = -1;
    return tiles->tile && tiles->group && tiles->kept && *uses;
}

enum noe_status emit_tiles_make(struct emit_plan *plan) {
    struct finder f = {.plan = plan};
    if (plan->nslots <= SLOTS_MIN || plan->loops.nloops == 0) return NOE_OK;
    const bool is_done = allocate(plan, &f.uses);
    for (int part = 0, end; is_done && part < plan->nparts; part = end) {
        for (end = part; end < plan->nparts && plan->part_list[end].loop >= 0;) end++;
        f.group =
            (struct emit_group){.part = part, .end = end, .kept = KEPT_MAX * plan->tiles.ngroups};
        if (end > part + 1) try_group(&f);
        if (end == part) end++;
    }
    free(f.uses);
    return is_done ? NOE_OK : NOE_NO_MEMORY;
}

void emit_tiles_clear(struct emit_tiles *tiles) {
    free(tiles->tile);
    free(tiles->group);
    free(tiles->kept);
    *tiles = (struct emit_tiles){0};
}
