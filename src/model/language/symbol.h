/* The names a model declares. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LANGUAGE_SYMBOL_H
#define MODEL_LANGUAGE_SYMBOL_H

#include "model/language/value.h"

/* A velocity that has a name of its own is one of a rotation or a pose. A branch of a circuit
 * stands for its charge. */
enum symbol_kind {
    SYMBOL_PARAMETER,
    SYMBOL_COORDINATE,
    SYMBOL_VELOCITY,
    SYMBOL_EXPRESSION,
    SYMBOL_BRANCH,
    SYMBOL_CONTROL,
    SYMBOL_TANGENT /* a quantity that follows from the derivatives of the steps */
};

struct symbol {
    const char *name;
    enum symbol_kind kind;
    int line, column;       /* where it is declared */
    int coordinate;         /* number of a coordinate, also of one whose velocity it is; of a
                               control */
    bool varies;            /* a parameter that is another number in other members */
    int part;               /* from 1 on, of a coordinate whose part has a name; 0: all of it */
    struct value value;     /* what the name stands for */
    struct value companion; /* a parameter's numbers, the velocity that a prime asks for */
};

struct symbol_table {
    struct symbol **symbol; /* in the order of declaration */
    int count, room;
    int *place; /* hash table of numbers of symbols */
};

void symbol_clear(struct symbol_table *table);
struct symbol *symbol_find(const struct symbol_table *table, const struct lex_token *name);
/* Adds a symbol, whose memory comes from `pool`; NULL when memory ran out. The name is new. */
struct symbol *symbol_add(struct symbol_table *table, struct tree_pool *pool,
                          const struct lex_token *name);

#endif
