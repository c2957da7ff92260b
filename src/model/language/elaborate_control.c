/* Elaboration of optimal control statements: control, minimize, final, bound, steps, guess, free,
 * periodic. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "model/language/elaborate.h"

#define FINAL_DEFECT_MAX 1e-12

/* The model's control definition, allocated at first use. */
static struct control_definition *control_definition_of(struct elaborate *e) {
    if (e->model->control) return e->model->control;
    struct control_definition *problem = calloc(1, sizeof *problem);
    if (!problem) {
        elaborate_fail_memory(e);
        return NULL;
    }
    problem->cost = problem->terminal = -1;
    return e->model->control = problem;
}

static struct control_definition *targets_of(struct elaborate *e) {
    struct control_definition *problem = control_definition_of(e);
    if (problem && !control_definition_make_targets(problem, e->model->n, e->model->np)) {
        elaborate_fail_memory(e);
        return NULL;
    }
    return problem;
}

/* Reads [a, b] with a < b, or a <= b if `may_be_one`. */
static bool read_range(struct elaborate *e, const struct tree *tree, bool may_be_one, real *min,
                       real *max) {
    struct value value;
    if (!elaborate_numbers(e, tree, "a bound", &value)) return false;
    if (!value_is_vector(&value, 2))
        return elaborate_fail(e, &tree->token, "bounds are two numbers: expected [a, b]");
    if (!elaborate_constant(e, value.node[0], min) || !elaborate_constant(e, value.node[1], max))
        return false;
    if (*min < *max || (may_be_one && *min == *max)) return true;
    return elaborate_fail(e, &tree->token, "contradictory bounds: %g is not below %g", (double)*min,
                          (double)*max);
}

/* --- Controls. */

/* Reads the size of u[3]; 0 for a scalar u. */
static bool read_size(struct elaborate *e, const struct tree *target, long *size) {
    *size = 0;
    if (target->kind != TREE_PART) return true;
    if (target->primes)
        return elaborate_fail(e, &target->token, "a control has no velocity: remove the prime");
    const struct tree *index = target->first->next;
    if (index->next)
        return elaborate_fail(e, &index->next->token, "a control has at most one size");
    return elaborate_integer(e, index, "the size of a control", 1, size);
}

static bool grow_controls(struct elaborate *e, struct control_definition *problem, int count) {
    struct control_definition_control *control =
        elaborate_grow(problem->control, problem->ncontrols, 1, sizeof *control);
    if (control) problem->control = control;
    real *min = elaborate_grow(problem->min, problem->m, count, sizeof *min);
    if (min) problem->min = min;
    real *max = elaborate_grow(problem->max, problem->m, count, sizeof *max);
    if (max) problem->max = max;
    real *number = elaborate_grow(e->model->number, e->model->nnumbers, count, sizeof *number);
    if (number) e->model->number = number;
    return control && min && max && number ? true : elaborate_fail_memory(e);
}

/* Makes the leaves of the control, which are parameters. */
static bool control_leaves(struct elaborate *e, struct symbol *symbol,
                           const struct control_definition_control *control) {
    struct value leaves;
    int *node = value_make(&e->make, &leaves, control->rank, control->rows, 1);
    for (int i = 0; node && i < control->rows; i++)
        node[i] = graph_leaf(e->make.graph, GRAPH_PARAMETER, control->number + i);
    if (!node) return elaborate_fail_made(e, symbol->line, symbol->column);
    return elaborate_keep(e, &leaves, &symbol->value);
}

static real nearest_to_zero(real min, real max) { return min > 0 ? min : max < 0 ? max : 0; }

/* Sets the constant values used by a run: those of --set, or those nearest to zero. */
static bool set_control(struct elaborate *e, const struct lex_token *name,
                        const struct control_definition_control *control) {
    const struct control_definition *problem = e->model->control;
    const struct elaborate_set *set = elaborate_find_set(e, name);
    struct value value;
    e->set_text = set ? set->text : NULL;
    if (set && !elaborate_numbers(e, set->value, "a control", &value)) return false;
    if (set && value_count(&value) != control->rows)
        return elaborate_fail(e, name, "the control has %d numbers, found %d", control->rows,
                              value_count(&value));
    for (int i = 0; i < control->rows; i++) {
        const int at = control->first + i;
        real *number = &e->model->number[control->number + i];
        *number = nearest_to_zero(problem->min[at], problem->max[at]);
        if (set && !elaborate_constant(e, value_at(&value, i), number)) return false;
    }
    e->set_text = NULL;
    return true;
}

static bool declare_control(struct elaborate *e, const struct tree_item *item) {
    struct control_definition *problem = control_definition_of(e);
    long size;
    real min, max;
    if (!problem || !read_size(e, item->target, &size)) return false;
    if (!read_range(e, item->value, false, &min, &max)) return false;
    const int rows = size ? (int)size : 1;
    struct symbol *symbol = elaborate_declare(e, &item->name);
    if (!symbol || !grow_controls(e, problem, rows)) return false;
    symbol->kind = SYMBOL_CONTROL;
    symbol->coordinate = problem->ncontrols;
    struct control_definition_control *control = &problem->control[problem->ncontrols];
    *control = (struct control_definition_control){.name = elaborate_copy(e, &item->name),
                                                   .rank = size > 0,
                                                   .rows = rows,
                                                   .first = problem->m,
                                                   .number = e->model->nnumbers,
                                                   .line = item->name.line,
                                                   .column = item->name.column};
    if (!control->name) return false;
    problem->ncontrols++;
    for (int i = 0; i < rows; i++) {
        problem->min[problem->m] = min;
        problem->max[problem->m++] = max;
    }
    e->model->nnumbers += rows;
    return set_control(e, &item->name, control) && control_leaves(e, symbol, control);
}

bool elaborate_controls(struct elaborate *e, const struct tree_statement *statement) {
    for (const struct tree_item *item = statement->item; item; item = item->next)
        if (!declare_control(e, item)) return false;
    return true;
}

/* --- Objective and final values. */

static bool scalar_node(struct elaborate *e, const struct tree *tree, const char *what, int *node) {
    struct value value;
    char shape[VALUE_SHAPE_MAX];
    if (!elaborate_value(e, tree, &value)) return false;
    *node = value.scalar;
    if (value.rank == 0) return true;
    return elaborate_fail(e, &tree->token, "%s must be a scalar, found %s", what,
                          value_shape(&value, shape));
}

bool elaborate_minimize(struct elaborate *e, const struct tree_statement *statement) {
    struct control_definition *problem = targets_of(e);
    if (!problem) return false;
    const struct tree_item *cost = statement->item, *terminal = cost->next;
    problem->line = cost->value->token.line;
    problem->column = cost->value->token.column;
    return scalar_node(e, cost->value, "the objective", &problem->cost) &&
           (!terminal || scalar_node(e, terminal->value, "the objective", &problem->terminal));
}

bool elaborate_final(struct elaborate *e, const struct tree_statement *statement) {
    struct control_definition *problem = targets_of(e);
    if (!problem) return false;
    for (const struct tree_item *item = statement->item; item; item = item->next) {
        struct elaborate_target target;
        struct value value;
        if (!elaborate_start_target(e, item->target, &target)) return false;
        if (!elaborate_numbers(e, item->value, "a final value", &value)) return false;
        if (!elaborate_target_check(e, item, &target, &value)) return false;
        bool *is_final = target.is_velocity ? problem->v_is_final : problem->q_is_final;
        real *number = target.is_velocity ? problem->v_final : problem->q_final;
        for (int i = 0; i < target.place.rows * target.place.cols; i++) {
            const int at = elaborate_target_at(&target, i);
            const int node = value_at(&value, value.is_empty_sum ? 0 : i);
            if (is_final[at])
                return elaborate_fail(e, &item->target->token,
                                      "the final value of %s is given twice", target.name);
            is_final[at] = true;
            problem->final_line = item->target->token.line;
            problem->final_column = item->target->token.column;
            if (!elaborate_constant(e, node, &number[at])) return false;
        }
    }
    return true;
}

bool elaborate_periodic(struct elaborate *e, const struct tree_statement *statement) {
    struct control_definition *problem = targets_of(e);
    if (!problem) return false;
    for (const struct tree_item *item = statement->item; item; item = item->next) {
        struct elaborate_target target;
        if (!elaborate_start_target(e, item->target, &target)) return false;
        bool *is_periodic = target.is_velocity ? problem->v_is_periodic : problem->q_is_periodic;
        for (int i = 0; i < target.place.rows * target.place.cols; i++)
            is_periodic[elaborate_target_at(&target, i)] = true;
    }
    return true;
}

static bool add_bound(struct elaborate *e, const struct tree_item *item, int node, real min,
                      real max) {
    struct control_definition *problem = e->model->control;
    struct control_definition_bound *bound =
        elaborate_grow(problem->bound, problem->nbounds, 1, sizeof *bound);
    if (!bound) return elaborate_fail_memory(e);
    problem->bound = bound;
    bound += problem->nbounds;
    *bound = (struct control_definition_bound){elaborate_copy(e, &item->name), node, min, max};
    if (!bound->text) return false;
    problem->nbounds++;
    return true;
}

bool elaborate_bound(struct elaborate *e, const struct tree_statement *statement) {
    if (!targets_of(e)) return false;
    for (const struct tree_item *item = statement->item; item; item = item->next) {
        struct value value;
        real min, max;
        if (!elaborate_value(e, item->target, &value)) return false;
        if (!read_range(e, item->value, true, &min, &max)) return false;
        for (int i = 0; i < value_count(&value); i++)
            if (!add_bound(e, item, value_at(&value, i), min, max)) return false;
    }
    return true;
}

bool elaborate_steps(struct elaborate *e, const struct tree_statement *statement) {
    struct control_definition *problem = targets_of(e);
    return problem &&
           elaborate_integer(e, statement->item->value, "the number of steps", 1, &problem->steps);
}

/* free until in [a, b] */
bool elaborate_free(struct elaborate *e, const struct tree_statement *statement) {
    struct control_definition *problem = targets_of(e);
    if (!problem) return false;
    problem->has_free_end = true;
    return read_range(e, statement->item->value, false, &problem->end_min, &problem->end_max);
}

/* --- Initial guesses: expressions in time. */

static bool check_guess(struct elaborate *e, const struct tree_item *item,
                        const struct value *value) {
    for (int i = 0; i < value_count(value); i++)
        if (graph_depends(e->make.graph, value_at(value, i)) & ~(unsigned)GRAPH_ON_TIME)
            return elaborate_fail(e, &item->value->token, "a guess is an expression in time 't'");
    return true;
}

/* The control that an item names in place of a coordinate, or NULL. */
static const struct control_definition_control *guessed_control(const struct elaborate *e,
                                                                const struct tree_item *item) {
    const struct symbol *symbol =
        item->target->kind == TREE_NAME ? symbol_find(&e->names, &item->target->token) : NULL;
    if (!symbol || symbol->kind != SYMBOL_CONTROL) return NULL;
    return &e->model->control->control[symbol->coordinate];
}

static bool guess_control(struct elaborate *e, const struct tree_item *item,
                          const struct control_definition_control *control,
                          const struct value *value) {
    if (value_count(value) != control->rows)
        return elaborate_fail(e, &item->value->token, "the control '%s' has %d numbers, not %d",
                              control->name, control->rows, value_count(value));
    for (int i = 0; i < control->rows; i++)
        e->model->control->u_guess[control->first + i] = value_at(value, i);
    return true;
}

bool elaborate_guess(struct elaborate *e, const struct tree_statement *statement) {
    struct control_definition *problem = targets_of(e);
    if (!problem) return false;
    for (const struct tree_item *item = statement->item; item; item = item->next) {
        struct elaborate_target target;
        struct value value;
        const struct control_definition_control *control = guessed_control(e, item);
        if (!elaborate_value(e, item->value, &value) || !check_guess(e, item, &value)) return false;
        if (control) {
            if (!guess_control(e, item, control, &value)) return false;
            continue;
        }
        if (!elaborate_start_target(e, item->target, &target)) return false;
        if (target.is_velocity)
            return elaborate_fail(e, &item->target->token,
                                  "a guess is for coordinates and controls");
        if (!elaborate_target_check(e, item, &target, &value)) return false;
        for (int i = 0; i < target.place.rows * target.place.cols; i++)
            problem->q_guess[elaborate_target_at(&target, i)] =
                value_at(&value, value.is_empty_sum ? 0 : i);
    }
    return true;
}

/* --- After all statements. */

static bool uses_parameter(const struct elaborate *e, int root, int number) {
    const struct graph *graph = e->make.graph;
    int *index = malloc(((size_t)graph->count + 1) * sizeof *index);
    const int count = index && root >= 0 ? graph_leaves(graph, root, GRAPH_PARAMETER, index) : 0;
    bool is_used = !index;
    for (int i = 0; i < count; i++) is_used |= index[i] == number;
    free(index);
    return is_used;
}

/* Sets defaults: a free end time that is not stated begins at the middle of its bounds, and the
 * step size follows from the number of intervals. */
static void set_grid(struct definition *model) {
    const struct control_definition *problem = model->control;
    if (problem->has_free_end && !(model->until == model->until))
        model->until = (problem->end_min + problem->end_max) / 2;
    if (problem->steps > 0 && !(model->step == model->step) && model->until > model->from)
        model->step = (model->until - model->from) / problem->steps;
}

static bool is_used(const struct elaborate *e, const struct control_definition_control *control) {
    const struct definition *model = e->model;
    for (int i = 0; i < control->rows; i++) {
        if (uses_parameter(e, model->lagrangian, control->number + i)) return true;
        for (int j = 0; model->force && j < model->n; j++)
            if (uses_parameter(e, model->force[j], control->number + i)) return true;
    }
    return false;
}

/* Checks that a final rotation is orthonormal, because it is the origin of the last node's
 * coordinates. */
static bool check_final(struct elaborate *e) {
    const struct control_definition *problem = e->model->control;
    const struct lex_token at = {.line = problem->final_line, .column = problem->final_column};
    const real *q = problem->q_final;
    for (int i = 0; i < e->model->nfactors; i++) {
        const struct noe_factor *factor = &e->model->factor[i];
        const bool is_final = problem->q_is_final[q - problem->q_final];
        const real defect =
            factor->space->maps.defect && is_final ? factor->space->maps.defect(q) : 0;
        if (!(defect <= (real)FINAL_DEFECT_MAX))
            return elaborate_fail(e, &at,
                                  "the final value is not a rotation: it is not orthonormal, its "
                                  "defect is %.3g (a mirror image counts 2)",
                                  (double)defect);
        q += factor->space->point * factor->size;
    }
    return true;
}

bool elaborate_control_check(struct elaborate *e) {
    const struct control_definition *problem = e->model->control;
    if (!problem) return true;
    for (int k = 0; k < problem->ncontrols; k++) {
        const struct control_definition_control *control = &problem->control[k];
        const struct lex_token at = {.line = control->line, .column = control->column};
        if (!is_used(e, control))
            return elaborate_fail(e, &at, "the control '%s' appears in no force", control->name);
    }
    set_grid(e->model);
    return !problem->q_final || check_final(e);
}
