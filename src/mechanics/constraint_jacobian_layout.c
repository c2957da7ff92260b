/* Where constraints depend on the pieces of a product. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "mechanics/constraint_jacobian.h"

/* The piece that a direction belongs to. */
static struct reaction_block block_at(const struct chart *chart, int row, int direction) {
    for (int k = 0; chart && k < chart->npieces; k++) {
        const struct chart_piece *piece = &chart->piece[k];
        if (!piece->space || direction < piece->tangent) continue;
        if (direction < piece->tangent + piece->size)
            return (struct reaction_block){row, piece->tangent, piece->size, 0, piece->square};
    }
    return (struct reaction_block){row, direction, 1, 0, -1};
}

/* The block of the same row that has the direction already, or NULL. */
static struct reaction_block *known_block(const struct reaction *reaction,
                                          struct reaction_block *blocks, int row, int direction) {
    for (int b = reaction->nblocks - 1; b >= 0 && blocks[b].row == row; b--)
        if (direction >= blocks[b].tangent && direction < blocks[b].tangent + blocks[b].size)
            return &blocks[b];
    return NULL;
}

static void add_entry(const struct noe_system *system, const struct chart *chart, int e,
                      struct reaction *reaction, struct reaction_block *blocks, int *from) {
    const int row = constraint_row(system, e), col = constraint_col(system, e);
    struct reaction_block *block = known_block(reaction, blocks, row, col);
    if (!block) {
        block = &blocks[reaction->nblocks++];
        *block = block_at(chart, row, col);
        block->first = reaction->nz;
        for (int i = 0; i < block->size; i++) from[reaction->nz++] = -1;
    }
    from[block->first + col - block->tangent] = e;
    if (row >= system->nholonomic) return;
    reaction->nblocks_holonomic = reaction->nblocks;
    reaction->nz_holonomic = reaction->nz;
}

/* The matrices of multipliers; false without memory. */
static bool add_grams(const struct noe_system *system, struct reaction *reaction,
                      struct gram_term *term, size_t nposition) {
    if (!gram_exists(system)) return true;
    return gram_make(&reaction->position, system, system->nholonomic, term) &&
           gram_make(&reaction->velocity, system, constraint_count(system), term + nposition);
}

struct reaction *reaction_make(const struct noe_system *system, const struct chart *chart) {
    const size_t most = (size_t)system->nzc;
    const bool exists = gram_exists(system);
    const size_t nposition = exists ? gram_count(system, system->nholonomic) : 0;
    const size_t nvelocity = exists ? gram_count(system, constraint_count(system)) : 0;
    struct reaction *reaction = calloc(1, sizeof *reaction + most * sizeof(struct reaction_block) +
                                              (nposition + nvelocity) * sizeof(struct gram_term) +
                                              SMALL_MAX * most * sizeof(int));
    if (!reaction) return NULL;
    reaction->nholonomic = system->nholonomic;
    struct reaction_block *blocks = (struct reaction_block *)(reaction + 1);
    struct gram_term *term = (struct gram_term *)(blocks + most);
    int *from = (int *)(term + nposition + nvelocity);
    for (int e = 0; e < system->nzc; e++) add_entry(system, chart, e, reaction, blocks, from);
    reaction->block = blocks;
    reaction->from = from;
    if (add_grams(system, reaction, term, nposition)) return reaction;
    free(reaction);
    return NULL;
}

int reaction_pattern(const struct reaction *reaction, struct reaction_range range,
                     bool is_transposed, int row0, int col0, int *row, int *col) {
    for (int b = range.first; row && b < range.last; b++) {
        const struct reaction_block *block = &reaction->block[b];
        for (int i = 0; i < block->size; i++) {
            const int e = block->first + i - range.begin;
            const int a = block->row - range.row, k = block->tangent + i;
            row[e] = row0 + (is_transposed ? k : a);
            col[e] = col0 + (is_transposed ? a : k);
        }
    }
    return range.end - range.begin;
}

void reaction_write(FILE *out, const struct reaction *reaction) {
    fputs("static const struct reaction_block specialised_reaction_block[] = {", out);
    for (int b = 0; b < reaction->nblocks; b++) {
        const struct reaction_block *k = &reaction->block[b];
        fprintf(out, "{%d,%d,%d,%d,%d},", k->row, k->tangent, k->size, k->first, k->square);
    }
    fputs("};\nstatic const int specialised_reaction_from[] = {", out);
    for (int e = 0; e < reaction->nz; e++) fprintf(out, "%d,", reaction->from[e]);
    fputs("};\n", out);
    gram_write(out, &reaction->position, "specialised_position");
    gram_write(out, &reaction->velocity, "specialised_velocity");
    fprintf(out,
            "static const struct reaction specialised_reaction = {%d,%d,%d,%d,%d,\n"
            "    specialised_reaction_block, specialised_reaction_from,\n"
            "    {%d,%d,%d,specialised_position}, {%d,%d,%d,specialised_velocity}};\n",
            reaction->nblocks, reaction->nz, reaction->nholonomic, reaction->nblocks_holonomic,
            reaction->nz_holonomic, reaction->position.size, reaction->position.nz,
            reaction->position.nterms, reaction->velocity.size, reaction->velocity.nz,
            reaction->velocity.nterms);
}
