/* The graph of a circuit: nodes, branches, and the loops that its mesh charges go round. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CIRCUIT_H
#define MODEL_CIRCUIT_H

#include <stdbool.h>

/* Branch b leads from node from[b] to node to[b]. The charge through it is the sum of
 * loop[b * nmeshes + k], which is 1, -1 or 0, times that of mesh k. */
struct circuit {
    int nnodes, nbranches, nmeshes;
    char **node, **branch; /* names */
    int *from, *to;
    int *loop;
};

void circuit_clear(struct circuit *circuit);
/* Room for one more node or branch, names owned here; false when memory ran out. */
bool circuit_add_node(struct circuit *circuit, char *name);
bool circuit_add_branch(struct circuit *circuit, char *name, int from, int to);

/* A node that no branches join to the first one, or -1; -2 when memory ran out. */
int circuit_loose_node(const struct circuit *circuit);
/* Of the branches that are marked, the first that closes a loop of such, or -1; -2 as above. */
int circuit_closing(const struct circuit *circuit, const bool *is_marked);
/* Sets the loops: branches in their order make a tree as long as they close no loop; each of the
 * others gives a mesh, in the same order, which goes along it and back through the tree. False when
 * memory ran out. */
bool circuit_find_loops(struct circuit *circuit);
/* The sum over branches of incidence times loop k at a node: zero if the loop is closed there. */
int circuit_defect(const struct circuit *circuit, int node, int k);
/* A mesh whose loop is a sum of multiples of earlier ones, or -1; -2 when memory ran out. */
int circuit_dependent_loop(const struct circuit *circuit);

#endif
