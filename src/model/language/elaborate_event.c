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
add_event(struct elaborate *e, const struct tree_statement *statement, const char *what) {
    struct definition *model = e->model;
    const struct tree *left = statement->item->value, *right = statement->item->next->value;
    int left_node, right_node;
    e->allows_multipliers = true;
    const bool is_valid =
        elaborate_side(e, what, left, &left_node) && elaborate_side(e, what, right, &right_node);
    e->allows_multipliers = false;
    if (!is_valid) return NULL;
    const int node = graph_sub(e->make.graph, left_node, right_node);
    if (!e->make.graph->failed && graph_depends(e->make.graph, node) == 0) {
        elaborate_fail(e, &statement->word,
                       "'%s' needs an equation in time, coordinates or velocities; this one never "
                       "changes",
                       what);
        return NULL;
    }
    struct definition_event *event = elaborate_grow(model->event, model->nevents, 1, sizeof *event);
    if (event) model->event = event;
    char *text = event ? elaborate_equation_text(&statement->word) : NULL;
    if (!text || e->make.graph->failed) {
        free(text);
        elaborate_fail_memory(e);
        return NULL;
    }
    event += model->nevents++;
    *event = (struct definition_event){.text = text, .node = node};
    return event;
}

bool elaborate_stop(struct elaborate *e, const struct tree_statement *statement) {
    return add_event(e, statement, "stop when") != NULL;
}

static bool add_record(struct elaborate *e, const struct tree_item *item,
                       struct definition_event *event) {
    struct value value;
    e->allows_multipliers = true;
    const bool is_valid = elaborate_value(e, item->value, &value);
    e->allows_multipliers = false;
    if (!is_valid) return false;
    if (value.rank == 3)
        return elaborate_fail(e, &item->value->token,
                              "a list of matrices must be recorded one by one");
    struct definition_quantity *record =
        elaborate_grow(event->record, event->nrecords, 1, sizeof *record);
    if (!record) return elaborate_fail_memory(e);
    event->record = record;
    record += event->nrecords++;
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

static bool is_named(const struct definition_event *event, const struct lex_token *name) {
    return event->name && lex_is(name, event->name);
}

bool elaborate_section(struct elaborate *e, const struct tree_statement *statement) {
    const struct tree_item *left = statement->item, *right = left->next;
    char shown[LEX_QUOTE_MAX];
    for (int i = 0; i < e->model->nevents; i++)
        if (is_named(&e->model->event[i], &left->name))
            return elaborate_fail(e, &left->name, "there are two sections %s",
                                  lex_show(&left->name, shown));
    struct definition_event *event = add_event(e, statement, "section");
    if (!event) return false;
    event->name = elaborate_copy(e, &left->name);
    if (right->name.start)
        event->direction = lex_is(&right->name, "rising") ? NOE_RISING : NOE_FALLING;
    for (const struct tree_item *item = right->next; item; item = item->next)
        if (!event->name || !add_record(e, item, event)) return false;
    return event->name != NULL;
}
