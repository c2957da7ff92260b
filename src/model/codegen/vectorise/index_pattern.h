/* Index patterns of a loop's operands: constant, linear in the pass, or a table. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_INDEX_PATTERN_H
#define MODEL_CODEGEN_VECTORISE_INDEX_PATTERN_H

#include "model/codegen/writer.h"

struct index_pattern {
    bool is_table;
    int first, stride; /* if not a table, pass i uses first + i stride */
};

struct index_pattern index_pattern_of(int count, const int *index);
/* Writes `static const int tN[] = {...};` for a table, and nothing for other patterns. */
void index_pattern_table(struct writer *out, const struct index_pattern *pattern, int table,
                         int count, const int *index);
/* Writes the index expression of pass i: `i + 3`, `t2[i]`. */
void index_pattern_write(struct writer *out, const struct index_pattern *pattern, int table);

/* Passes of a loop split into segments in which all indices have a constant stride. */
enum { INDEX_SEGMENTS_MAX = 12 };
struct index_segments {
    int count;
    int begin[INDEX_SEGMENTS_MAX + 1]; /* ascending, followed by the end of the last segment */
    bool is_scattered;                 /* there would be too many segments */
};

struct index_segments index_segments_whole(int passes);
/* Splits the segments where the stride of `index` changes. If `are_zero`, the stride must be zero,
 * so every change of the index splits. */
void index_segments_divide(struct index_segments *segments, const int *index, bool are_zero);

#endif
