/* The statements of the model language: one table, a row each. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LANGUAGE_STATEMENT_H
#define MODEL_LANGUAGE_STATEMENT_H

#include "model/language/parse.h"

struct elaborate;

/* Statements mean something only after those of earlier phases. */
enum statement_phase {
    STATEMENT_PARAMETERS,
    STATEMENT_COORDINATES,
    STATEMENT_NAMES,
    STATEMENT_LAGRANGIAN,
    STATEMENT_CONSTRAINTS,
    STATEMENT_REST,
    STATEMENT_PHASES
};

struct statement_kind {
    const char *keyword;
    bool once;     /* may stand in a file only once */
    bool declares; /* the names of its items are new */
    enum statement_phase phase;
    /* Reads what follows the keyword. */
    void (*parse)(struct parse *, struct tree_statement *);
    /* Carries it out. */
    bool (*carry_out)(struct elaborate *, const struct tree_statement *);
};

/* The kind of the statement that `token` begins, or NULL. */
const struct statement_kind *statement_find(const struct lex_token *token);
/* Reads a whole file; false on failure. */
bool statement_parse_file(struct parse *parse, struct tree_statement **first);
/* Reads a method with its options: what follows the keyword `method`. */
void statement_parse_method(struct parse *parse, struct tree_statement *statement);

#endif
