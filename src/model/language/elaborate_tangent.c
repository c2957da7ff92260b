/* Elaboration of quantities of the tangent map: lyapunov, lyapunov(k), megno. */
/* SPDX-License-Identifier: MIT */
#include "model/language/elaborate.h"

bool elaborate_is_tangent(const struct lex_token *name) {
    return lex_is(name, "lyapunov") || lex_is(name, "megno");
}

bool elaborate_tangent_alone(struct elaborate *e, const struct lex_token *name) {
    char shown[LEX_QUOTE_MAX];
    return elaborate_fail(e, name,
                          "%s is not part of an expression: it stands alone in 'observe', as in "
                          "'observe l = lyapunov(1)'",
                          lex_show(name, shown));
}

/* Reads which exponents are meant: lyapunov(k) is one, lyapunov is all. */
static bool read_exponents(struct elaborate *e, const struct tree *tree,
                           struct definition_quantity *quantity) {
    const int all = 2 * (e->model->n - e->model->nholonomic);
    long exponent = 1;
    quantity->exponent = 1;
    quantity->rows = all;
    if (tree->kind == TREE_NAME) return true;
    if (!tree->first || tree->first->next)
        return elaborate_fail(e, &tree->token, "lyapunov takes 1 argument: which exponent");
    if (!elaborate_integer(e, tree->first, "an exponent", 1, &exponent)) return false;
    if (exponent > all)
        return elaborate_fail(
            e, &tree->first->token,
            "there are %d exponents, one for each component of (q,p)%s; found %ld", all,
            e->model->nholonomic ? " left by the constraints" : "", exponent);
    quantity->exponent = (int)exponent;
    quantity->rows = 1;
    return true;
}

bool elaborate_tangent(struct elaborate *e, const struct tree *tree,
                       struct definition_quantity *quantity, struct value *value) {
    const bool is_word = (tree->kind == TREE_NAME || tree->kind == TREE_CALL) &&
                         elaborate_is_tangent(&tree->token) &&
                         !symbol_find(&e->names, &tree->token);
    if (!is_word) return true;
    quantity->tangent = lex_is(&tree->token, "megno") ? NOE_MEGNO : NOE_LYAPUNOV;
    quantity->rows = 1;
    if (quantity->tangent == NOE_LYAPUNOV && !read_exponents(e, tree, quantity)) return false;
    if (quantity->tangent == NOE_MEGNO && tree->kind == TREE_CALL)
        return elaborate_fail(e, &tree->token, "megno takes no argument: write 'megno'");
    *value = value_number(&e->make, 0);
    if (quantity->rows == 1) return true;
    int *node = value_make(&e->make, value, 1, quantity->rows, 1);
    for (int i = 0; node && i < quantity->rows; i++) node[i] = graph_number(e->make.graph, 0);
    return node ? true : elaborate_fail_made(e, tree->token.line, tree->token.column);
}
