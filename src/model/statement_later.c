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
