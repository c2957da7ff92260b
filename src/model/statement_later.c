/* Reading of the statements whose meaning is not available yet: their form is checked. */
/* SPDX-License-Identifier: MIT */
#include "model/statement_later.h"

#include <stdio.h>

/* Passes over `word`; something else is a failure. */
static bool expect_word(struct parse *parse, const char *word) {
    char what[40];
    if (parse->failed) return false;
    if (lex_is(&parse->token, word)) {
        parse_advance(parse);
        return !parse->failed;
    }
    snprintf(what, sizeof what, "'%s'", word);
    parse_fail_expected(parse, what);
    return false;
}

/* name : */
static bool parse_label(struct parse *parse) {
    struct lex_token name;
    return parse_name(parse, "a name", &name) && parse_expect(parse, ':', "after the name");
}

void statement_parse_section(struct parse *parse, struct tree_statement *statement) {
    if (!parse_label(parse)) return;
    statement_parse_equation(parse, statement);
    if (lex_is(&parse->token, "rising") || lex_is(&parse->token, "falling")) parse_advance(parse);
    if (!expect_word(parse, "record")) return;
    do {
        parse_expression(parse);
    } while (parse_accept(parse, ','));
}

void statement_parse_noise(struct parse *parse, struct tree_statement *statement) {
    if (parse_label(parse)) statement_parse_targets(parse, statement);
}

void statement_parse_interval(struct parse *parse, struct tree_statement *statement) {
    (void)statement;
    do {
        if (!parse_target(parse) || !expect_word(parse, "in")) return;
        parse_expression(parse);
    } while (parse_accept(parse, ','));
}

void statement_parse_minimize(struct parse *parse, struct tree_statement *statement) {
    statement_parse_value(parse, statement);
    if (!lex_is(&parse->token, "terminal")) return;
    parse_advance(parse);
    parse_expression(parse);
}

void statement_parse_vary(struct parse *parse, struct tree_statement *statement) {
    (void)statement;
    do {
        if (!parse_target(parse) || !parse_expect(parse, '=', "after the name")) return;
        if (!parse_expression(parse)) return;
        if (parse->token.kind != LEX_RANGE) {
            parse_fail_expected(parse, "'..' in the range");
            return;
        }
        parse_advance(parse);
        if (!parse_expression(parse) || !parse_expect(parse, ',', "and the number of values"))
            return;
        parse_expression(parse);
    } while (parse_accept(parse, ','));
}
