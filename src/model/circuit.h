/* Graph of an electrical circuit: nodes, branches, a spanning tree and the fundamental loops
 * (meshes) of its chords. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CIRCUIT_H
#define MODEL_CIRCUIT_H

#include <stdbool.h>

/* Branch b leads from node from[b] to node to[b]. The charge through it is the sum over the meshes
 * k of loop[b * nmeshes + k] (1, -1 or 0) times the charge of mesh k. */
struct circuit {
    int nnodes, nbranches, nmeshes;
    char **node, **branch; /* names */
    int *from, *to;
    int *loop;
};

void circuit_clear(struct circuit *circuit);
/* Appends a node or a branch and takes ownership of `name`. False if memory ran out. */
bool circuit_add_node(struct circuit *circuit, char *name);
bool circuit_add_branch(struct circuit *circuit, char *name, int from, int to);

/* First node that is not connected to node 0, or -1 if there is none. -2 if memory ran out. */
int circuit_disconnected_node(const struct circuit *circuit);
/* First marked branch that closes a loop of marked branches, or -1 if there is none. -2 if memory
 * ran out. */
int circuit_closing(const struct circuit *circuit, const bool *is_marked);
/* Finds the fundamental loops. A branch that closes no loop with earlier ones joins the spanning
 * tree. Every other branch, in order, is the chord of one mesh, which runs along the chord and back
 * through the tree. False if memory ran out. */
bool circuit_find_loops(struct circuit *circuit);
/* Sum over the branches of incidence times loop k at a node. It is zero if the loop is closed there
 * (Kirchhoff's current law). */
int circuit_defect(const struct circuit *circuit, int node, int k);
/* First mesh whose loop depends linearly on earlier ones, or -1 if there is none. -2 if memory ran
 * out. */
int circuit_dependent_loop(const struct circuit *circuit);

#endif
