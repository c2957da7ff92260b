/* Numbers that the passes of a loop use: one, numbers at equal distances, or a table. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_EMIT_PATTERN_H
#define MODEL_EMIT_PATTERN_H

#include "model/writer.h"

struct emit_pattern {
    bool is_table;
    int first, stride; /* else: pass i uses first + i stride */
};

struct emit_pattern emit_pattern_of(int count, const int *index);
/* `static const int tN[] = {...};` for a table; nothing for other patterns. */
void emit_pattern_table(struct writer *out, const struct emit_pattern *pattern, int table,
                        int count, const int *index);
/* What stands in brackets in pass i: `i + 3`, `t2[i]`. */
void emit_pattern_write(struct writer *out, const struct emit_pattern *pattern, int table);

#endif
