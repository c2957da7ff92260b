/* Block structure of the constraint Jacobian on a product of groups and R^n. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "mechanics/constraint_jacobian.h"

/* The block of the factor that a tangent direction belongs to. */
static struct constraint_jacobian_block block_at(const struct lie_product *lie_product, int row,
                                                 int direction) {
    for (int k = 0; lie_product && k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        if (!piece->space || direction < piece->tangent) continue;
        if (direction < piece->tangent + piece->size)
            return (struct constraint_jacobian_block){row, piece->tangent, piece->size, 0,
                                                      piece->square};
    }
    return (struct constraint_jacobian_block){row, direction, 1, 0, -1};
}

/* The block of the same row that contains the direction, or NULL. */
static struct constraint_jacobian_block *
known_block(const struct constraint_jacobian *constraint_jacobian,
            struct constraint_jacobian_block *blocks, int row, int direction) {
    for (int b = constraint_jacobian->nblocks - 1; b >= 0 && blocks[b].row == row; b--)
        if (direction >= blocks[b].tangent && direction < blocks[b].tangent + blocks[b].size)
            return &blocks[b];
    return NULL;
}

static void add_entry(const struct noe_system *system, const struct lie_product *lie_product, int e,
                      struct constraint_jacobian *constraint_jacobian,
                      struct constraint_jacobian_block *blocks, int *from) {
    const int row = constraint_row(system, e), col = constraint_col(system, e);
    struct constraint_jacobian_block *block = known_block(constraint_jacobian, blocks, row, col);
    if (!block) {
        block = &blocks[constraint_jacobian->nblocks++];
        *block = block_at(lie_product, row, col);
        block->first = constraint_jacobian->nz;
        for (int i = 0; i < block->size; i++) from[constraint_jacobian->nz++] = -1;
    }
    from[block->first + col - block->tangent] = e;
    if (row >= system->nholonomic) return;
    constraint_jacobian->nblocks_holonomic = constraint_jacobian->nblocks;
    constraint_jacobian->nz_holonomic = constraint_jacobian->nz;
}

/* Adds the Schur complements. False if memory runs out. */
static bool add_schurs(const struct noe_system *system,
                       struct constraint_jacobian *constraint_jacobian, struct schur_term *term,
                       size_t nposition) {
    if (!schur_exists(system)) return true;
    return schur_make(&constraint_jacobian->position, system, system->nholonomic, term) &&
           schur_make(&constraint_jacobian->velocity, system, constraint_count(system),
                      term + nposition);
}

struct constraint_jacobian *constraint_jacobian_make(const struct noe_system *system,
                                                     const struct lie_product *lie_product) {
    const size_t max = (size_t)system->nzc;
    const bool exists = schur_exists(system);
    const size_t nposition = exists ? schur_count(system, system->nholonomic) : 0;
    const size_t nvelocity = exists ? schur_count(system, constraint_count(system)) : 0;
    struct constraint_jacobian *constraint_jacobian = calloc(
        1, sizeof *constraint_jacobian + max * sizeof(struct constraint_jacobian_block) +
               (nposition + nvelocity) * sizeof(struct schur_term) + SMALL_MAX * max * sizeof(int));
    if (!constraint_jacobian) return NULL;
    constraint_jacobian->nholonomic = system->nholonomic;
    struct constraint_jacobian_block *blocks =
        (struct constraint_jacobian_block *)(constraint_jacobian + 1);
    struct schur_term *term = (struct schur_term *)(blocks + max);
    int *from = (int *)(term + nposition + nvelocity);
    for (int e = 0; e < system->nzc; e++)
        add_entry(system, lie_product, e, constraint_jacobian, blocks, from);
    constraint_jacobian->block = blocks;
    constraint_jacobian->from = from;
    if (add_schurs(system, constraint_jacobian, term, nposition)) return constraint_jacobian;
    free(constraint_jacobian);
    return NULL;
}

int constraint_jacobian_sparsity(const struct constraint_jacobian *constraint_jacobian,
                                 struct constraint_jacobian_range range, bool is_transposed,
                                 int row0, int col0, int *row, int *col) {
    for (int b = range.first; row && b < range.last; b++) {
        const struct constraint_jacobian_block *block = &constraint_jacobian->block[b];
        for (int i = 0; i < block->size; i++) {
            const int e = block->first + i - range.begin;
            const int a = block->row - range.row, k = block->tangent + i;
            row[e] = row0 + (is_transposed ? k : a);
            col[e] = col0 + (is_transposed ? a : k);
        }
    }
    return range.end - range.begin;
}

void constraint_jacobian_write(FILE *out, const struct constraint_jacobian *constraint_jacobian) {
    fputs("static const struct constraint_jacobian_block specialised_constraint_block[] = {", out);
    for (int b = 0; b < constraint_jacobian->nblocks; b++) {
        const struct constraint_jacobian_block *k = &constraint_jacobian->block[b];
        fprintf(out, "{%d,%d,%d,%d,%d},", k->row, k->tangent, k->size, k->first, k->square);
    }
    fputs("};\nstatic const int specialised_constraint_from[] = {", out);
    for (int e = 0; e < constraint_jacobian->nz; e++)
        fprintf(out, "%d,", constraint_jacobian->from[e]);
    fputs("};\n", out);
    schur_write(out, &constraint_jacobian->position, "specialised_position");
    schur_write(out, &constraint_jacobian->velocity, "specialised_velocity");
    fprintf(out,
            "static const struct constraint_jacobian specialised_constraint_jacobian = "
            "{%d,%d,%d,%d,%d,\n"
            "    specialised_constraint_block, specialised_constraint_from,\n"
            "    {%d,%d,%d,specialised_position}, {%d,%d,%d,specialised_velocity}};\n",
            constraint_jacobian->nblocks, constraint_jacobian->nz, constraint_jacobian->nholonomic,
            constraint_jacobian->nblocks_holonomic, constraint_jacobian->nz_holonomic,
            constraint_jacobian->position.size, constraint_jacobian->position.nz,
            constraint_jacobian->position.nterms, constraint_jacobian->velocity.size,
            constraint_jacobian->velocity.nz, constraint_jacobian->velocity.nterms);
}
