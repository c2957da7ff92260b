/* Elaboration of event statements: stop, section. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "model/language/elaborate.h"

static bool elaborate_side(struct elaborate *e, const char *statement, const struct tree *tree,
                           int *node) {
    struct value value;
    char shape[VALUE_SHAPE_MAX];
    if (!elaborate_value(e, tree, &value)) return false;
    *node = value.scalar;
    if (value.rank == 0) return true;
    return elaborate_fail(e, &tree->token, "'%s' compares scalars, found a %s", statement,
                          value_shape(&value, shape));
}

/* Adds an event for the equation of the statement. `what` names the statement in messages. NULL on
 * failure. */
static struct definition_event *
add_crossing(struct elaborate *e, const struct tree_statement *statement, const char *what) {
    struct definition *model = e->model;
    const struct tree *left = statement->item->value, *right = statement->item->next->value;
    int left_node, right_node;
    e->knows_multipliers = true;
    const bool is_valid =
        elaborate_side(e, what, left, &left_node) && elaborate_side(e, what, right, &right_node);
    e->knows_multipliers = false;
    if (!is_valid) return NULL;
    const int node = graph_sub(e->make.graph, left_node, right_node);
    if (!e->make.graph->failed && graph_depends(e->make.graph, node) == 0) {
        elaborate_fail(e, &statement->word,
                       "'%s' needs an equation in time, coordinates or velocities; this one never "
                       "changes",
                       what);
        return NULL;
    }
    struct definition_event *crossing =
        elaborate_grow(model->crossing, model->nevents, 1, sizeof *crossing);
    if (crossing) model->crossing = crossing;
    char *text = crossing ? elaborate_equation_text(&statement->word) : NULL;
    if (!text || e->make.graph->failed) {
        free(text);
        elaborate_fail_memory(e);
        return NULL;
    }
    crossing += model->nevents++;
    *crossing = (struct definition_event){.text = text, .node = node};
    return crossing;
}

bool elaborate_stop(struct elaborate *e, const struct tree_statement *statement) {
    return add_crossing(e, statement, "stop when") != NULL;
}

static bool add_record(struct elaborate *e, const struct tree_item *item,
                       struct definition_event *crossing) {
    struct value value;
    e->knows_multipliers = true;
    const bool is_valid = elaborate_value(e, item->value, &value);
    e->knows_multipliers = false;
    if (!is_valid) return false;
    if (value.rank == 3)
        return elaborate_fail(e, &item->value->token, "a list of matrices is recorded one by one");
    struct definition_quantity *record =
        elaborate_grow(crossing->record, crossing->nrecords, 1, sizeof *record);
    if (!record) return elaborate_fail_memory(e);
    crossing->record = record;
    record += crossing->nrecords++;
    const int count = value_count(&value);
    *record = (struct definition_quantity){.name = elaborate_equation_text(&item->name),
                                           .rank = value.rank,
                                           .rows = value.rows,
                                           .cols = value.cols,
                                           .node = malloc((size_t)count * sizeof *record->node)};
    if (!record->name || !record->node) return elaborate_fail_memory(e);
    for (int i = 0; i < count; i++) record->node[i] = value_at(&value, i);
    e->model->nrecorded += count;
    return true;
}

static bool is_named(const struct definition_event *crossing, const struct lex_token *name) {
    return crossing->name && lex_is(name, crossing->name);
}

bool elaborate_section(struct elaborate *e, const struct tree_statement *statement) {
    const struct tree_item *left = statement->item, *right = left->next;
    char shown[LEX_QUOTE_MAX];
    for (int i = 0; i < e->model->nevents; i++)
        if (is_named(&e->model->crossing[i], &left->name))
            return elaborate_fail(e, &left->name, "there are two sections %s",
                                  lex_show(&left->name, shown));
    struct definition_event *crossing = add_crossing(e, statement, "section");
    if (!crossing) return false;
    crossing->name = elaborate_copy(e, &left->name);
    if (right->name.start)
        crossing->direction = lex_is(&right->name, "rising") ? NOE_RISING : NOE_FALLING;
    for (const struct tree_item *item = right->next; item; item = item->next)
        if (!crossing->name || !add_record(e, item, crossing)) return false;
    return crossing->name != NULL;
}
