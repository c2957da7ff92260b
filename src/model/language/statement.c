/* Table of the statements of the model language, and their parsers. */
/* SPDX-License-Identifier: MIT */
#include "model/language/statement.h"

#include <string.h>

#include "model/language/elaborate.h"
#include "model/language/statement_control.h"
#include "model/language/statement_shared.h"

static struct tree_item *add_item(struct parse *parse, struct tree_item ***last) {
    struct tree_item *item = parse->failed ? NULL : parse_take(parse, sizeof *item);
    if (!item) return NULL;
    **last = item;
    *last = &item->next;
    return item;
}

/* "Title" */
static void parse_title(struct parse *parse, struct tree_statement *statement) {
    statement->word = parse->token;
    if (parse->token.kind == LEX_STRING)
        parse_advance(parse);
    else
        parse_fail_expected(parse, "a title in double quotes");
}

/* name = expr, name = expr */
static void parse_definitions(struct parse *parse, struct tree_statement *statement) {
    struct tree_item **last = &statement->item;
    do {
        struct tree_item *item = add_item(parse, &last);
        if (!item || !parse_name(parse, "a name", &item->name)) return;
        if (!parse_expect(parse, '=', "after the name")) return;
        item->value = parse_expression(parse);
    } while (parse_accept(parse, ','));
}

/* name, name[size], name[size][size] */
static void parse_coordinates(struct parse *parse, struct tree_statement *statement) {
    struct tree_item **last = &statement->item;
    do {
        struct tree_item *item = add_item(parse, &last);
        if (!item || !parse_name(parse, "the name of a coordinate", &item->name)) return;
        item->value = parse_sizes(parse);
    } while (parse_accept(parse, ','));
}

/* name, name : word, or word(number, ...): the statement's word is the text after the colon */
static void parse_group(struct parse *parse, struct tree_statement *statement) {
    parse_coordinates(parse, statement);
    if (parse->failed || !parse_expect(parse, ':', "after the names of a group")) return;
    if (!parse_name(parse, "the name of a group", &statement->word) || !parse_accept(parse, '('))
        return;
    do {
        if (parse->token.kind != LEX_NUMBER) {
            parse_fail_expected(parse, "a number");
            return;
        }
        parse_advance(parse);
    } while (parse_accept(parse, ','));
    if (!parse_expect(parse, ')', "after the name of a group")) return;
    statement->word.length = (int)(parse->last.start + parse->last.length - statement->word.start);
}

void statement_parse_targets(struct parse *parse, struct tree_statement *statement) {
    struct tree_item **last = &statement->item;
    do {
        struct tree_item *item = add_item(parse, &last);
        if (!item) return;
        item->target = parse_target(parse);
        if (!item->target || !parse_expect(parse, '=', "after the coordinate")) return;
        item->value = parse_expression(parse);
    } while (parse_accept(parse, ','));
}

void statement_parse_value(struct parse *parse, struct tree_statement *statement) {
    struct tree_item **last = &statement->item, *item = add_item(parse, &last);
    if (item) item->value = parse_expression(parse);
}

/* = expr */
static void parse_lagrangian(struct parse *parse, struct tree_statement *statement) {
    if (parse_expect(parse, '=', "after 'L'")) statement_parse_value(parse, statement);
}

/* every n */
static void parse_sample(struct parse *parse, struct tree_statement *statement) {
    if (!lex_is(&parse->token, "every")) {
        parse_fail_expected(parse, "'every' after 'sample'");
        return;
    }
    parse_advance(parse);
    statement_parse_value(parse, statement);
}

void statement_parse_equation(struct parse *parse, struct tree_statement *statement) {
    struct tree_item **last = &statement->item;
    struct tree_item *left = add_item(parse, &last), *right = add_item(parse, &last);
    statement->word = parse->token;
    if (!left || !right) return;
    left->value = parse_expression(parse);
    if (!left->value || !parse_expect(parse, '=', "between the sides of an equation")) return;
    right->value = parse_expression(parse);
    statement->word.length = (int)(parse->last.start + parse->last.length - statement->word.start);
}

/* expr = expr [for i = expr..expr, ...]; the ranges become a third item. */
static void parse_constraint(struct parse *parse, struct tree_statement *statement) {
    statement_parse_equation(parse, statement);
    if (parse->failed || !lex_is(&parse->token, "for")) return;
    struct tree_item **last = &statement->item->next->next;
    struct tree_item *ranges = add_item(parse, &last);
    parse_advance(parse);
    if (ranges) ranges->value = parse_ranges(parse);
}

/* when expr = expr */
static void parse_stop(struct parse *parse, struct tree_statement *statement) {
    if (!lex_is(&parse->token, "when")) {
        parse_fail_expected(parse, "'when'");
        return;
    }
    parse_advance(parse);
    statement_parse_equation(parse, statement);
}

/* Parses a word that may have hyphens: energy-midpoint. */
static bool parse_word(struct parse *parse, const char *what, struct lex_token *word) {
    if (!parse_name(parse, what, word)) return false;
    for (;;) {
        const struct lex_token ahead = parse_ahead(parse);
        const char *end = word->start + word->length;
        const bool joined = parse_is(parse, '-') && parse->token.start == end &&
                            (ahead.kind == LEX_NAME || ahead.kind == LEX_NUMBER) &&
                            ahead.start == end + 1;
        if (!joined) return true;
        parse_advance(parse);
        parse_advance(parse);
        word->length = (int)(ahead.start + ahead.length - word->start);
    }
}

static bool check_key(struct parse *parse, const struct tree_statement *statement,
                      const struct tree_item *item) {
    for (const struct tree_item *other = statement->item; other != item; other = other->next) {
        char shown[LEX_QUOTE_MAX];
        if (other->name.length != item->name.length ||
            memcmp(other->name.start, item->name.start, (size_t)item->name.length) != 0)
            continue;
        parse_fail_at(parse, &item->name, "the option %s is given twice",
                      lex_show(&item->name, shown));
        return false;
    }
    return true;
}

/* key = word, key = number, key = (expr) */
static void parse_option(struct parse *parse, const struct tree_statement *statement,
                         struct tree_item *item) {
    struct lex_token word;
    if (!parse_name(parse, "the name of an option", &item->name)) return;
    if (!check_key(parse, statement, item)) return;
    if (!parse_expect(parse, '=', "after the name of an option")) return;
    if (parse->token.kind != LEX_NAME) {
        item->value = parse_expression(parse);
    } else if (parse_word(parse, "a word", &word)) {
        item->target = parse_take(parse, sizeof *item->target);
        if (item->target) item->target->token = word;
    }
}

void statement_parse_method(struct parse *parse, struct tree_statement *statement) {
    enum { OPTIONS_MAX = 100 };
    struct tree_item **last = &statement->item;
    if (!parse_word(parse, "the name of a method", &statement->word)) return;
    for (int count = 0; !parse->failed; count++) {
        const bool asks_for_more = parse_accept(parse, ',');
        if (parse->token.kind != LEX_NAME && !asks_for_more) return;
        struct tree_item *item = add_item(parse, &last);
        if (!item) return;
        if (count == OPTIONS_MAX)
            parse_fail_at(parse, &parse->token, "a method has at most %d options", OPTIONS_MAX);
        parse_option(parse, statement, item);
    }
}

/* name, name */
static void parse_nodes(struct parse *parse, struct tree_statement *statement) {
    struct tree_item **last = &statement->item;
    do {
        struct tree_item *item = add_item(parse, &last);
        if (!item || !parse_name(parse, "the name of a node", &item->name)) return;
    } while (parse_accept(parse, ','));
}

/* Parses a word as the target of a new item. */
static bool parse_item(struct parse *parse, const char *what, struct tree_item ***last) {
    struct tree_item *item = add_item(parse, last);
    if (item) item->target = parse_take(parse, sizeof *item->target);
    return item && item->target && parse_name(parse, what, &item->target->token);
}

/* name : name -> name key = expr key = expr */
static void parse_branch(struct parse *parse, struct tree_statement *statement) {
    struct tree_item **last = &statement->item, *label = add_item(parse, &last), *item;
    if (!label || !parse_name(parse, "the name of a branch", &label->name)) return;
    if (!parse_expect(parse, ':', "after the name")) return;
    if (!parse_item(parse, "the name of a node", &last)) return;
    if (!parse->failed && parse->token.kind != LEX_ARROW)
        parse_fail_expected(parse, "'->' between two nodes");
    if (parse->failed) return;
    parse_advance(parse);
    if (!parse_item(parse, "the name of a node", &last)) return;
    while (!parse->failed && (parse_accept(parse, ',') || parse->token.kind == LEX_NAME)) {
        struct tree_item **at = last;
        if (!parse_item(parse, "an element", &last)) return;
        if (!parse_expect(parse, '=', "after the name of an element")) return;
        item = *at;
        item->value = parse_expression(parse);
    }
}

static const struct statement_kind kinds[] = {
    {"model", true, false, STATEMENT_REST, parse_title, elaborate_title},
    {"param", false, true, STATEMENT_PARAMETERS, parse_definitions, elaborate_parameters},
    {"coord", false, true, STATEMENT_COORDINATES, parse_coordinates, elaborate_coordinates},
    {"rotation", false, true, STATEMENT_COORDINATES, parse_coordinates, elaborate_rotation},
    {"pose", false, true, STATEMENT_COORDINATES, parse_coordinates, elaborate_pose},
    {"group", false, true, STATEMENT_COORDINATES, parse_group, elaborate_group},
    {"let", false, true, STATEMENT_NAMES, parse_definitions, elaborate_let},
    {"L", true, false, STATEMENT_LAGRANGIAN, parse_lagrangian, elaborate_lagrangian},
    {"force", false, false, STATEMENT_REST, statement_parse_targets, elaborate_force},
    {"start", false, false, STATEMENT_REST, statement_parse_targets, elaborate_start},
    {"observe", false, true, STATEMENT_REST, parse_definitions, elaborate_observe},
    {"invariant", false, true, STATEMENT_REST, parse_definitions, elaborate_invariant},
    {"method", true, false, STATEMENT_REST, statement_parse_method, elaborate_method},
    {"step", true, false, STATEMENT_REST, statement_parse_value, elaborate_step},
    {"until", true, false, STATEMENT_REST, statement_parse_value, elaborate_until},
    {"from", true, false, STATEMENT_REST, statement_parse_value, elaborate_from},
    {"sample", true, false, STATEMENT_REST, parse_sample, elaborate_sample},
    {"stop", false, false, STATEMENT_REST, parse_stop, elaborate_stop},
    {"constraint", false, false, STATEMENT_CONSTRAINTS, parse_constraint, elaborate_constraint},
    {"nonholonomic", false, false, STATEMENT_CONSTRAINTS, parse_constraint, elaborate_nonholonomic},
    {"section", false, false, STATEMENT_REST, statement_parse_section, elaborate_section},
    {"noise", false, false, STATEMENT_REST, statement_parse_noise, elaborate_noise},
    {"control", false, true, STATEMENT_PARAMETERS, statement_parse_controls, elaborate_controls},
    {"minimize", true, false, STATEMENT_REST, statement_parse_minimize, elaborate_minimize},
    {"final", false, false, STATEMENT_REST, statement_parse_targets, elaborate_final},
    {"bound", false, false, STATEMENT_REST, statement_parse_bounds, elaborate_bound},
    {"steps", true, false, STATEMENT_REST, statement_parse_value, elaborate_steps},
    {"guess", false, false, STATEMENT_REST, statement_parse_targets, elaborate_guess},
    {"free", true, false, STATEMENT_REST, statement_parse_free, elaborate_free},
    {"periodic", false, false, STATEMENT_REST, statement_parse_periodic, elaborate_periodic},
    {"vary", false, false, STATEMENT_REST, statement_parse_vary, elaborate_vary},
    {"random", false, false, STATEMENT_REST, statement_parse_targets, elaborate_random},
    {"members", true, false, STATEMENT_REST, statement_parse_value, elaborate_members},
    {"seed", true, false, STATEMENT_REST, statement_parse_value, elaborate_seed},
    {"node", false, false, STATEMENT_PARAMETERS, parse_nodes, elaborate_node},
    {"branch", false, true, STATEMENT_COORDINATES, parse_branch, elaborate_branch},
    {"mesh", false, false, STATEMENT_COORDINATES, statement_parse_targets, elaborate_mesh},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const struct statement_kind *statement_find(const struct lex_token *token) {
    for (int i = 0; i < KINDS; i++)
        if (lex_is(token, kinds[i].keyword)) return &kinds[i];
    return NULL;
}

static void fail_unknown(struct parse *parse) {
    const char *names[KINDS];
    char shown[LEX_QUOTE_MAX];
    const struct lex_token token = parse->token;
    if (token.kind != LEX_NAME) {
        parse_fail_expected(parse, "a statement");
        return;
    }
    for (int i = 0; i < KINDS; i++) names[i] = kinds[i].keyword;
    const char *nearest = lex_nearest(&token, KINDS, names);
    lex_show(&token, shown);
    if (nearest)
        parse_fail_at(parse, &token, "unknown statement %s (did you mean '%s'?)", shown, nearest);
    else
        parse_fail_at(parse, &token, "unknown statement %s", shown);
}

static void check_once(struct parse *parse, const struct tree_statement *first,
                       const struct tree_statement *statement) {
    if (!statement->kind->once) return;
    for (const struct tree_statement *other = first; other != statement; other = other->next)
        if (other->kind == statement->kind)
            parse_fail_at(parse, &statement->keyword, "'%s' is stated twice (first at line %d)",
                          statement->kind->keyword, other->keyword.line);
}

static void parse_end(struct parse *parse) {
    if (parse->failed || parse->token.kind == LEX_END) return;
    if (parse->token.kind == LEX_NEWLINE) {
        parse_advance(parse);
        return;
    }
    parse_fail_expected(parse, parse_ended_expression(parse) ? "an operator or the end of the line"
                                                             : "the end of the line");
}

bool statement_parse_file(struct parse *parse, struct tree_statement **first) {
    struct tree_statement **last = first;
    *first = NULL;
    if (parse->token.kind == LEX_NEWLINE) parse_advance(parse);
    while (!parse->failed && parse->token.kind != LEX_END) {
        const struct statement_kind *kind = statement_find(&parse->token);
        struct tree_statement *statement = kind ? parse_take(parse, sizeof *statement) : NULL;
        if (!kind) fail_unknown(parse);
        if (!statement) break;
        *last = statement;
        last = &statement->next;
        statement->kind = kind;
        statement->keyword = parse->token;
        parse_advance(parse);
        kind->parse(parse, statement);
        parse_end(parse);
        check_once(parse, *first, statement);
    }
    return !parse->failed;
}
