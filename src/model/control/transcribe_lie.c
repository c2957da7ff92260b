/* Lie group operations on products of R^n, SO(3) and SE(3) as expressions: Cayley retraction, its
 * tangent maps and coadjoint action. */
/* SPDX-License-Identifier: MIT */
#include "model/control/transcribe_lie.h"

#include <stdlib.h>
#include <string.h>

enum { POSE_POINT = 9 }; /* index of the position, which follows the rotation matrix */

/* --- 3-vectors and 3x3 matrices of nodes. */

static int dot3(struct graph *g, const int *a, const int *b) {
    const int ab = graph_add(g, graph_mul(g, a[0], b[0]), graph_mul(g, a[1], b[1]));
    return graph_add(g, ab, graph_mul(g, a[2], b[2]));
}

static void cross3(struct graph *g, const int *a, const int *b, int *c) {
    int result[3];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        result[i] = graph_sub(g, graph_mul(g, a[j], b[k]), graph_mul(g, a[k], b[j]));
    }
    memcpy(c, result, sizeof result);
}

/* c = a + s b. */
static void add3(struct graph *g, const int *a, int s, const int *b, int *c) {
    for (int i = 0; i < 3; i++) c[i] = graph_add(g, a[i], graph_mul(g, s, b[i]));
}

static void scale3(struct graph *g, int s, const int *a, int *c) {
    for (int i = 0; i < 3; i++) c[i] = graph_mul(g, s, a[i]);
}

static void apply3(struct graph *g, const int *A, const int *a, int *c) {
    const int row0 = dot3(g, A, a), row1 = dot3(g, A + 3, a), row2 = dot3(g, A + 6, a);
    c[0] = row0;
    c[1] = row1;
    c[2] = row2;
}

static void apply3_transposed(struct graph *g, const int *A, const int *a, int *c) {
    const int At[9] = {A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]};
    apply3(g, At, a, c);
}

/* k = 2/(4 + w.w). */
static int cayley_factor(struct graph *g, const int *w) {
    return graph_div(g, graph_number(g, 2), graph_add(g, graph_number(g, 4), dot3(g, w, w)));
}

/* cay(w) a = a + 2k (w x a + w x (w x a)/2). */
static void cayley_turn(struct graph *g, const int *w, const int *a, int *c) {
    int once[3], twice[3];
    const int two_k = graph_mul(g, graph_number(g, 2), cayley_factor(g, w));
    cross3(g, w, a, once);
    cross3(g, w, once, twice);
    add3(g, once, graph_number(g, (real)0.5), twice, once);
    add3(g, a, two_k, once, c);
}

/* K(w) a = (1 - w^/2)^-1 a = 2k (a + w x a/2 + w (w.a)/4), or K(-w) a if sign is -1. */
static void cayley_carry(struct graph *g, const int *w, int sign, const int *a, int *c) {
    int turned[3];
    const int two_k = graph_mul(g, graph_number(g, 2), cayley_factor(g, w));
    const int quarter = graph_mul(g, graph_number(g, (real)0.25), dot3(g, w, a));
    cross3(g, w, a, turned);
    add3(g, a, graph_number(g, sign * (real)0.5), turned, turned);
    add3(g, turned, quarter, w, turned);
    scale3(g, two_k, turned, c);
}

/* R cay(w): row i is cay(-w) times row i of R. */
static void cayley_compose(struct graph *g, const int *R, const int *w, int *product) {
    const int back[3] = {graph_neg(g, w[0]), graph_neg(g, w[1]), graph_neg(g, w[2])};
    for (int i = 0; i < 3; i++) cayley_turn(g, back, R + 3 * i, product + 3 * i);
}

/* --- One factor. */

static bool is_pose(const struct noe_factor *factor) {
    return factor->space->algebra == NOE_ALGEBRA_SE3;
}

/* dtau on SO(3) and its transpose: k (2 a -+ w x a). */
static void so3_tangent(struct graph *g, const int *w, int sign, const int *a, int *c) {
    int turned[3], twice[3];
    cross3(g, w, a, turned);
    scale3(g, graph_number(g, 2), a, twice);
    add3(g, twice, graph_number(g, sign), turned, turned);
    scale3(g, cayley_factor(g, w), turned, c);
}

/* dtau on SE(3): (k (2a - w x a), K(-w) (b - (K(w) v) x a / 2)). */
static void pose_tangent(struct graph *g, const int *x, const int *y, int *Ty) {
    int carried[3], turned[3];
    cayley_carry(g, x, 1, x + 3, carried);
    cross3(g, carried, y, turned);
    add3(g, y + 3, graph_number(g, (real)-0.5), turned, turned);
    cayley_carry(g, x, -1, turned, Ty + 3);
    so3_tangent(g, x, -1, y, Ty);
}

/* Transpose of dtau on SE(3): (k (2m + w x m) - (K(w) f) x (K(w) v) / 2, K(w) f). */
static void pose_tangent_dual(struct graph *g, const int *x, const int *m, int *Tm) {
    int carried[3], turned[3];
    cayley_carry(g, x, 1, x + 3, carried);
    cayley_carry(g, x, 1, m + 3, Tm + 3);
    cross3(g, Tm + 3, carried, turned);
    so3_tangent(g, x, 1, m, Tm);
    add3(g, Tm, graph_number(g, (real)-0.5), turned, Tm);
}

static void factor_tangent(struct graph *g, bool of_pose, const int *x, const int *y, int *Ty) {
    if (of_pose)
        pose_tangent(g, x, y, Ty);
    else
        so3_tangent(g, x, -1, y, Ty);
}

static void make_slope(struct transcribe_slope *slope, bool of_pose) {
    struct graph *g = &slope->graph;
    const int size = of_pose ? 6 : 3;
    int x[6], y[6], m[6], Ty[6];
    graph_init(g);
    slope->size = size;
    for (int i = 0; i < size; i++) {
        x[i] = graph_leaf(g, GRAPH_POINT, i);
        y[i] = graph_leaf(g, GRAPH_VELOCITY, i);
        m[i] = graph_leaf(g, GRAPH_VELOCITY, size + i);
    }
    factor_tangent(g, of_pose, x, y, Ty);
    int sum = graph_number(g, 0);
    for (int i = 0; i < size; i++) sum = graph_add(g, sum, graph_mul(g, m[i], Ty[i]));
    graph_gradient(g, sum, GRAPH_POINT, size, slope->slope);
}

void transcribe_space_make(struct transcribe_space *space, struct graph *graph, int nfactors,
                           const struct noe_factor *factor) {
    space->graph = graph;
    space->nfactors = nfactors;
    space->factor = factor;
    make_slope(&space->rotation, false);
    make_slope(&space->pose, true);
}

void transcribe_space_clear(struct transcribe_space *space) {
    graph_clear(&space->rotation.graph);
    graph_clear(&space->pose.graph);
}

/* --- The product. */

void transcribe_retract(const struct transcribe_space *space, const int *g0, const int *x,
                        int *g1) {
    struct graph *g = space->graph;
    for (int f = 0; f < space->nfactors; f++) {
        const struct noe_factor *factor = &space->factor[f];
        const int size = factor->size;
        if (!factor->space->frame) {
            for (int i = 0; i < size; i++) g1[i] = graph_add(g, g0[i], x[i]);
        } else {
            int carried[3];
            cayley_compose(g, g0, x, g1);
            if (is_pose(factor)) {
                cayley_carry(g, x, 1, x + 3, carried);
                apply3(g, g0, carried, carried);
                add3(g, g0 + POSE_POINT, graph_number(g, 1), carried, g1 + POSE_POINT);
            }
        }
        g0 += factor->space->point * size;
        g1 += factor->space->point * size;
        x += factor->space->tangent * size;
    }
}

void transcribe_tangent(const struct transcribe_space *space, const int *x, const int *y, int *Ty) {
    for (int f = 0; f < space->nfactors; f++) {
        const struct noe_factor *factor = &space->factor[f];
        const int size = factor->space->tangent * factor->size;
        if (factor->space->frame)
            factor_tangent(space->graph, is_pose(factor), x, y, Ty);
        else
            memcpy(Ty, y, (size_t)size * sizeof *Ty);
        x += size;
        y += size;
        Ty += size;
    }
}

void transcribe_tangent_dual(const struct transcribe_space *space, const int *x, const int *m,
                             int *Tm) {
    for (int f = 0; f < space->nfactors; f++) {
        const struct noe_factor *factor = &space->factor[f];
        const int size = factor->space->tangent * factor->size;
        if (!factor->space->frame)
            memcpy(Tm, m, (size_t)size * sizeof *Tm);
        else if (is_pose(factor))
            pose_tangent_dual(space->graph, x, m, Tm);
        else
            so3_tangent(space->graph, x, 1, m, Tm);
        x += size;
        m += size;
        Tm += size;
    }
}

struct slope_leaves {
    int size;
    const int *x, *y, *m;
};

static int slope_leaf(void *data, enum graph_op leaf, int index) {
    const struct slope_leaves *at = data;
    if (leaf == GRAPH_POINT) return at->x[index];
    return index < at->size ? at->y[index] : at->m[index - at->size];
}

static void copy_slope(struct graph *graph, const struct transcribe_slope *made,
                       struct slope_leaves leaves, int *slope) {
    int *copy = malloc((size_t)made->graph.count * sizeof *copy);
    if (!copy) {
        graph->failed = true;
        return;
    }
    for (int i = 0; i < made->graph.count; i++) copy[i] = -1;
    for (int i = 0; i < made->size; i++)
        slope[i] = graph_copy(graph, &made->graph, made->slope[i], copy, slope_leaf, &leaves);
    free(copy);
}

void transcribe_slope(const struct transcribe_space *space, const int *x, const int *y,
                      const int *m, int *slope) {
    for (int f = 0; f < space->nfactors; f++) {
        const struct noe_factor *factor = &space->factor[f];
        const int size = factor->space->tangent * factor->size;
        for (int i = 0; i < size; i++) slope[i] = graph_number(space->graph, 0);
        if (factor->space->frame)
            copy_slope(space->graph, is_pose(factor) ? &space->pose : &space->rotation,
                       (struct slope_leaves){size, x, y, m}, slope);
        x += size;
        y += size;
        m += size;
        slope += size;
    }
}

void transcribe_coadjoint(const struct transcribe_space *space, const int *x, const int *m,
                          int *at_start) {
    struct graph *g = space->graph;
    for (int f = 0; f < space->nfactors; f++) {
        const struct noe_factor *factor = &space->factor[f];
        const int size = factor->space->tangent * factor->size;
        if (factor->space->frame)
            cayley_turn(g, x, m, at_start);
        else
            memcpy(at_start, m, (size_t)size * sizeof *m);
        if (factor->space->frame && is_pose(factor)) {
            int carried[3], moment[3];
            cayley_carry(g, x, 1, x + 3, carried);
            cayley_turn(g, x, m + 3, at_start + 3);
            cross3(g, carried, at_start + 3, moment);
            add3(g, at_start, graph_number(g, 1), moment, at_start);
        }
        x += size;
        m += size;
        at_start += size;
    }
}

/* Axial vector of R0^T R1, whose length is the sine of the rotation angle. */
static void rotation_difference(struct graph *g, const int *R0, const int *R1, int *difference) {
    int product[9];
    for (int j = 0; j < 3; j++) { /* column j of the product */
        const int column[3] = {R1[j], R1[3 + j], R1[6 + j]};
        int turned[3];
        apply3_transposed(g, R0, column, turned);
        for (int i = 0; i < 3; i++) product[3 * i + j] = turned[i];
    }
    const int half = graph_number(g, (real)0.5);
    difference[0] = graph_mul(g, half, graph_sub(g, product[7], product[5]));
    difference[1] = graph_mul(g, half, graph_sub(g, product[2], product[6]));
    difference[2] = graph_mul(g, half, graph_sub(g, product[3], product[1]));
}

void transcribe_difference(const struct transcribe_space *space, const int *g0, const int *g1,
                           int *difference) {
    struct graph *g = space->graph;
    for (int f = 0; f < space->nfactors; f++) {
        const struct noe_factor *factor = &space->factor[f];
        if (!factor->space->frame) {
            for (int i = 0; i < factor->size; i++) difference[i] = graph_sub(g, g1[i], g0[i]);
        } else {
            rotation_difference(g, g0, g1, difference);
        }
        if (factor->space->frame && is_pose(factor)) {
            int gap[3];
            add3(g, g1 + POSE_POINT, graph_number(g, -1), g0 + POSE_POINT, gap);
            apply3_transposed(g, g0, gap, difference + 3);
        }
        g0 += factor->space->point * factor->size;
        g1 += factor->space->point * factor->size;
        difference += factor->space->tangent * factor->size;
    }
}
