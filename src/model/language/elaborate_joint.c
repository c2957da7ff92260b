/* Joints between rigid bodies as constraint residuals: spherical, distance, revolute, fixed. */
/* SPDX-License-Identifier: MIT */
#include "model/language/elaborate.h"

/* A body in an argument list: rotation, position, a point in its frame and, for a revolute joint,
 * an axis in its frame. The ground is I, [0, 0, 0]. */
struct body {
    const struct value *R, *x, *a, *u;
};

static bool apply(struct elaborate *e, const char *function, struct value *result,
                  const struct value *a, const struct value *b) {
    const struct value both[2] = {*a, b ? *b : *a};
    return value_function_find(function)->apply(&e->make, result, b ? 2 : 1, both);
}

static bool join(struct elaborate *e, char op, struct value *result, const struct value *a,
                 const struct value *b) {
    return value_join(&e->make, op, result, a, b);
}

/* x1 + R1 a1 - x2 - R2 a2. */
static bool make_spherical(struct elaborate *e, const struct body *one, const struct body *two,
                           struct value *result) {
    struct value arm[2], point[2];
    return join(e, '*', &arm[0], one->R, one->a) && join(e, '*', &arm[1], two->R, two->a) &&
           join(e, '+', &point[0], one->x, &arm[0]) && join(e, '+', &point[1], two->x, &arm[1]) &&
           join(e, '-', result, &point[0], &point[1]);
}

static bool make_distance(struct elaborate *e, const struct body *one, const struct body *two,
                          struct value *result) {
    struct value between;
    return make_spherical(e, one, two, &between) && apply(e, "norm", result, &between, NULL);
}

/* Concatenates a vector and `count` more components. */
static bool append(struct elaborate *e, struct value *result, const struct value *first, int count,
                   const int *rest) {
    int *node = value_make(&e->make, result, 1, first->rows + count, 1);
    for (int i = 0; node && i < first->rows; i++) node[i] = first->node[i];
    for (int i = 0; node && i < count; i++) node[first->rows + i] = rest[i];
    return node != NULL;
}

/* Unit vector along cross(u, other). */
static bool make_normal(struct elaborate *e, const struct value *u, const struct value *other,
                        struct value *normal) {
    struct value across, length;
    return apply(e, "cross", &across, u, other) && apply(e, "norm", &length, &across, NULL) &&
           join(e, '/', normal, &across, &length);
}

/* Coordinate axis that is farthest from a constant axis u. */
static bool find_unit(struct elaborate *e, const struct lex_token *where, const struct value *u,
                      struct value *unit) {
    real size[3], largest = 0;
    int best = 0;
    for (int i = 0; i < 3; i++) {
        if (graph_depends(e->make.graph, u->node[i]))
            return elaborate_fail(e, where,
                                  "the axis of a revolute joint must be fixed in its body");
        if (!elaborate_constant(e, u->node[i], &size[i])) return false;
        size[i] = noe_abs(size[i]);
        largest = noe_max(largest, size[i]);
        if (size[i] < size[best]) best = i;
    }
    if (!(largest > 0)) return elaborate_fail(e, where, "the axis of a revolute joint is zero");
    int *node = value_make(&e->make, unit, 1, 3, 1);
    for (int i = 0; node && i < 3; i++) node[i] = graph_number(e->make.graph, i == best);
    return node != NULL;
}

/* The points coincide, and R2 u2 is normal to two vectors that are normal to R1 u1. */
static bool make_revolute(struct elaborate *e, const struct lex_token *where,
                          const struct body *one, const struct body *two, struct value *result) {
    struct value point, unit, normal[2], axis, in_space, product;
    int row[2];
    if (!find_unit(e, where, one->u, &unit) || !make_spherical(e, one, two, &point) ||
        !make_normal(e, one->u, &unit, &normal[0]) ||
        !make_normal(e, one->u, &normal[0], &normal[1]) || !join(e, '*', &axis, two->R, two->u))
        return false;
    for (int i = 0; i < 2; i++) {
        if (!join(e, '*', &in_space, one->R, &normal[i]) ||
            !apply(e, "dot", &product, &in_space, &axis))
            return false;
        row[i] = product.scalar;
    }
    return append(e, result, &point, 2, row);
}

/* The points coincide, and R1^T R2 is symmetric, because only three of the nine equations R1 = R2
 * are independent. Rotations by half a turn satisfy them too, but a continuous motion does not
 * reach those. */
static bool make_fixed(struct elaborate *e, const struct body *one, const struct body *two,
                       struct value *result) {
    struct graph *graph = e->make.graph;
    struct value point, inverse, turn;
    int row[3];
    if (!make_spherical(e, one, two, &point) || !apply(e, "transpose", &inverse, one->R, NULL) ||
        !join(e, '*', &turn, &inverse, two->R))
        return false;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const int twice = graph_sub(graph, turn.node[3 * k + j], turn.node[3 * j + k]);
        row[i] = graph_mul(graph, graph_number(graph, (real)0.5), twice);
    }
    return append(e, result, &point, 3, row);
}

enum joint { SPHERICAL, DISTANCE, REVOLUTE, FIXED, JOINTS };

static const struct {
    const char *name, *form;
    int count;
} joints[JOINTS] = {
    [SPHERICAL] = {"spherical", "spherical(R1, x1, a1, R2, x2, a2)", 6},
    [DISTANCE] = {"distance", "distance(R1, x1, a1, R2, x2, a2)", 6},
    [REVOLUTE] = {"revolute", "revolute(R1, x1, a1, u1, R2, x2, a2, u2)", 8},
    [FIXED] = {"fixed", "fixed(R1, x1, a1, R2, x2, a2)", 6},
};

static bool check_shapes(struct elaborate *e, const struct tree *tree, enum joint joint,
                         const struct value *argument) {
    const struct tree *at = tree->first;
    char shape[VALUE_SHAPE_MAX];
    for (int i = 0; i < joints[joint].count; i++, at = at->next) {
        const bool is_rotation = i % (joints[joint].count / 2) == 0;
        const struct value *value = &argument[i];
        const bool fits = is_rotation ? value->rank == 2 && value->rows == 3 && value->cols == 3
                                      : value_is_vector(value, 3);
        if (!fits)
            return elaborate_fail(e, &at->token, "%s: expected a %s, found a %s",
                                  joints[joint].form, is_rotation ? "matrix 3x3" : "vector of 3",
                                  value_shape(value, shape));
    }
    return true;
}

/* These names are not reserved. Without arguments they denote the model's own names. */
bool elaborate_joint(struct elaborate *e, const struct tree *tree, bool *is_one,
                     struct value *value) {
    int joint = 0, count = 0;
    while (joint < JOINTS && !lex_is(&tree->token, joints[joint].name)) joint++;
    *is_one = joint < JOINTS;
    if (!*is_one) return false;
    const struct value *argument = elaborate_children(e, tree, &count);
    if (!argument) return false;
    if (count != joints[joint].count)
        return elaborate_fail(e, &tree->token, "expected %s, found %d arguments",
                              joints[joint].form, count);
    if (!check_shapes(e, tree, (enum joint)joint, argument)) return false;
    const struct value *second = argument + count / 2;
    const bool has_axis = joint == REVOLUTE;
    const struct body one = {argument, argument + 1, argument + 2, has_axis ? argument + 3 : NULL};
    const struct body two = {second, second + 1, second + 2, has_axis ? second + 3 : NULL};
    const bool is_made = joint == SPHERICAL  ? make_spherical(e, &one, &two, value)
                         : joint == DISTANCE ? make_distance(e, &one, &two, value)
                         : joint == FIXED    ? make_fixed(e, &one, &two, value)
                                             : make_revolute(e, &tree->token, &one, &two, value);
    if (is_made || e->failed) return is_made;
    return elaborate_fail_made(e, tree->token.line, tree->token.column);
}
