/* Symbol table: names declared by a model. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LANGUAGE_SYMBOL_H
#define MODEL_LANGUAGE_SYMBOL_H

#include "model/language/value.h"

/* Only velocities of rotations and poses have a name of their own. The name of a circuit's branch
 * denotes its charge. */
enum symbol_kind {
    SYMBOL_PARAMETER,
    SYMBOL_COORDINATE,
    SYMBOL_VELOCITY,
    SYMBOL_EXPRESSION,
    SYMBOL_BRANCH,
    SYMBOL_CONTROL,
    SYMBOL_TANGENT /* a quantity of the tangent map */
};

struct symbol {
    const char *name;
    enum symbol_kind kind;
    int line, column;   /* position of the declaration */
    int coordinate;     /* index of the coordinate (also for a velocity), or of the control */
    int part;           /* component of the coordinate that the name denotes (1-based); 0: all */
    struct value value; /* value of the name */
    struct value companion; /* a parameter's numbers, or the velocity denoted by a prime */
};

struct symbol_table {
    struct symbol **symbol; /* in the order of declaration */
    int count, room;
    int *place; /* hash table of symbol indices */
};

void symbol_clear(struct symbol_table *table);
struct symbol *symbol_find(const struct symbol_table *table, const struct lex_token *name);
/* Adds a new symbol, allocated in `pool`. NULL if memory ran out. The name must not exist yet. */
struct symbol *symbol_add(struct symbol_table *table, struct tree_pool *pool,
                          const struct lex_token *name);

#endif
