/* Integer powers in generated C: the multiplications of graph_power_value, unrolled. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/emit_power.h"

#include <stdlib.h>

void emit_power_name(struct writer *out, const struct emit_style *style, int exponent) {
    writer_put(out, style->power_prefix);
    if (exponent == 2)
        writer_put(out, "square");
    else if (exponent == 3)
        writer_put(out, "cube");
    else
        writer_print(out, "power%d", exponent);
}

static void write_factor(struct writer *out, int bit) {
    if (bit == 1)
        writer_put(out, "x");
    else
        writer_print(out, "x%d", bit);
}

static void write_function(struct writer *out, const struct emit_style *style, const char *storage,
                           int k) {
    const char *real_name = style->real;
    writer_print(out, "\n%s%s ", storage, real_name);
    emit_power_name(out, style, k);
    writer_print(out, "(%s x)\n{\n", real_name);
    for (int bit = 2; bit <= k; bit *= 2) {
        writer_print(out, "    const %s x%d = ", real_name, bit);
        write_factor(out, bit / 2);
        writer_put(out, "*");
        write_factor(out, bit / 2);
        writer_put(out, ";\n");
    }
    writer_put(out, "    return ");
    for (int bit = 1, rest = k; rest; bit *= 2) {
        if (!(rest & bit)) continue;
        rest -= bit;
        write_factor(out, bit);
        if (rest) writer_put(out, "*");
    }
    writer_put(out, ";\n}\n");
}

static int compare_ints(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

enum noe_status emit_power_functions(struct writer *out, const struct emit_style *style,
                                     const char *storage, const struct graph *graph, int nprograms,
                                     const struct program *program) {
    int *exponent = malloc(((size_t)graph->count + 1) * sizeof(int)), count = 0;
    if (!exponent) return NOE_NO_MEMORY;
    for (int node = 0; node < graph->count; node++) {
        bool is_used = false;
        for (int i = 0; i < nprograms; i++) is_used = is_used || program[i].place[node] >= 0;
        if (is_used && graph->node[node].op == GRAPH_POWER) {
            exponent[count++] = graph->node[node].b;
        }
    }
    qsort(exponent, (size_t)count, sizeof(int), compare_ints);
    for (int i = 0; i < count; i++) {
        if (i == 0 || exponent[i] != exponent[i - 1]) {
            write_function(out, style, storage, exponent[i]);
        }
    }
    free(exponent);
    return NOE_OK;
}
