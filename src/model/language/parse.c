/* Recursive-descent parser of expressions. */
/* SPDX-License-Identifier: MIT */
#include "model/language/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/language/statement.h"

enum { DEPTH_MAX = 200, RANGES_MAX = 20 };

void parse_fail_at(struct parse *parse, const struct lex_token *token, const char *format, ...) {
    if (parse->failed) return;
    parse->failed = true;
    char text[sizeof parse->error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    status_set_at(parse->error, token->line, token->column, "%s", text);
}

void *parse_take(struct parse *parse, size_t bytes) {
    void *at = tree_take(parse->pool, bytes);
    if (!at && !parse->failed) {
        parse->failed = true;
        status_set(parse->error, NOE_NO_MEMORY, "out of memory while reading the model");
    }
    return at;
}

void parse_advance(struct parse *parse) {
    parse->last = parse->token;
    parse->token = lex_next(&parse->lex);
    if (parse->lex.failed) parse->failed = true;
}

struct lex_token parse_ahead(const struct parse *parse) {
    struct lex lex = parse->lex;
    struct noe_error ignored;
    lex.error = &ignored;
    return lex_next(&lex);
}

enum noe_status parse_open(struct parse *parse, struct tree_pool *pool, const char *text,
                           size_t length, struct noe_error *error) {
    *parse = (struct parse){.pool = pool, .error = error};
    const enum noe_status status = lex_open(&parse->lex, text, length, error);
    if (status != NOE_OK) return status;
    parse_advance(parse);
    return parse->failed ? NOE_BAD_INPUT : NOE_OK;
}

bool parse_is(const struct parse *parse, char symbol) {
    return lex_is_symbol(&parse->token, symbol);
}

bool parse_accept(struct parse *parse, char symbol) {
    if (parse->failed || !parse_is(parse, symbol)) return false;
    parse_advance(parse);
    return true;
}

/* True if a statement begins here although the previous one is incomplete. */
static bool stands_at_statement(const struct parse *parse) {
    if (parse->token.kind == LEX_END) return true;
    if (!parse->token.opens_line || !statement_find(&parse->token)) return false;
    const struct lex_token ahead = parse_ahead(parse);
    return ahead.kind == LEX_NAME || ahead.kind == LEX_NUMBER || ahead.kind == LEX_STRING ||
           (lex_is(&parse->token, "L") && lex_is_symbol(&ahead, '='));
}

/* Advice on notation of other languages: ** for powers, // before comments. */
static const char *foreign_notation(const struct parse *parse, const struct lex_token *at) {
    const struct lex_token *last = &parse->last;
    const bool is_double = at->kind == LEX_SYMBOL && last->kind == LEX_SYMBOL && last->line > 0 &&
                           last->start + 1 == at->start && *last->start == *at->start;
    const bool is_followed = at->kind == LEX_SYMBOL && at->start[0] == '/' &&
                             at->start + 1 < parse->lex.end && at->start[1] == '/';
    if (is_double && *at->start == '*') return "; a power is written with '^'";
    if (is_followed || (is_double && *at->start == '/')) return "; a comment begins with '#'";
    return "";
}

void parse_fail_expected(struct parse *parse, const char *what) {
    char found[LEX_QUOTE_MAX];
    struct lex_token at = parse->token;
    if (parse->last.line > 0 && at.line > parse->last.line && stands_at_statement(parse)) {
        at = parse->last; /* the error is at the end of the incomplete statement */
        at.column += at.length;
        at.kind = LEX_NEWLINE;
    }
    parse_fail_at(parse, &at, "expected %s, found %s%s", what, lex_show(&at, found),
                  foreign_notation(parse, &at));
}

static void fail_expression(struct parse *parse) {
    char after[LEX_QUOTE_MAX], what[LEX_QUOTE_MAX + 30] = "an expression";
    if (parse->last.line > 0)
        snprintf(what, sizeof what, "an expression after %s", lex_show(&parse->last, after));
    parse_fail_expected(parse, what);
}

bool parse_expect(struct parse *parse, char symbol, const char *after) {
    if (parse_accept(parse, symbol)) return true;
    char what[LEX_QUOTE_MAX + 20];
    snprintf(what, sizeof what, "'%c' %s", symbol, after);
    parse_fail_expected(parse, what);
    return false;
}

bool parse_name(struct parse *parse, const char *what, struct lex_token *name) {
    if (parse->failed) return false;
    if (parse->token.kind != LEX_NAME || stands_at_statement(parse)) {
        parse_fail_expected(parse, what);
        return false;
    }
    *name = parse->token;
    parse_advance(parse);
    return !parse->failed;
}

/* Skips the closing bracket of `open`. Fails at the bracket that is wrong. */
static bool close_bracket(struct parse *parse, const struct lex_token *open, bool is_list) {
    const char symbol = *open->start == '(' ? ')' : ']';
    if (parse_accept(parse, symbol)) return !parse->failed;
    if (parse->failed) return false;
    if (stands_at_statement(parse)) {
        parse_fail_at(parse, open, "'%c' is never closed", *open->start);
        return false;
    }
    char what[60];
    snprintf(what, sizeof what, "an operator%s or '%c'", is_list ? ", ','" : "", symbol);
    parse_fail_expected(parse, what);
    return false;
}

static struct tree *new_node(struct parse *parse, enum tree_kind kind,
                             const struct lex_token *token) {
    struct tree *node = parse->failed ? NULL : parse_take(parse, sizeof *node);
    if (!node) return NULL;
    node->kind = kind;
    node->token = *token;
    return node;
}

static struct tree *parent(struct parse *parse, enum tree_kind kind, const struct lex_token *token,
                           struct tree *first, struct tree *second) {
    struct tree *node = first ? new_node(parse, kind, token) : NULL;
    if (!node) return NULL;
    node->first = first;
    first->next = second;
    return node;
}

/* Parses expressions separated by commas up to the closing bracket of `open`. */
static bool parse_list(struct parse *parse, const struct lex_token *open, struct tree **first) {
    do {
        *first = parse_expression(parse);
        if (!*first) return false;
        first = &(*first)->next;
    } while (parse_accept(parse, ','));
    return close_bracket(parse, open, true);
}

static struct tree *parse_range(struct parse *parse) {
    struct tree *range = new_node(parse, TREE_RANGE, &parse->token);
    if (!range) return NULL;
    parse_advance(parse);
    parse_advance(parse);
    range->first = parse_expression(parse);
    if (!range->first) return NULL;
    if (parse->token.kind != LEX_RANGE) {
        parse_fail_expected(parse, "'..' in the range of an index");
        return NULL;
    }
    parse_advance(parse);
    range->first->next = parse_expression(parse);
    return range->first->next ? range : NULL;
}

/* Fails if the current index is already one of the ranges. */
static void check_index(struct parse *parse, const struct tree *range) {
    char shown[LEX_QUOTE_MAX];
    for (; range; range = range->next)
        if (range->token.length == parse->token.length &&
            memcmp(range->token.start, parse->token.start, (size_t)parse->token.length) == 0)
            parse_fail_at(parse, &parse->token, "the index %s has two ranges",
                          lex_show(&parse->token, shown));
}

struct tree *parse_ranges(struct parse *parse) {
    struct tree *first = NULL, **last = &first;
    do {
        const struct lex_token ahead = parse_ahead(parse);
        if (parse->failed) return NULL;
        if (parse->token.kind != LEX_NAME || !lex_is_symbol(&ahead, '=')) {
            parse_fail_expected(parse, "an index range such as 'i = 1..n'");
            return NULL;
        }
        check_index(parse, first);
        *last = parse_range(parse);
        if (!*last) return NULL;
        last = &(*last)->next;
    } while (parse_accept(parse, ','));
    return first;
}

static struct tree *parse_sum(struct parse *parse, const struct lex_token *name,
                              const struct lex_token *open) {
    struct tree *sum = new_node(parse, TREE_SUM, name);
    if (!sum) return NULL;
    struct tree **last = &sum->first;
    for (int count = 0;; count++) {
        const struct lex_token ahead = parse_ahead(parse);
        if (parse->token.kind != LEX_NAME || !lex_is_symbol(&ahead, '=')) {
            if (count == 0) parse_fail_expected(parse, "an index range such as 'i = 1..n' in sum");
            break;
        }
        if (count == RANGES_MAX)
            parse_fail_at(parse, &parse->token, "a sum has at most %d ranges", RANGES_MAX);
        check_index(parse, sum->first);
        *last = parse_range(parse);
        if (!*last) return NULL;
        last = &(*last)->next;
        if (parse_accept(parse, ',')) continue;
        parse_fail_expected(parse, "',' and the expression to sum");
        return NULL;
    }
    *last = parse_expression(parse);
    return *last && close_bracket(parse, open, false) ? sum : NULL;
}

static struct tree *parse_call(struct parse *parse, const struct lex_token *name) {
    const struct lex_token open = parse->token;
    parse_advance(parse);
    if (lex_is(name, "sum")) return parse_sum(parse, name, &open);
    struct tree *call = new_node(parse, TREE_CALL, name);
    return call && parse_list(parse, &open, &call->first) ? call : NULL;
}

static struct tree *parse_atom(struct parse *parse) {
    const struct lex_token token = parse->token;
    if (token.kind == LEX_NUMBER) {
        parse_advance(parse);
        return new_node(parse, TREE_NUMBER, &token);
    }
    if (token.kind == LEX_NAME && !(parse->last.line > 0 && stands_at_statement(parse))) {
        parse_advance(parse);
        return parse_is(parse, '(') ? parse_call(parse, &token)
                                    : new_node(parse, TREE_NAME, &token);
    }
    if (parse_accept(parse, '(')) {
        struct tree *inside = parse_expression(parse);
        return inside && close_bracket(parse, &token, false) ? inside : NULL;
    }
    if (parse_accept(parse, '[')) {
        struct tree *list = new_node(parse, TREE_LIST, &token);
        return list && parse_list(parse, &token, &list->first) ? list : NULL;
    }
    if (!parse->failed) fail_expression(parse);
    return NULL;
}

struct tree *parse_sizes(struct parse *parse) {
    struct tree *first = NULL, **last = &first;
    while (!parse->failed && parse_is(parse, '[')) {
        const struct lex_token open = parse->token;
        parse_advance(parse);
        *last = parse_expression(parse);
        if (!*last || !close_bracket(parse, &open, false)) return NULL;
        last = &(*last)->next;
    }
    return first;
}

/* Parses indices and primes after `atom`, in any order. */
static struct tree *parse_parts(struct parse *parse, struct tree *atom) {
    if (!atom || parse->failed) return NULL;
    if (!parse_is(parse, '[') && !parse_is(parse, '\'')) return atom;
    struct tree *part = parent(parse, TREE_PART, &atom->token, atom, NULL);
    struct tree *last = atom;
    while (part && !parse->failed && (parse_is(parse, '[') || parse_is(parse, '\''))) {
        if (parse_is(parse, '\'') && part->primes) {
            parse_fail_at(parse, &parse->token, "a second prime: only velocities are available");
        } else if (parse_accept(parse, '\'')) {
            part->primes = 1;
        } else {
            last->next = parse_sizes(parse);
            while (last->next) last = last->next;
        }
    }
    return parse->failed ? NULL : part;
}

struct tree *parse_target(struct parse *parse) {
    struct lex_token name;
    if (!parse_name(parse, "the name of a coordinate", &name)) return NULL;
    return parse_parts(parse, new_node(parse, TREE_NAME, &name));
}

/* Parses signs, then an atom with its parts, then an optional power: -2^2 is -(2^2), 2^-1 is
 * 2^(-1). */
static struct tree *parse_factor(struct parse *parse) {
    const struct lex_token token = parse->token;
    struct tree *factor = NULL;
    if (++parse->depth > DEPTH_MAX) {
        parse_fail_at(parse, &token, "the expression is nested deeper than %d levels", DEPTH_MAX);
    } else if (parse_accept(parse, '-')) {
        factor = parent(parse, TREE_MINUS, &token, parse_factor(parse), NULL);
    } else if (parse_accept(parse, '+')) {
        factor = parse_factor(parse);
    } else {
        factor = parse_parts(parse, parse_atom(parse));
        const struct lex_token caret = parse->token;
        if (factor && parse_accept(parse, '^')) {
            struct tree *exponent = parse_factor(parse);
            factor = exponent ? parent(parse, TREE_POWER, &caret, factor, exponent) : NULL;
        }
    }
    parse->depth--;
    return parse->failed ? NULL : factor;
}

/* Parses operands joined by either of two operators into a list, so that long chains are not nested
 * deeply. */
static struct tree *parse_chain(struct parse *parse, const char *ops,
                                struct tree *(*operand)(struct parse *)) {
    struct tree *first = operand(parse), *last = first, *chain = NULL;
    while (last && (parse_is(parse, ops[0]) || parse_is(parse, ops[1]))) {
        const struct lex_token op = parse->token;
        parse_advance(parse);
        if (!chain) chain = parent(parse, TREE_CHAIN, &first->token, first, NULL);
        struct tree *next = chain ? operand(parse) : NULL;
        if (!next) return NULL;
        next->op = *op.start;
        next->op_line = op.line;
        next->op_column = op.column;
        last = last->next = next;
    }
    return parse->failed ? NULL : chain ? chain : first;
}

static struct tree *parse_term(struct parse *parse) {
    return parse_chain(parse, "*/", parse_factor);
}

struct tree *parse_expression(struct parse *parse) {
    struct tree *expression = parse->failed ? NULL : parse_chain(parse, "+-", parse_term);
    parse->expression_end = parse->token.start;
    return expression;
}

bool parse_ended_expression(const struct parse *parse) {
    return parse->expression_end == parse->token.start;
}
