/* Parsers of labelled statements: section and noise. */
/* SPDX-License-Identifier: MIT */
#include "model/language/statement_shared.h"

/* Parses an expression to record as a new item, with its text as the name. */
static bool parse_record(struct parse *parse, struct tree_item ***last) {
    struct tree_item *item = parse_take(parse, sizeof *item);
    if (!item) return false;
    item->name = parse->token;
    item->value = parse_expression(parse);
    if (!item->value) return false;
    item->name.length = (int)(parse->last.start + parse->last.length - item->name.start);
    **last = item;
    *last = &item->next;
    return true;
}

/* name : */
static bool parse_label(struct parse *parse, struct lex_token *label) {
    return parse_name(parse, "a name", label) && parse_expect(parse, ':', "after the name");
}

void statement_parse_noise(struct parse *parse, struct tree_statement *statement) {
    if (parse_label(parse, &statement->word)) statement_parse_targets(parse, statement);
}

void statement_parse_section(struct parse *parse, struct tree_statement *statement) {
    struct lex_token label;
    if (!parse_label(parse, &label)) return;
    statement_parse_equation(parse, statement);
    if (parse->failed) return;
    struct tree_item *left = statement->item, *right = left->next, **last = &right->next;
    left->name = label;
    if (lex_is(&parse->token, "rising") || lex_is(&parse->token, "falling")) {
        right->name = parse->token;
        parse_advance(parse);
    }
    if (parse->failed) return;
    if (!lex_is(&parse->token, "record")) {
        parse_fail_expected(parse,
                            right->name.start ? "'record'" : "'record', 'rising' or 'falling'");
        return;
    }
    parse_advance(parse);
    do {
        if (parse->failed || !parse_record(parse, &last)) return;
    } while (parse_accept(parse, ','));
}
