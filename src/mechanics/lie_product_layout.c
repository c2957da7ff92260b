/* How a system's momenta and forces are coupled, group by group. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "mechanics/lie_product.h"

/* What a chart is made from. */
struct chart_maker {
    struct chart_piece *piece;
    int *owner,
        *start; /* the piece of a degree of freedom; where a row's block of a piece starts */
    struct chart_block *block;
    int *from;
};

/* Pieces of a product: a group is one, a coordinate of R^n too. */
static int count_pieces(const struct noe_system *system) {
    int count = 0;
    if (!system->factors) return system->n;
    for (int i = 0; i < system->nfactors; i++)
        count += system->factors[i].space->nretractions ? 1 : system->factors[i].size;
    return count;
}

static int make_pieces(const struct noe_system *system, struct chart_piece *piece) {
    int tangent = 0, square = 0;
    for (int i = 0; !system->factors && i < system->n; i++)
        piece[i] = (struct chart_piece){.tangent = i, .size = 1};
    for (int i = 0; system->factors && i < system->nfactors; i++) {
        const struct noe_space *space = system->factors[i].space;
        const bool is_group = space->nretractions;
        for (int j = 0; j < (is_group ? 1 : system->factors[i].size); j++, piece++) {
            *piece = (struct chart_piece){.space = is_group ? space : NULL,
                                          .tangent = tangent,
                                          .size = is_group ? space->tangent : 1,
                                          .square = square};
            tangent += piece->size;
            square += is_group ? piece->size * piece->size : 0;
        }
    }
    return square;
}

/* Entries of the system's pattern. */
static int entry_row(const struct noe_system *s, int e) { return s->row ? s->row[e] : e / s->n; }
static int entry_col(const struct noe_system *s, int e) { return s->row ? s->col[e] : e % s->n; }

/* The row of blocks of piece r, from the entries e .. end-1 of its rows: its pairs with the pieces
 * that they couple it to, and with itself. With `from` NULL it only counts. */
static void add_row(const struct noe_system *system, const struct chart_maker *make, int r, int e,
                    int end, struct chart *chart) {
    const struct chart_piece *row = &make->piece[r];
    const int first = chart->nz;
    for (int c = 0; c < chart->npieces; c++) make->start[c] = c == r ? 0 : -1;
    for (int k = e; k < end; k++) make->start[make->owner[entry_col(system, k)]] = 0;
    for (int c = 0; c < chart->npieces; c++) {
        if (make->start[c] < 0) continue;
        make->start[c] = chart->nz;
        if (make->from) make->block[chart->nblocks] = (struct chart_block){r, c, chart->nz};
        chart->nblocks++;
        chart->nz += row->size * make->piece[c].size;
    }
    if (!make->from) return;
    for (int k = first; k < chart->nz; k++) make->from[k] = -1;
    for (; e < end; e++) {
        const int j = entry_col(system, e), c = make->owner[j];
        const int i = entry_row(system, e) - row->tangent;
        make->from[make->start[c] + i * make->piece[c].size + j - make->piece[c].tangent] = e;
    }
}

/* All blocks, row by row. */
static void add_rows(const struct noe_system *system, const struct chart_maker *make,
                     struct chart *chart) {
    chart->nblocks = chart->nz = 0;
    for (int r = 0, e = 0; r < chart->npieces; r++) {
        const int last = make->piece[r].tangent + make->piece[r].size, first = e;
        while (e < system->nz && entry_row(system, e) < last) e++;
        add_row(system, make, r, first, e, chart);
    }
}

/* The chart and its arrays in one block of memory. */
static struct chart *assemble(const struct noe_system *system, struct chart_maker *make,
                              struct chart measured) {
    add_rows(system, make, &measured);
    const size_t pieces = (size_t)measured.npieces * sizeof(struct chart_piece),
                 blocks = (size_t)measured.nblocks * sizeof(struct chart_block);
    struct chart *chart =
        malloc(sizeof *chart + pieces + blocks + (size_t)measured.nz * sizeof(int));
    if (!chart) return NULL;
    *chart = measured;
    chart->piece = memcpy(chart + 1, make->piece, pieces);
    make->block = (struct chart_block *)(chart->piece + chart->npieces);
    make->from = (int *)(make->block + chart->nblocks);
    chart->block = make->block;
    chart->from = make->from;
    add_rows(system, make, chart);
    return chart;
}

struct chart *chart_make(const struct noe_system *system) {
    struct chart measured = {.npieces = count_pieces(system)};
    struct chart_maker make = {
        .piece = malloc((size_t)measured.npieces * sizeof(struct chart_piece)),
        .owner = malloc(((size_t)system->n + (size_t)measured.npieces) * sizeof(int))};
    struct chart *chart = NULL;
    make.start = make.owner + system->n;
    if (make.piece && make.owner) {
        measured.square = make_pieces(system, make.piece);
        for (int k = 0; k < measured.npieces; k++)
            for (int i = 0; i < make.piece[k].size; i++) make.owner[make.piece[k].tangent + i] = k;
        chart = assemble(system, &make, measured);
    }
    free(make.piece);
    free(make.owner);
    return chart;
}

/* Writes the places of one block. */
static void write_block(const struct chart *chart, const struct chart_block *block, int row0,
                        int col0, int *row, int *col) {
    const struct chart_piece *r = &chart->piece[block->row], *c = &chart->piece[block->col];
    for (int i = 0; i < r->size; i++)
        for (int j = 0; j < c->size; j++) {
            *row++ = row0 + r->tangent + i;
            *col++ = col0 + c->tangent + j;
        }
}

int chart_pattern(const struct chart *chart, int row0, int col0, int *row, int *col) {
    for (int b = 0; row && b < chart->nblocks; b++) {
        const struct chart_block *block = &chart->block[b];
        write_block(chart, block, row0, col0, row + block->first, col + block->first);
    }
    return chart->nz;
}

int chart_diagonal_pattern(const struct chart *chart, int *row, int *col) {
    int count = 0;
    for (int b = 0; b < chart->nblocks; b++) {
        const struct chart_block *block = &chart->block[b];
        if (block->row != block->col) continue;
        if (row) write_block(chart, block, 0, 0, row + count, col + count);
        count += chart->piece[block->row].size * chart->piece[block->row].size;
    }
    return count;
}

void chart_write(FILE *out, const struct chart *chart) {
    fputs("static const struct chart_piece specialised_piece[] = {", out);
    for (int k = 0; k < chart->npieces; k++) {
        const struct chart_piece *p = &chart->piece[k];
        fprintf(out, "{%s%s,%d,%d,%d},", p->space ? "&noe_space_" : "0",
                p->space ? p->space->name : "", p->tangent, p->size, p->square);
    }
    fputs("};\nstatic const struct chart_block specialised_block[] = {", out);
    for (int b = 0; b < chart->nblocks; b++)
        fprintf(out, "{%d,%d,%d},", chart->block[b].row, chart->block[b].col,
                chart->block[b].first);
    fputs("};\nstatic const int specialised_from[] = {", out);
    for (int e = 0; e < chart->nz; e++) fprintf(out, "%d,", chart->from[e]);
    fprintf(out,
            "};\nstatic const struct chart specialised_chart = {%d,%d,%d,%d,\n"
            "    specialised_piece, specialised_block, specialised_from};\n",
            chart->npieces, chart->nblocks, chart->nz, chart->square);
}
