/* From words to expressions of the syntax tree. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LANGUAGE_PARSE_H
#define MODEL_LANGUAGE_PARSE_H

#include "model/language/tree.h"

/* Reads with one token in hand; after a failure (in `error`) every function returns at once. */
struct parse {
    struct lex lex;
    struct lex_token token, last; /* in hand; the one before */
    struct tree_pool *pool;
    int depth;
    const char *expression_end; /* where reading stood when the last expression ended */
    bool failed;
    struct noe_error *error;
};

/* Starts on `text`; the first token is in hand. */
enum noe_status parse_open(struct parse *parse, struct tree_pool *pool, const char *text,
                           size_t length, struct noe_error *error);
void parse_advance(struct parse *parse);
/* The token after the one in hand. */
struct lex_token parse_ahead(const struct parse *parse);

/* An expression, NULL on failure. */
struct tree *parse_expression(struct parse *parse);
/* A name with indices and primes, as in `y[2]'`. */
struct tree *parse_target(struct parse *parse);
/* Indices `[expr]..` one after the other, linked; NULL if there is none. */
struct tree *parse_sizes(struct parse *parse);

/* Ranges `i = expr..expr` separated by commas, linked; NULL on failure. */
struct tree *parse_ranges(struct parse *parse);

/* Does the token in hand follow an expression? */
bool parse_ended_expression(const struct parse *parse);

bool parse_is(const struct parse *parse, char symbol);
/* Passes over `symbol`; false if something else stands there. */
bool parse_accept(struct parse *parse, char symbol);
/* The same, but something else is a failure; `after` says after what it was expected. */
bool parse_expect(struct parse *parse, char symbol, const char *after);
/* A name, or a failure that says `what` was expected. */
bool parse_name(struct parse *parse, const char *what, struct lex_token *name);
/* Fails at the token in hand: "expected `what`, found ...". */
void parse_fail_expected(struct parse *parse, const char *what);
void parse_fail_at(struct parse *parse, const struct lex_token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Zeroed memory of the tree; NULL is a failure. */
void *parse_take(struct parse *parse, size_t bytes);

#endif
