/* Reverse Cuthill-McKee ordering (Cuthill and McKee, 1969; George and Liu, 1979): breadth-first
 * search from a peripheral node, so that neighbours get close numbers. */
/* SPDX-License-Identifier: MIT */
#include "linalg/bandwidth_ordering.h"

#include <stdlib.h>
#include <string.h>

/* Adjacency lists: the neighbours of i are neighbour[start[i]] to neighbour[start[i + 1] - 1],
 * possibly with repetitions. */
struct graph {
    int n, *start, *neighbour;
    int *seen; /* number of the last search that visited each node */
    int search;
};

static int degree(const struct graph *g, int i) { return g->start[i + 1] - g->start[i]; }

static int largest_degree(const struct graph *g) {
    int largest = 0;
    for (int i = 0; i < g->n; i++)
        if (degree(g, i) > largest) largest = degree(g, i);
    return largest;
}

static bool open_graph(struct graph *g, int n, int nz, const int *row, const int *col) {
    const size_t nodes = (size_t)n, ends = 2 * (size_t)nz;
    int *memory = calloc(2 * nodes + 2 + ends, sizeof *memory);
    if (!memory) return false;
    *g = (struct graph){n, memory, memory + 2 * nodes + 2, memory + nodes + 2, 0};
    int *fill = g->start + 1; /* next free position of each node */
    for (int e = 0; e < nz; e++) {
        if (row[e] == col[e]) continue;
        fill[row[e] + 1]++;
        fill[col[e] + 1]++;
    }
    for (int i = 0; i < n; i++) fill[i + 1] += fill[i];
    for (int e = 0; e < nz; e++) {
        if (row[e] == col[e]) continue;
        g->neighbour[fill[row[e]]++] = col[e];
        g->neighbour[fill[col[e]]++] = row[e];
    }
    return true;
}

/* Stable insertion sort of nodes by degree. */
static void sort(const struct graph *g, int count, int *node) {
    for (int i = 1; i < count; i++) {
        const int moved = node[i];
        int j = i;
        for (; j > 0 && degree(g, node[j - 1]) > degree(g, moved); j--) node[j] = node[j - 1];
        node[j] = moved;
    }
}

/* Breadth-first search: lists the nodes reachable from `first`, level by level, and returns their
 * number. `depth` is the number of levels, `far` the node of minimal degree in the last one. */
static int search_from(struct graph *g, int first, int *list, int *depth, int *far) {
    int count = 1, begin = 0;
    list[0] = first;
    g->seen[first] = ++g->search;
    for (*depth = 0; begin < count; ++*depth) {
        const int end = count;
        *far = list[begin];
        for (int i = begin; i < end; i++) {
            const int node = list[i], children = count;
            if (degree(g, node) < degree(g, *far)) *far = node;
            for (int e = g->start[node]; e < g->start[node + 1]; e++) {
                const int other = g->neighbour[e];
                if (g->seen[other] == g->search) continue;
                g->seen[other] = g->search;
                list[count++] = other;
            }
            sort(g, count - children, list + children);
        }
        begin = end;
    }
    return count;
}

/* Lists the connected component of `first`, starting from a peripheral node. */
static int list_component(struct graph *g, int first, int *list) {
    enum { TRIES = 8 };
    int depth, far, last_depth = 0;
    int count = search_from(g, first, list, &depth, &far);
    for (int i = 0; i < TRIES && depth > last_depth; i++) {
        last_depth = depth;
        count = search_from(g, far, list, &depth, &far);
    }
    return count;
}

bool ordering_narrow(int n, int nz, const int *row, const int *col, int max, int *order) {
    struct graph g;
    int count = 0;
    if (!open_graph(&g, n, nz, row, col)) return false;
    const bool is_accepted = largest_degree(&g) <= max;
    for (int i = 0; i < n && is_accepted; i++)
        if (!g.seen[i]) count += list_component(&g, i, order + count);
    for (int i = 0; i < count / 2; i++) {
        const int t = order[i];
        order[i] = order[count - 1 - i];
        order[count - 1 - i] = t;
    }
    free(g.start);
    return is_accepted;
}
