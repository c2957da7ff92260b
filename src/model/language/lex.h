/* Lexer of the model language: tokens with their positions. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LANGUAGE_LEX_H
#define MODEL_LANGUAGE_LEX_H

#include "base/real.h"
#include "base/status.h"

enum lex_kind {
    LEX_END,
    LEX_NEWLINE,
    LEX_NAME,
    LEX_NUMBER,
    LEX_STRING,
    LEX_RANGE, /* .. */
    LEX_ARROW, /* -> */
    LEX_SYMBOL /* one character: the token's first */
};

/* Columns count characters, not bytes, from 1. */
struct lex_token {
    enum lex_kind kind;
    const char *start; /* a string's start is after its quote */
    int length;
    int line, column;
    bool opens_line; /* the first token of its line */
    real number;
};

/* State of the lexer. A copy of it is a position to return to. */
struct lex {
    const char *at, *end;
    int line, column, depth;
    bool at_line_start, continues; /* continues: the last token requires another one */
    bool failed;
    struct noe_error *error;
};

/* Starts at the beginning of `text`, after checking that it is valid UTF-8. */
enum noe_status lex_open(struct lex *lex, const char *text, size_t length, struct noe_error *error);
/* The next token; LEX_END at the end and after a failure. */
struct lex_token lex_next(struct lex *lex);

bool lex_is(const struct lex_token *token, const char *word);
static inline bool lex_is_symbol(const struct lex_token *token, char symbol) {
    return token->kind == LEX_SYMBOL && *token->start == symbol;
}

enum { LEX_QUOTE_MAX = 64 };
/* The token as shown in messages: 'word', end of line, a string. */
const char *lex_show(const struct lex_token *token, char text[LEX_QUOTE_MAX]);

/* The name nearest in spelling to a token, for "did you mean"; NULL if none is near. */
const char *lex_nearest(const struct lex_token *token, int count, const char *const *names);

#endif
