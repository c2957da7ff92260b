/* Elaboration of sum(i = 1..n, j = 1..i-1, body), unrolled over all values of the indices. */
/* SPDX-License-Identifier: MIT */
#include <limits.h>

#include "model/language/elaborate.h"

enum { LEVELS = 32 };

/* Pairwise summation: partial[k] holds the sum of 2^k terms. */
struct pairs {
    struct value partial[LEVELS];
    unsigned filled; /* bit k: partial[k] is in use */
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
    value->is_empty_sum = true;
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

bool elaborate_each(struct elaborate *e, const struct tree *range,
                    bool (*body)(struct elaborate *, void *), void *data) {
    static const char what[] = "the range of an index";
    if (!range || range->kind != TREE_RANGE) return body(e, data);
    long first, last;
    if (!check_index(e, range)) return false;
    if (!elaborate_integer(e, range->first, what, INT_MIN, &first)) return false;
    if (!elaborate_integer(e, range->first->next, what, INT_MIN, &last)) return false;
    if (first <= last && !value_spend(&e->make, last - first + 1))
        return elaborate_fail_made(e, range->token.line, range->token.column);
    struct elaborate_index index = {.name = &range->token, .outer = e->index};
    bool done = true;
    for (long i = first; i <= last && done; i++) {
        index.node = graph_number(e->make.graph, (real)i);
        e->index = &index;
        done = elaborate_each(e, range->next, body, data);
        e->index = index.outer;
    }
    return done;
}

struct sum {
    struct pairs pairs;
    const struct tree *body;
};

/* Adds one term. Its temporary memory is released if its value is a scalar, which does not need
 * it. */
static bool one_term(struct elaborate *e, void *data) {
    struct sum *sum = data;
    struct value term;
    const struct tree_mark mark = tree_mark(&e->pool);
    if (!elaborate_value(e, sum->body, &term)) return false;
    if (!add_term(e, &sum->pairs, term))
        return elaborate_fail_made(e, sum->body->token.line, sum->body->token.column);
    if (term.rank == 0) tree_release(&e->pool, mark);
    return true;
}

bool elaborate_sum(struct elaborate *e, const struct tree *tree, struct value *value) {
    struct sum sum = {.body = tree->first};
    while (sum.body->kind == TREE_RANGE) sum.body = sum.body->next;
    if (!elaborate_each(e, tree->first, one_term, &sum)) return false;
    if (total(e, &sum.pairs, value)) return true;
    return elaborate_fail_made(e, tree->token.line, tree->token.column);
}
