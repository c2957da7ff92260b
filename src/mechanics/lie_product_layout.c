/* Block structure of a system on a product of groups: the coupling of momenta and forces between
 * factors. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "mechanics/lie_product.h"

/* Intermediate results of the construction. */
struct lie_product_maker {
    struct lie_factor *piece;
    int *owner,
        *start; /* factor of each degree of freedom, and start of the block of a factor in a row */
    struct lie_block *block;
    int *from;
};

/* Number of factors: a group is one, and so is a coordinate of R^n. */
static int count_pieces(const struct noe_system *system) {
    int count = 0;
    if (!system->factors) return system->n;
    for (int i = 0; i < system->nfactors; i++)
        count += system->factors[i].space->retractions ? 1 : system->factors[i].size;
    return count;
}

static int make_pieces(const struct noe_system *system, struct lie_factor *piece) {
    int tangent = 0, square = 0;
    for (int i = 0; !system->factors && i < system->n; i++)
        piece[i] = (struct lie_factor){.tangent = i, .size = 1};
    for (int i = 0; system->factors && i < system->nfactors; i++) {
        const struct noe_space *space = system->factors[i].space;
        const bool is_group = space->retractions;
        for (int j = 0; j < (is_group ? 1 : system->factors[i].size); j++, piece++) {
            *piece = (struct lie_factor){.space = is_group ? space : NULL,
                                         .tangent = tangent,
                                         .size = is_group ? space->tangent : 1,
                                         .square = square};
            tangent += piece->size;
            square += is_group ? piece->size * piece->size : 0;
        }
    }
    return square;
}

/* Row and column of an entry of the system's sparsity pattern. */
static int entry_row(const struct noe_system *s, int e) { return s->row ? s->row[e] : e / s->n; }
static int entry_col(const struct noe_system *s, int e) { return s->row ? s->col[e] : e % s->n; }

/* Adds the blocks of factor r from the entries e .. end-1 of its rows: one block with every factor
 * that it is coupled to, and one with itself. If `from` is NULL it only counts. */
static void add_row(const struct noe_system *system, const struct lie_product_maker *make, int r,
                    int e, int end, struct lie_product *lie_product) {
    const struct lie_factor *row = &make->piece[r];
    const int first = lie_product->nz;
    for (int c = 0; c < lie_product->npieces; c++) make->start[c] = c == r ? 0 : -1;
    for (int k = e; k < end; k++) make->start[make->owner[entry_col(system, k)]] = 0;
    for (int c = 0; c < lie_product->npieces; c++) {
        if (make->start[c] < 0) continue;
        make->start[c] = lie_product->nz;
        if (make->from)
            make->block[lie_product->nblocks] = (struct lie_block){r, c, lie_product->nz};
        lie_product->nblocks++;
        lie_product->nz += row->size * make->piece[c].size;
    }
    if (!make->from) return;
    for (int k = first; k < lie_product->nz; k++) make->from[k] = -1;
    for (; e < end; e++) {
        const int j = entry_col(system, e), c = make->owner[j];
        const int i = entry_row(system, e) - row->tangent;
        make->from[make->start[c] + i * make->piece[c].size + j - make->piece[c].tangent] = e;
    }
}

/* Adds all blocks, row by row. */
static void add_rows(const struct noe_system *system, const struct lie_product_maker *make,
                     struct lie_product *lie_product) {
    lie_product->nblocks = lie_product->nz = 0;
    for (int r = 0, e = 0; r < lie_product->npieces; r++) {
        const int last = make->piece[r].tangent + make->piece[r].size, first = e;
        while (e < system->nz && entry_row(system, e) < last) e++;
        add_row(system, make, r, first, e, lie_product);
    }
}

/* Allocates the Lie product and its arrays in one block of memory. */
static struct lie_product *assemble(const struct noe_system *system, struct lie_product_maker *make,
                                    struct lie_product measured) {
    add_rows(system, make, &measured);
    const size_t pieces = (size_t)measured.npieces * sizeof(struct lie_factor),
                 blocks = (size_t)measured.nblocks * sizeof(struct lie_block);
    struct lie_product *lie_product =
        malloc(sizeof *lie_product + pieces + blocks + (size_t)measured.nz * sizeof(int));
    if (!lie_product) return NULL;
    *lie_product = measured;
    lie_product->piece = memcpy(lie_product + 1, make->piece, pieces);
    make->block = (struct lie_block *)(lie_product->piece + lie_product->npieces);
    make->from = (int *)(make->block + lie_product->nblocks);
    lie_product->block = make->block;
    lie_product->from = make->from;
    add_rows(system, make, lie_product);
    return lie_product;
}

struct lie_product *lie_product_make(const struct noe_system *system) {
    struct lie_product measured = {.npieces = count_pieces(system)};
    struct lie_product_maker make = {
        .piece = malloc((size_t)measured.npieces * sizeof(struct lie_factor)),
        .owner = malloc(((size_t)system->n + (size_t)measured.npieces) * sizeof(int))};
    struct lie_product *lie_product = NULL;
    make.start = make.owner + system->n;
    if (make.piece && make.owner) {
        measured.square = make_pieces(system, make.piece);
        for (int k = 0; k < measured.npieces; k++)
            for (int i = 0; i < make.piece[k].size; i++) make.owner[make.piece[k].tangent + i] = k;
        lie_product = assemble(system, &make, measured);
    }
    free(make.piece);
    free(make.owner);
    return lie_product;
}

/* Writes the rows and columns of one block. */
static void write_block(const struct lie_product *lie_product, const struct lie_block *block,
                        int row0, int col0, int *row, int *col) {
    const struct lie_factor *r = &lie_product->piece[block->row],
                            *c = &lie_product->piece[block->col];
    for (int i = 0; i < r->size; i++)
        for (int j = 0; j < c->size; j++) {
            *row++ = row0 + r->tangent + i;
            *col++ = col0 + c->tangent + j;
        }
}

int lie_product_sparsity(const struct lie_product *lie_product, int row0, int col0, int *row,
                         int *col) {
    for (int b = 0; row && b < lie_product->nblocks; b++) {
        const struct lie_block *block = &lie_product->block[b];
        write_block(lie_product, block, row0, col0, row + block->first, col + block->first);
    }
    return lie_product->nz;
}

int lie_product_diagonal_sparsity(const struct lie_product *lie_product, int *row, int *col) {
    int count = 0;
    for (int b = 0; b < lie_product->nblocks; b++) {
        const struct lie_block *block = &lie_product->block[b];
        if (block->row != block->col) continue;
        if (row) write_block(lie_product, block, 0, 0, row + count, col + count);
        count += lie_product->piece[block->row].size * lie_product->piece[block->row].size;
    }
    return count;
}

void lie_product_write(FILE *out, const struct lie_product *lie_product) {
    fputs("static const struct lie_factor specialised_piece[] = {", out);
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *p = &lie_product->piece[k];
        fprintf(out, "{%s%s,%d,%d,%d},", p->space ? "&noe_space_" : "0",
                p->space ? p->space->name : "", p->tangent, p->size, p->square);
    }
    fputs("};\nstatic const struct lie_block specialised_block[] = {", out);
    for (int b = 0; b < lie_product->nblocks; b++)
        fprintf(out, "{%d,%d,%d},", lie_product->block[b].row, lie_product->block[b].col,
                lie_product->block[b].first);
    fputs("};\nstatic const int specialised_from[] = {", out);
    for (int e = 0; e < lie_product->nz; e++) fprintf(out, "%d,", lie_product->from[e]);
    fprintf(out,
            "};\nstatic const struct lie_product specialised_lie_product = {%d,%d,%d,%d,\n"
            "    specialised_piece, specialised_block, specialised_from};\n",
            lie_product->npieces, lie_product->nblocks, lie_product->nz, lie_product->square);
}
