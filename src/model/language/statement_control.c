/* Parsers of the statements of optimal control problems and of ensembles. */
/* SPDX-License-Identifier: MIT */
#include "model/language/statement_control.h"

static struct tree_item *append(struct parse *parse, struct tree_item ***last) {
    struct tree_item *item = parse->failed ? NULL : parse_take(parse, sizeof *item);
    if (!item) return NULL;
    **last = item;
    *last = &item->next;
    return item;
}

/* in [expr, expr] */
static bool parse_range(struct parse *parse, struct tree_item *item) {
    if (!lex_is(&parse->token, "in")) {
        parse_fail_expected(parse, "'in'");
        return false;
    }
    parse_advance(parse);
    item->value = parse_expression(parse);
    return item->value != NULL;
}

void statement_parse_controls(struct parse *parse, struct tree_statement *statement) {
    struct tree_item **last = &statement->item;
    do {
        struct tree_item *item = append(parse, &last);
        if (!item) return;
        item->target = parse_target(parse);
        if (!item->target) return;
        item->name =
            item->target->kind == TREE_PART ? item->target->first->token : item->target->token;
        if (!parse_range(parse, item)) return;
    } while (parse_accept(parse, ','));
}

void statement_parse_bounds(struct parse *parse, struct tree_statement *statement) {
    struct tree_item **last = &statement->item;
    do {
        struct tree_item *item = append(parse, &last);
        if (!item) return;
        item->name = parse->token;
        item->target = parse_expression(parse);
        if (!item->target) return;
        item->name.length = (int)(parse->last.start + parse->last.length - item->name.start);
        if (!parse_range(parse, item)) return;
    } while (parse_accept(parse, ','));
}

void statement_parse_minimize(struct parse *parse, struct tree_statement *statement) {
    struct tree_item **last = &statement->item, *item = append(parse, &last);
    if (!item) return;
    item->value = parse_expression(parse);
    if (!item->value || !lex_is(&parse->token, "terminal")) return;
    parse_advance(parse);
    item = append(parse, &last);
    if (item) item->value = parse_expression(parse);
}

void statement_parse_free(struct parse *parse, struct tree_statement *statement) {
    struct tree_item **last = &statement->item, *item = append(parse, &last);
    if (!item) return;
    if (!lex_is(&parse->token, "until")) {
        parse_fail_expected(parse, "'until': only the end time can be free");
        return;
    }
    parse_advance(parse);
    parse_range(parse, item);
}

void statement_parse_periodic(struct parse *parse, struct tree_statement *statement) {
    struct tree_item **last = &statement->item;
    do {
        struct tree_item *item = append(parse, &last);
        if (!item) return;
        item->target = parse_target(parse);
        if (!item->target) return;
    } while (parse_accept(parse, ','));
}

void statement_parse_vary(struct parse *parse, struct tree_statement *statement) {
    struct tree_item **last = &statement->item;
    do {
        struct tree_item *low = append(parse, &last), *high = append(parse, &last);
        struct tree_item *count = append(parse, &last);
        if (!low || !high || !count) return;
        low->target = parse_target(parse);
        if (!low->target || !parse_expect(parse, '=', "after the name")) return;
        low->value = parse_expression(parse);
        if (!low->value) return;
        if (parse->token.kind != LEX_RANGE) {
            parse_fail_expected(parse, "'..' in the range");
            return;
        }
        parse_advance(parse);
        high->value = parse_expression(parse);
        if (!high->value || !parse_expect(parse, ',', "and the number of values")) return;
        count->value = parse_expression(parse);
        if (!count->value) return;
    } while (parse_accept(parse, ','));
}
