/* Graph of an electrical circuit: nodes, branches, a spanning tree and the fundamental loops
 * (meshes) of its chords. */
/* SPDX-License-Identifier: MIT */
#include "model/circuit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void circuit_clear(struct circuit *circuit) {
    for (int i = 0; i < circuit->nnodes; i++) free(circuit->node[i]);
    for (int i = 0; i < circuit->nbranches; i++) free(circuit->branch[i]);
    free(circuit->node);
    free(circuit->branch);
    free(circuit->from);
    free(circuit->to);
    free(circuit->loop);
    *circuit = (struct circuit){0};
}

/* Reallocates a list for one more element. False if memory ran out. */
static bool grow(void **list, int count, size_t size) {
    void *longer = realloc(*list, ((size_t)count + 1) * size);
    if (longer) *list = longer;
    return longer != NULL;
}

bool circuit_add_node(struct circuit *circuit, char *name) {
    if (!name || !grow((void **)&circuit->node, circuit->nnodes, sizeof(char *))) {
        free(name);
        return false;
    }
    circuit->node[circuit->nnodes++] = name;
    return true;
}

bool circuit_add_branch(struct circuit *circuit, char *name, int from, int to) {
    const int count = circuit->nbranches;
    if (!name || !grow((void **)&circuit->branch, count, sizeof(char *)) ||
        !grow((void **)&circuit->from, count, sizeof(int)) ||
        !grow((void **)&circuit->to, count, sizeof(int))) {
        free(name);
        return false;
    }
    circuit->branch[count] = name;
    circuit->from[count] = from;
    circuit->to[count] = to;
    circuit->nbranches++;
    return true;
}

/* --- Connected components by union-find with path halving. */

static int *make_components(const struct circuit *circuit) {
    int *component = malloc(((size_t)circuit->nnodes + 1) * sizeof *component);
    for (int i = 0; component && i < circuit->nnodes; i++) component[i] = i;
    return component;
}

static int find_component(int *component, int node) {
    while (component[node] != node) node = component[node] = component[component[node]];
    return node;
}

/* Merges the components of a branch's two ends. False if they were one component already. */
static bool join(const struct circuit *circuit, int *component, int branch) {
    const int a = find_component(component, circuit->from[branch]),
              b = find_component(component, circuit->to[branch]);
    component[a] = b;
    return a != b;
}

int circuit_disconnected_node(const struct circuit *circuit) {
    int *component = make_components(circuit), found = component ? -1 : -2;
    for (int b = 0; component && b < circuit->nbranches; b++) join(circuit, component, b);
    for (int i = 1; found == -1 && i < circuit->nnodes; i++)
        if (find_component(component, i) != find_component(component, 0)) found = i;
    free(component);
    return found;
}

int circuit_closing(const struct circuit *circuit, const bool *is_marked) {
    int *component = make_components(circuit), found = component ? -1 : -2;
    for (int b = 0; found == -1 && b < circuit->nbranches; b++)
        if (is_marked[b] && !join(circuit, component, b)) found = b;
    free(component);
    return found;
}

/* --- Loops. */

/* Writes for every node the tree branch that leads towards `root`, or -1. */
static void point_to(const struct circuit *circuit, const bool *is_tree, int root, int *branch) {
    bool has_changed = true;
    for (int i = 0; i < circuit->nnodes; i++) branch[i] = -1;
    while (has_changed) {
        has_changed = false;
        for (int b = 0; b < circuit->nbranches; b++) {
            const int from = circuit->from[b], to = circuit->to[b];
            const bool has_from = from == root || branch[from] >= 0;
            const bool has_to = to == root || branch[to] >= 0;
            if (!is_tree[b] || has_from == has_to) continue;
            branch[has_from ? to : from] = b;
            has_changed = true;
        }
    }
}

/* Sets mesh k: along the branch `chord` and back through the tree. */
static void close_loop(struct circuit *circuit, const int *branch, int chord, int k) {
    circuit->loop[chord * circuit->nmeshes + k] = 1;
    for (int at = circuit->to[chord]; at != circuit->from[chord];) {
        const int b = branch[at];
        const bool goes_along = circuit->from[b] == at;
        circuit->loop[b * circuit->nmeshes + k] = goes_along ? 1 : -1;
        at = goes_along ? circuit->to[b] : circuit->from[b];
    }
}

bool circuit_find_loops(struct circuit *circuit) {
    const size_t nbranches = (size_t)circuit->nbranches;
    int *component = make_components(circuit), *branch = make_components(circuit), k = 0;
    bool *is_tree = calloc(nbranches + 1, sizeof *is_tree);
    bool is_done = component && branch && is_tree;
    for (int b = 0; is_done && b < circuit->nbranches; b++) {
        is_tree[b] = join(circuit, component, b);
        if (!is_tree[b]) k++;
    }
    circuit->nmeshes = k;
    if (is_done) circuit->loop = calloc(nbranches * (size_t)k + 1, sizeof *circuit->loop);
    is_done = is_done && circuit->loop;
    k = 0;
    for (int b = 0; is_done && b < circuit->nbranches; b++) {
        if (is_tree[b]) continue;
        point_to(circuit, is_tree, circuit->from[b], branch);
        close_loop(circuit, branch, b, k++);
    }
    free(component);
    free(branch);
    free(is_tree);
    return is_done;
}

int circuit_defect(const struct circuit *circuit, int node, int k) {
    int sum = 0;
    for (int b = 0; b < circuit->nbranches; b++) {
        const int along = circuit->loop[b * circuit->nmeshes + k];
        if (circuit->from[b] == node) sum -= along;
        if (circuit->to[b] == node) sum += along;
    }
    return sum;
}

/* One column of Gaussian elimination with row pivots: eliminates column k of `a` by the columns
 * before it. Returns the pivot row, or -1 if the column vanishes. */
static int eliminate(int rows, int cols, double *a, int k, const int *pivot) {
    int largest = 0;
    for (int j = 0; j < k; j++) {
        const double factor = a[pivot[j] * cols + k] / a[pivot[j] * cols + j];
        for (int i = 0; i < rows; i++) a[i * cols + k] -= factor * a[i * cols + j];
    }
    for (int i = 1; i < rows; i++)
        if (fabs(a[i * cols + k]) > fabs(a[largest * cols + k])) largest = i;
    return fabs(a[largest * cols + k]) > 1e-9 ? largest : -1;
}

int circuit_dependent_loop(const struct circuit *circuit) {
    const int rows = circuit->nbranches, cols = circuit->nmeshes;
    double *a = malloc(((size_t)rows * (size_t)cols + 1) * sizeof *a);
    int *pivot = malloc(((size_t)cols + 1) * sizeof *pivot), found = a && pivot ? -1 : -2;
    for (int i = 0; found == -1 && i < rows * cols; i++) a[i] = circuit->loop[i];
    for (int k = 0; found == -1 && k < cols; k++) {
        pivot[k] = eliminate(rows, cols, a, k, pivot);
        if (pivot[k] < 0) found = k;
    }
    free(a);
    free(pivot);
    return found;
}
