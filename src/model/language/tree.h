/* Syntax tree of a model file, and its memory pool. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LANGUAGE_TREE_H
#define MODEL_LANGUAGE_TREE_H

#include <stddef.h>

#include "model/language/lex.h"

enum tree_kind {
    TREE_NUMBER, /* number */
    TREE_NAME,   /* name */
    TREE_PART,   /* first child, indexed by the others; `primes` counts the primes */
    TREE_MINUS,  /* minus the first child */
    TREE_CHAIN,  /* first child, then each child combined by its own `op` from left to right */
    TREE_POWER,  /* first child to the power of the second */
    TREE_CALL,   /* function `name` of the children */
    TREE_LIST,   /* [children] */
    TREE_SUM,    /* children: TREE_RANGE ..., body */
    TREE_RANGE   /* index `name` from the first child to the second */
};

struct tree {
    enum tree_kind kind;
    char op;      /* in a chain: the operator before this operand; '\0' for the first */
    short primes; /* number of primes of a part */
    int op_line, op_column;
    struct lex_token token; /* its position, and its name or number */
    struct tree *first, *next;
};

/* One `name[size].. = value`, `target = value` or plain `value` of a statement. */
struct tree_item {
    struct lex_token name;
    struct tree *target, *value; /* siblings of `value` are further sizes of a coordinate */
    struct tree_item *next;
};

struct statement_kind;

struct tree_statement {
    const struct statement_kind *kind;
    struct lex_token keyword, word; /* word: a title, a name, or the text of an equation */
    struct tree_item *item;
    struct tree_statement *next;
};

/* Memory pool. Blocks are allocated one by one and released together, or back to a mark. */
struct tree_chunk;
struct tree_pool {
    struct tree_chunk *chunk;
    size_t used; /* used bytes of the current chunk */
};
struct tree_mark {
    struct tree_chunk *chunk;
    size_t used;
};

/* Allocates `bytes` zeroed bytes. NULL if memory ran out. */
void *tree_take(struct tree_pool *pool, size_t bytes);
struct tree_mark tree_mark(const struct tree_pool *pool);
/* Releases everything allocated after `mark`. */
void tree_release(struct tree_pool *pool, struct tree_mark mark);
void tree_clear(struct tree_pool *pool);

#endif
