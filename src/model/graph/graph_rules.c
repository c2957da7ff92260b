/* Derivatives of the elementary functions, parsed from the text in their table. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "model/graph/graph_store.h"
#include "model/language/parse.h"

struct graph_rules {
    struct tree_pool pool;
    struct tree *tree[][2]; /* by function and argument; NULL: not parsed yet */
};

void graph_rules_free(struct graph_rules *rules) {
    if (rules) tree_clear(&rules->pool);
    free(rules);
}

/* Derivatives may call functions that models cannot, which have a C name only. */
static int find_function(const struct lex_token *name) {
    const size_t prefix = strlen("noe_");
    for (int f = 0; f < graph_function_count; f++)
        if (lex_is(name, graph_functions[f].c_name + prefix)) return f;
    return -1;
}

static int build(struct graph *graph, const struct tree *tree, int x, int y);

static int build_chain(struct graph *graph, const struct tree *first, int x, int y) {
    int value = build(graph, first, x, y);
    for (const struct tree *operand = first->next; operand; operand = operand->next) {
        const int other = build(graph, operand, x, y);
        switch (operand->op) {
        case '+': value = graph_add(graph, value, other); break;
        case '-': value = graph_sub(graph, value, other); break;
        case '*': value = graph_mul(graph, value, other); break;
        default: value = graph_div(graph, value, other);
        }
    }
    return value;
}

/* Builds the derivative `tree` with the nodes x and y as its variables. */
static int build(struct graph *graph, const struct tree *tree, int x, int y) {
    switch (tree->kind) {
    case TREE_NUMBER: return graph_number(graph, tree->token.number);
    case TREE_NAME: return lex_is(&tree->token, "y") ? y : x;
    case TREE_MINUS: return graph_neg(graph, build(graph, tree->first, x, y));
    case TREE_CHAIN: return build_chain(graph, tree->first, x, y);
    case TREE_POWER:
        return graph_pow(graph, build(graph, tree->first, x, y),
                         build(graph, tree->first->next, x, y));
    default:
        return graph_call(graph, find_function(&tree->token), build(graph, tree->first, x, y), -1);
    }
}

static struct tree *parse_rule(struct graph_rules *rules, const char *text) {
    struct parse parse;
    if (parse_open(&parse, &rules->pool, text, strlen(text), NULL) != NOE_OK) return NULL;
    return parse_expression(&parse);
}

int graph_partial(struct graph *graph, int f, int which, int x, int y) {
    if (graph->failed) return 0;
    if (!graph->rules) {
        const size_t rows = (size_t)graph_function_count;
        graph->rules = calloc(1, sizeof *graph->rules + rows * sizeof graph->rules->tree[0]);
    }
    struct tree **rule = graph->rules ? &graph->rules->tree[f][which] : NULL;
    if (rule && !*rule) *rule = parse_rule(graph->rules, graph_functions[f].derivative[which]);
    if (!rule || !*rule) {
        graph->failed = true;
        return 0;
    }
    return build(graph, *rule, x, y);
}
