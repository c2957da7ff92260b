/* Elaboration of run settings: method, step, until, from, sample. */
/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/language/elaborate.h"

enum { NUMBER_TEXT = 48 };

/* Size of a buffer for the text of a method. */
static size_t method_room(const struct tree_statement *statement) {
    size_t room = (size_t)statement->word.length + 1;
    for (const struct tree_item *item = statement->item; item; item = item->next) {
        const size_t word = item->target ? (size_t)item->target->token.length : NUMBER_TEXT;
        room += (size_t)item->name.length + word + 2;
    }
    return room;
}

static void append(char **at, const char *text, int length) {
    memcpy(*at, text, (size_t)length);
    *at += length;
    **at = '\0';
}

static bool append_option(struct elaborate *e, const struct tree_item *item, char **at) {
    append(at, " ", 1);
    append(at, item->name.start, item->name.length);
    append(at, "=", 1);
    if (item->target) {
        append(at, item->target->token.start, item->target->token.length);
        return true;
    }
    char number[NUMBER_TEXT];
    real value;
    if (!elaborate_number(e, item->value, "an option of a method", &value)) return false;
    const int length = real_print(number, sizeof number, value);
    append(at, number, length);
    return true;
}

char *elaborate_method_text(struct elaborate *e, const struct tree_statement *statement) {
    char *text = malloc(method_room(statement)), *at = text;
    if (!text) {
        elaborate_fail_memory(e);
        return NULL;
    }
    append(&at, statement->word.start, statement->word.length);
    for (const struct tree_item *item = statement->item; item; item = item->next)
        if (!append_option(e, item, &at)) {
            free(text);
            return NULL;
        }
    return text;
}

bool elaborate_method(struct elaborate *e, const struct tree_statement *statement) {
    e->model->method = elaborate_method_text(e, statement);
    e->model->method_line = statement->word.line;
    e->model->method_column = statement->word.column;
    return e->model->method != NULL;
}

bool elaborate_step(struct elaborate *e, const struct tree_statement *statement) {
    char shown[NUMBER_TEXT];
    const struct tree *tree = statement->item->value;
    real *step = &e->model->step;
    if (!elaborate_number(e, tree, "the step", step)) return false;
    e->model->step_line = tree->token.line;
    e->model->step_column = tree->token.column;
    if (*step > 0) return true;
    real_print_shortest(shown, sizeof shown, *step);
    return elaborate_fail(e, &tree->token, "step must be positive, found %s", shown);
}

bool elaborate_until(struct elaborate *e, const struct tree_statement *statement) {
    return elaborate_number(e, statement->item->value, "the end time", &e->model->until);
}

bool elaborate_from(struct elaborate *e, const struct tree_statement *statement) {
    return elaborate_number(e, statement->item->value, "the start time", &e->model->from);
}

bool elaborate_sample(struct elaborate *e, const struct tree_statement *statement) {
    return elaborate_integer(e, statement->item->value, "the sampling interval", 1,
                             &e->model->sample);
}

char *elaborate_equation_text(const struct lex_token *equation) {
    const char *end = equation->start + equation->length;
    char *text = malloc((size_t)equation->length + 1), *to = text;
    if (!text) return NULL;
    for (const char *at = equation->start; at < end; at++) {
        if (*at == '#') at += strcspn(at, "\n");
        if (!strchr(" \t\r\n", *at))
            *to++ = *at;
        else if (to[-1] != ' ')
            *to++ = ' ';
    }
    *to = '\0';
    return text;
}
