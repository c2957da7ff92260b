/* Reading of the statements whose meaning is not available yet: their form is checked. */
/* SPDX-License-Identifier: MIT */
#include "model/statement_later.h"

/* name : */
static bool parse_label(struct parse *parse) {
    struct lex_token name;
    return parse_name(parse, "a name", &name) && parse_expect(parse, ':', "after the name");
}

void statement_parse_noise(struct parse *parse, struct tree_statement *statement) {
    if (parse_label(parse)) statement_parse_targets(parse, statement);
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
