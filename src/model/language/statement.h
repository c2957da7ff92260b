/* Statements of the model language: one table with a row for each. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LANGUAGE_STATEMENT_H
#define MODEL_LANGUAGE_STATEMENT_H

#include "model/language/parse.h"

struct elaborate;

/* Phases of elaboration. A statement depends only on those of earlier phases. */
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
    bool once;     /* may occur only once in a file */
    bool declares; /* declares the names of its items */
    enum statement_phase phase;
    /* Parses the text after the keyword. */
    void (*parse)(struct parse *, struct tree_statement *);
    /* Elaborates the statement. */
    bool (*elaborate)(struct elaborate *, const struct tree_statement *);
};

/* Kind of the statement that begins with `token`, or NULL. */
const struct statement_kind *statement_find(const struct lex_token *token);
/* Parses a whole file. False on failure. */
bool statement_parse_file(struct parse *parse, struct tree_statement **first);
/* Parses a method with its options, the text after the keyword `method`. */
void statement_parse_method(struct parse *parse, struct tree_statement *statement);

#endif
