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
