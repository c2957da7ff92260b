/* Elaboration of start values: stated values, defaults, and the check of group elements. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "model/language/elaborate.h"

#define DEFECT_MAX   ((real)1e-8)       /* a larger defect is taken for a mistake */
#define DEFECT_ROUND (64 * NOE_EPSILON) /* a smaller defect is round-off of the expression */

bool elaborate_start_make(struct elaborate *e) {
    struct definition *model = e->model;
    const size_t n = (size_t)model->n + 1, np = (size_t)model->np + 1;
    model->q = calloc(np, sizeof *model->q);
    model->v = calloc(n, sizeof *model->v);
    e->q_from = calloc(np, sizeof(void *));
    e->v_from = calloc(n, sizeof(void *));
    if (!model->q || !model->v || !e->q_from || !e->v_from) return elaborate_fail_memory(e);
    real *q = model->q;
    for (int i = 0; i < model->nfactors; i++) {
        const struct noe_factor *factor = &model->factor[i];
        factor->space->identity(factor->size, q);
        q += factor->space->point * factor->size;
    }
    return true;
}

static bool start_number(struct elaborate *e, const struct tree_item *item,
                         const struct elaborate_target *target, int i, int node) {
    const struct lex_token **from = target->is_velocity ? e->v_from : e->q_from;
    real *number = target->is_velocity ? e->model->v : e->model->q;
    const int at = elaborate_target_at(target, i);
    const bool has_prime = item->target->kind == TREE_PART && item->target->primes;
    if (from[at])
        return elaborate_fail(e, &item->target->token, "the start value of %s%s is given twice",
                              target->name, has_prime ? " (velocity)" : "");
    from[at] = &item->value->token;
    return elaborate_constant(e, node, &number[at]);
}

bool elaborate_start(struct elaborate *e, const struct tree_statement *statement) {
    for (const struct tree_item *item = statement->item; item; item = item->next) {
        struct elaborate_target target;
        struct value value;
        if (!elaborate_start_target(e, item->target, &target)) return false;
        if (!elaborate_numbers(e, item->value, "a start value", &value)) return false;
        if (!elaborate_target_check(e, item, &target, &value)) return false;
        for (int i = 0; i < target.place.rows * target.place.cols; i++) {
            const int node = value_at(&value, value.is_empty_sum ? 0 : i);
            if (!start_number(e, item, &target, i, node)) return false;
        }
    }
    return true;
}

/* Checks the point of one factor, stated at `from`: rejects it, projects it to the nearest
 * rotation, or accepts it. */
static bool check_point(struct elaborate *e, const struct noe_space *space, real *g,
                        const struct lex_token *from) {
    char shown[32];
    const real defect = space->maps.defect(g);
    if (defect <= DEFECT_ROUND) return true;
    snprintf(shown, sizeof shown, "%.3g", (double)defect);
    if (!(defect <= DEFECT_MAX) && space->group)
        return elaborate_fail(e, from,
                              "the start is no point of %s: its defect is %s; at most 1e-8 is "
                              "repaired",
                              space->group, shown);
    if (!(defect <= DEFECT_MAX))
        return elaborate_fail(
            e, from,
            "the start is not a rotation: it is not orthonormal, its defect is %s "
            "(a mirror image counts 2); at most 1e-8 is repaired",
            shown);
    space->maps.project(g);
    if (definition_note(e->model, from->line, from->column,
                        "the start is not quite orthonormal: its defect of %s is repaired, the "
                        "nearest %s is used",
                        shown, space->group ? "point of the group" : "rotation"))
        return true;
    return elaborate_fail_memory(e);
}

bool elaborate_start_check(struct elaborate *e) {
    real *q = e->model->q;
    for (int i = 0; i < e->model->nfactors; i++) {
        const struct noe_factor *factor = &e->model->factor[i];
        const struct lex_token *from = e->q_from[q - e->model->q];
        if (factor->space->maps.defect && from && !check_point(e, factor->space, q, from))
            return false;
        q += factor->space->point * factor->size;
    }
    return true;
}
