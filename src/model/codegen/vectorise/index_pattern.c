/* Index patterns of a loop's operands: constant, linear in the pass, or a table. */
/* SPDX-License-Identifier: MIT */
#include "model/codegen/vectorise/index_pattern.h"

struct index_pattern index_pattern_of(int count, const int *index) {
    const int stride = count > 1 ? index[1] - index[0] : 0;
    for (int i = 2; i < count; i++)
        if (index[i] - index[i - 1] != stride) return (struct index_pattern){.is_table = true};
    return (struct index_pattern){.first = index[0], .stride = stride};
}

void index_pattern_table(struct writer *out, const struct index_pattern *pattern, int table,
                         int count, const int *index) {
    if (!pattern->is_table) return;
    writer_print(out, "    static const int t%d[] = {", table);
    for (int i = 0; i < count; i++) writer_print(out, i % 16 ? "%d," : "\n        %d,", index[i]);
    writer_put(out, "};\n");
}

void index_pattern_write(struct writer *out, const struct index_pattern *pattern, int table) {
    if (pattern->is_table) {
        writer_print(out, "t%d[i]", table);
        return;
    }
    if (pattern->stride != 0 && pattern->stride != 1) writer_print(out, "%d*", pattern->stride);
    if (pattern->stride != 0) writer_put(out, "i");
    if (pattern->stride != 0 && pattern->first != 0) writer_put(out, " + ");
    if (pattern->stride == 0 || pattern->first != 0) writer_print(out, "%d", pattern->first);
}

struct index_segments index_segments_whole(int passes) {
    return (struct index_segments){.count = 1, .begin = {0, passes}};
}

static void add_segment(struct index_segments *s, int begin) {
    int at = s->count;
    while (s->begin[at - 1] > begin) at--;
    if (s->begin[at - 1] == begin || s->is_scattered) return;
    s->is_scattered = s->count == INDEX_SEGMENTS_MAX;
    if (s->is_scattered) return;
    for (int i = ++s->count; i > at; i--) s->begin[i] = s->begin[i - 1];
    s->begin[at] = begin;
}

void index_segments_divide(struct index_segments *s, const int *index, bool are_zero) {
    const int end = s->begin[s->count];
    for (int i = 0, next; i < end && !s->is_scattered; i = next) {
        const int distance = i + 1 < end && !are_zero ? index[i + 1] - index[i] : 0;
        for (next = i + 1; next < end && index[next] - index[next - 1] == distance;) next++;
        if (next < end) add_segment(s, next);
    }
}
