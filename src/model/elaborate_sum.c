/* sum(i = 1..n, j = 1..i-1, body): the body once for every value of the indices. */
/* SPDX-License-Identifier: MIT */
#include <limits.h>

#include "model/elaborate.h"

enum { LEVELS = 32 };

/* Terms are added in pairs, pairs of pairs and so on: partial[k] holds 2^k terms. */
struct pairs {
    struct value partial[LEVELS];
    unsigned filled; /* bit k: is partial[k] in use? */
};

static bool add_term(struct elaborate *e, struct pairs *pairs, struct value term) {
    int level = 0;
    for (; pairs->filled & 1u << level; level++) {
        const struct value right = term;
        if (!value_join(&e->make, '+', &term, &pairs->partial[level], &right)) return false;
        pairs->filled &= ~(1u << level);
    }
    pairs->partial[level] = term;
    pairs->filled |= 1u << level;
    return true;
}

static bool total(struct elaborate *e, const struct pairs *pairs, struct value *value) {
    *value = value_number(&e->make, 0);
    value->is_nothing = true;
    for (int level = 0; level < LEVELS; level++) {
        const struct value right = *value;
        if (!(pairs->filled & 1u << level)) continue;
        if (!value_join(&e->make, '+', value, &pairs->partial[level], &right)) return false;
    }
    return true;
}

static bool check_index(struct elaborate *e, const struct tree *range) {
    char shown[LEX_QUOTE_MAX];
    if (elaborate_is_reserved(&range->token))
        return elaborate_fail(e, &range->token, "%s cannot be an index",
                              lex_show(&range->token, shown));
    return true;
}

/* One term, whose temporary values are given back where its own value does not need them. */
static bool one_term(struct elaborate *e, const struct tree *body, struct pairs *pairs) {
    struct value term;
    const struct tree_mark mark = tree_mark(&e->pool);
    if (!elaborate_value(e, body, &term)) return false;
    if (!add_term(e, pairs, term))
        return elaborate_fail_made(e, body->token.line, body->token.column);
    if (term.rank == 0) tree_release(&e->pool, mark);
    return true;
}

/* All terms for the ranges from `range` on; the last child is the body. */
static bool ranges(struct elaborate *e, const struct tree *range, struct pairs *pairs) {
    if (range->kind != TREE_RANGE) return one_term(e, range, pairs);
    long first, last;
    if (!check_index(e, range)) return false;
    if (!elaborate_integer(e, range->first, "the range of a sum", INT_MIN, &first)) return false;
    if (!elaborate_integer(e, range->first->next, "the range of a sum", INT_MIN, &last))
        return false;
    if (first <= last && !value_spend(&e->make, last - first + 1))
        return elaborate_fail_made(e, range->token.line, range->token.column);
    struct elaborate_index index = {.name = &range->token, .outer = e->index};
    bool done = true;
    for (long i = first; i <= last && done; i++) {
        index.node = graph_number(e->make.graph, (real)i);
        e->index = &index;
        done = ranges(e, range->next, pairs);
        e->index = index.outer;
    }
    return done;
}

bool elaborate_sum(struct elaborate *e, const struct tree *tree, struct value *value) {
    struct pairs pairs = {.filled = 0};
    if (!ranges(e, tree->first, &pairs)) return false;
    if (total(e, &pairs, value)) return true;
    return elaborate_fail_made(e, tree->token.line, tree->token.column);
}
