/* Recursive-descent parser of expressions. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LANGUAGE_PARSE_H
#define MODEL_LANGUAGE_PARSE_H

#include "model/language/tree.h"

/* State of the parser, with one token of lookahead. After a failure, recorded in `error`, every
 * function returns at once. */
struct parse {
    struct lex lex;
    struct lex_token token, last; /* current token and previous token */
    struct tree_pool *pool;
    int depth;
    const char *expression_end; /* start of the token after the last expression */
    bool failed;
    struct noe_error *error;
};

/* Starts on `text`. The first token becomes current. */
enum noe_status parse_open(struct parse *parse, struct tree_pool *pool, const char *text,
                           size_t length, struct noe_error *error);
void parse_advance(struct parse *parse);
/* The token after the current one. */
struct lex_token parse_ahead(const struct parse *parse);

/* Parses an expression. NULL on failure. */
struct tree *parse_expression(struct parse *parse);
/* Parses a name with indices and primes, as in `y[2]'`. */
struct tree *parse_target(struct parse *parse);
/* Parses consecutive indices `[expr]..` into a linked list. NULL if there is none. */
struct tree *parse_sizes(struct parse *parse);

/* Parses ranges `i = expr..expr` separated by commas into a linked list. NULL on failure. */
struct tree *parse_ranges(struct parse *parse);

/* True if the current token follows an expression. */
bool parse_ended_expression(const struct parse *parse);

bool parse_is(const struct parse *parse, char symbol);
/* Skips `symbol`. False if the current token is another one. */
bool parse_accept(struct parse *parse, char symbol);
/* Skips `symbol`, or fails with a message. `after` describes the position, as in "after the
 * name". */
bool parse_expect(struct parse *parse, char symbol, const char *after);
/* Parses a name, or fails with the message that `what` was expected. */
bool parse_name(struct parse *parse, const char *what, struct lex_token *name);
/* Fails at the current token: "expected `what`, found ...". */
void parse_fail_expected(struct parse *parse, const char *what);
void parse_fail_at(struct parse *parse, const struct lex_token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Zeroed memory of the tree. NULL, with a failure, if memory ran out. */
void *parse_take(struct parse *parse, size_t bytes);

#endif
