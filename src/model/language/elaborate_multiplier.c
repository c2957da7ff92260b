/* Elaboration of functions of Lagrange multipliers: multiplier(k), reaction(x). */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "model/equations/constraint_equations.h"
#include "model/language/elaborate.h"

/* Multiplier of equation k, in the order of the statements. */
static bool multiplier(struct elaborate *e, const struct tree *tree, struct value *value) {
    const int count = definition_constraints(e->model);
    long k;
    if (!elaborate_integer(e, tree->first, "the number of a multiplier", 1, &k)) return false;
    if (k > count)
        return elaborate_fail(e, &tree->first->token,
                              "there is no multiplier %ld: the model states %d equation%s of "
                              "constraints",
                              k, count, count == 1 ? "" : "s");
    *value = value_scalar(definition_multiplier(e->model, e->model->constraint[k - 1].row));
    return true;
}

static bool find_reactions(struct elaborate *e) {
    if (e->reaction) return true;
    e->reaction = calloc((size_t)e->model->n + 1, sizeof *e->reaction);
    if (e->reaction && constraint_equations_reactions(e->model, e->reaction)) return true;
    return elaborate_fail_memory(e);
}

/* Force of all constraints on a coordinate, with the sign convention of `force`. */
static bool reaction(struct elaborate *e, const struct tree *tree, struct value *value) {
    const struct tree *of = tree->first;
    struct elaborate_target target;
    if (of->kind != TREE_NAME && of->kind != TREE_PART)
        return elaborate_fail(e, &of->token, "reaction needs the name of a coordinate");
    if (!elaborate_force_target(e, of, &target) || !find_reactions(e)) return false;
    const struct noe_array_layout *place = &target.place;
    int *node = value_make(&e->make, value, place->rank, place->rows, place->cols);
    for (int i = 0; node && i < value_count(value); i++)
        node[i] = e->reaction[elaborate_target_at(&target, i)];
    return node ? true : elaborate_fail_made(e, of->token.line, of->token.column);
}

/* These names are not reserved. Without arguments they denote the model's own names. */
bool elaborate_multipliers(struct elaborate *e, const struct tree *tree, bool *is_one,
                           struct value *value) {
    const bool is_multiplier = lex_is(&tree->token, "multiplier");
    *is_one = is_multiplier || lex_is(&tree->token, "reaction");
    if (!*is_one) return false;
    const char *name = is_multiplier ? "multiplier" : "reaction";
    if (!tree->first || tree->first->next)
        return elaborate_fail(e, &tree->token, "%s takes 1 argument", name);
    if (!e->allows_multipliers)
        return elaborate_fail(e, &tree->token,
                              "%s can be used only in 'observe', 'invariant' and 'stop when', "
                              "because multipliers depend on the motion",
                              name);
    if (definition_constraints(e->model) == 0)
        return elaborate_fail(e, &tree->token, "%s needs a constraint, and the model states none",
                              name);
    return is_multiplier ? multiplier(e, tree, value) : reaction(e, tree, value);
}

bool elaborate_uses_multipliers(struct elaborate *e, const struct value *value) {
    const int n = e->model->n, count = definition_constraints(e->model);
    if (count == 0) return false;
    int *index = tree_take(&e->pool, (size_t)(n + count) * sizeof *index);
    if (!index) return !elaborate_fail_memory(e);
    for (int i = 0; i < value_count(value); i++) {
        const int leaves = graph_leaves(e->make.graph, value_at(value, i), GRAPH_VELOCITY, index);
        for (int k = 0; k < leaves; k++)
            if (index[k] >= n) return true;
    }
    return false;
}
