/* The pictures of an ensemble. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_MEMBERS_H
#define OUTPUT_MEMBERS_H

#include "plot/figure.h"

enum members_kind {
    MEMBERS_USUAL,     /* what fits the table */
    MEMBERS_FAN,       /* quantiles over time */
    MEMBERS_DENSITY,   /* where members are, over time */
    MEMBERS_HISTOGRAM, /* where members are at the end */
    MEMBERS_HEAT /* ends over the grid of what varies: colours over two numbers, points over one */
};

/* Is it a table of statistics, or of ends, as noether ensemble records them? */
bool members_have_statistics(const struct noe_table *table);
bool members_have_ends(const struct noe_table *table);
/* The words for kinds of pictures, separated by commas, and the kind of a word; -1: there is none.
 */
const char *members_kinds(void);
int members_kind_find(const char *word);
/* Does a picture of this kind need ends? Else it needs statistics, or both serve. */
bool members_need_ends(enum members_kind kind);

/* What is to be drawn: `numbers` are names separated by commas; NULL: all. `name` stands for a
 * title where the table has none. */
struct members_view {
    enum members_kind kind;
    const char *numbers, *name;
};
enum noe_status members_make(struct picture *picture, const struct noe_table *table,
                             const struct members_view *view, struct noe_error *error);

#endif
