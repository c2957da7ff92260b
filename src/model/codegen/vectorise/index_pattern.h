/* Numbers that the passes of a loop use: one, numbers at equal distances, or a table. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODEGEN_VECTORISE_INDEX_PATTERN_H
#define MODEL_CODEGEN_VECTORISE_INDEX_PATTERN_H

#include "model/codegen/writer.h"

struct index_pattern {
    bool is_table;
    int first, stride; /* else: pass i uses first + i stride */
};

struct index_pattern index_pattern_of(int count, const int *index);
/* `static const int tN[] = {...};` for a table; nothing for other patterns. */
void index_pattern_table(struct writer *out, const struct index_pattern *pattern, int table,
                         int count, const int *index);
/* What stands in brackets in pass i: `i + 3`, `t2[i]`. */
void index_pattern_write(struct writer *out, const struct index_pattern *pattern, int table);

/* The passes of a loop in stretches, in each of which all numbers are at equal distances. */
enum { EMIT_STRETCHES_MAX = 12 };
struct emit_stretches {
    int count;
    int begin[EMIT_STRETCHES_MAX + 1]; /* ascending; behind the last one the end */
    bool is_scattered;                 /* there would be too many of them */
};

struct emit_stretches index_stretches_whole(int passes);
/* Divides them where the distances of `index` change; where they must be zero, at other numbers. */
void index_stretches_divide(struct emit_stretches *stretches, const int *index, bool are_zero);

#endif
