/* Report of noether check on a circuit: K, its loop matrix K2, and K^T K2 = 0. */
/* SPDX-License-Identifier: MIT */
#include "cli/check_circuit.h"

#include <stdio.h>
#include <stdlib.h>

static int incidence(const struct noe_circuit *circuit, int branch, int node) {
    return (circuit->to[branch] == node) - (circuit->from[branch] == node);
}

/* The largest entry of K^T K2: the net number of branches of a loop that enter a node. */
static int find_defect(const struct noe_circuit *circuit) {
    int largest = 0;
    for (int i = 0; i < circuit->nnodes; i++)
        for (int k = 0; k < circuit->nmeshes; k++) {
            int sum = 0;
            for (int b = 0; b < circuit->nbranches; b++)
                sum += incidence(circuit, b, i) * circuit->loop[b * circuit->nmeshes + k];
            if (abs(sum) > largest) largest = abs(sum);
        }
    return largest;
}

void circuit_print(const struct noe_circuit *circuit, int label) {
    enum { SHOWN_MAX = 12 };
    if (!circuit) return;
    const int defect = find_defect(circuit);
    printf("  %-*s %d nodes, %d branches, %d meshes; ", label, "circuit", circuit->nnodes,
           circuit->nbranches, circuit->nmeshes);
    printf(defect == 0 ? "K^T K2 = 0: every mesh is closed\n" : "K^T K2 is not zero, but %d\n",
           defect);
    for (int k = 0; k < circuit->nmeshes && k < SHOWN_MAX; k++) {
        printf("  %-*s q[%d] =", label, "", k + 1);
        bool is_first = true;
        for (int b = 0; b < circuit->nbranches; b++) {
            const int along = circuit->loop[b * circuit->nmeshes + k];
            if (along == 0) continue;
            if (is_first)
                printf(" %s%s", along < 0 ? "-" : "", circuit->branch[b]);
            else
                printf(" %s %s", along < 0 ? "-" : "+", circuit->branch[b]);
            is_first = false;
        }
        putchar('\n');
    }
}

/* Rows are branches, columns are nodes or meshes. */
static void write_matrix(const struct noe_circuit *circuit, struct json *json, const char *key,
                         bool of_nodes) {
    const int cols = of_nodes ? circuit->nnodes : circuit->nmeshes;
    json_array(json, key);
    for (int b = 0; b < circuit->nbranches; b++) {
        json_array(json, NULL);
        for (int k = 0; k < cols; k++)
            json_integer(json, NULL,
                         of_nodes ? incidence(circuit, b, k) : circuit->loop[b * cols + k]);
        json_end(json);
    }
    json_end(json);
}

void circuit_json(const struct noe_circuit *circuit, struct json *json) {
    if (!circuit) return;
    json_object(json, "circuit");
    json_integer(json, "nodes", circuit->nnodes);
    json_integer(json, "branches", circuit->nbranches);
    json_integer(json, "meshes", circuit->nmeshes);
    write_matrix(circuit, json, "K", true);
    write_matrix(circuit, json, "K2", false);
    json_integer(json, "defect", find_defect(circuit));
    json_end(json);
}
