/* Lie group operations on products of R^n, SO(3) and SE(3) as expressions: retractions, their
 * tangent maps and coadjoint action.
 *
 * A retraction of rotations is tau(w) = I + c1 w^ + c2 w^^2 with the tangent T = c1 I - c2 w^ +
 * c3 w w^T. That of poses is tau(w, v) = (tau(w), K(w) v) with K = T^T for exp and (I + tau(w))/2
 * for the others (spaces/so3_retraction.h, spaces/se3_retraction.h). */
/* SPDX-License-Identifier: MIT */
#include "model/control/transcribe_lie.h"

#include <stdlib.h>
#include <string.h>

enum { POSE_POINT = 9 }; /* index of the position, which follows the rotation matrix */
enum { STUMPFF_SUMMED = 4, STUMPFF_TERMS = 20 }; /* to round-off for t up to (2 pi)^2 */
enum { TAU_EXP = 1, TAU_CHORD, TAU_SKEW };       /* in the order of NOE_RETRACTIONS */

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

/* --- Retractions of rotations. */

/* Stumpff's function s_k(t) = sum_n (-t)^n/(2n + k)!, smooth at t = 0; for t up to (2 pi)^2. Two of
 * them are summed, and those below follow by s_k = 1/k! - t s_(k+2). */
static int stumpff(struct graph *g, int k, int t) {
    real factorial = 1;
    for (int i = 2; i <= k; i++) factorial *= i;
    const int first = graph_number(g, 1 / factorial), one = graph_number(g, 1);
    if (k < STUMPFF_SUMMED) return graph_sub(g, first, graph_mul(g, t, stumpff(g, k + 2, t)));
    int sum = one;
    for (int n = STUMPFF_TERMS; n > 0; n--) {
        const int ratio = graph_number(g, (real)-1 / ((2 * n + k - 1) * (2 * n + k)));
        sum = graph_add(g, one, graph_mul(g, graph_mul(g, ratio, t), sum));
    }
    return graph_mul(g, first, sum);
}

static int root(struct graph *g, int argument) {
    return graph_call(g, graph_function_find("sqrt"), argument, -1);
}

/* The coefficients of tau and T at w. */
struct turn {
    int c1, c2, c3;
};

static struct turn turn_at(struct graph *g, int tau, const int *w) {
    const int one = graph_number(g, 1), t = dot3(g, w, w);
    if (tau == TAU_EXP) return (struct turn){stumpff(g, 1, t), stumpff(g, 2, t), stumpff(g, 3, t)};
    if (tau == TAU_CHORD) {
        const int r = root(g, graph_sub(g, one, graph_mul(g, graph_number(g, (real)0.25), t)));
        const int c3 = graph_div(g, graph_number(g, (real)0.25), r);
        return (struct turn){r, graph_number(g, (real)0.5), c3};
    }
    if (tau == TAU_SKEW) {
        const int r = root(g, graph_sub(g, one, t)), c2 = graph_div(g, one, graph_add(g, one, r));
        return (struct turn){one, c2, graph_div(g, c2, r)};
    }
    const int k = graph_div(g, graph_number(g, 2), graph_add(g, graph_number(g, 4), t));
    return (struct turn){graph_mul(g, graph_number(g, 2), k), k, graph_number(g, 0)};
}

/* a + part (tau(w) - I) a. */
static void turn_part(struct graph *g, int tau, const int *w, real part, const int *a, int *c) {
    const struct turn turn = turn_at(g, tau, w);
    int once[3], twice[3];
    cross3(g, w, a, once);
    cross3(g, w, once, twice);
    scale3(g, turn.c1, once, once);
    add3(g, once, turn.c2, twice, once);
    add3(g, a, graph_number(g, part), once, c);
}

/* R tau(w): row i is tau(-w) times row i of R. */
static void compose(struct graph *g, int tau, const int *R, const int *w, int *product) {
    const int back[3] = {graph_neg(g, w[0]), graph_neg(g, w[1]), graph_neg(g, w[2])};
    for (int i = 0; i < 3; i++) turn_part(g, tau, back, 1, R + 3 * i, product + 3 * i);
}

/* c1 a + sign c2 w x a + c3 w (w.a): T a for sign -1, T^T a for sign 1. */
static void turn_tangent(struct graph *g, const struct turn *turn, const int *w, int sign,
                         const int *a, int *c) {
    int crossed[3], sum[3];
    const int along = graph_mul(g, turn->c3, dot3(g, w, a));
    const int across = graph_mul(g, graph_number(g, sign), turn->c2);
    cross3(g, w, a, crossed);
    scale3(g, turn->c1, a, sum);
    add3(g, sum, across, crossed, sum);
    add3(g, sum, along, w, c);
}

/* --- One factor. */

static bool is_pose(const struct noe_factor *factor) {
    return factor->space->kind.algebra == NOE_ALGEBRA_SE3;
}

static void so3_tangent(struct graph *g, int tau, const int *w, int sign, const int *a, int *c) {
    const struct turn turn = turn_at(g, tau, w);
    turn_tangent(g, &turn, w, sign, a, c);
}

/* K(w) a, or K(w)^T a = K(-w) a if sign is -1. */
static void carry(struct graph *g, int tau, const int *w, int sign, const int *a, int *c) {
    const int factor = graph_number(g, sign);
    int signed_w[3];
    if (tau == TAU_EXP) {
        so3_tangent(g, tau, w, sign, a, c);
        return;
    }
    scale3(g, factor, w, signed_w);
    turn_part(g, tau, signed_w, (real)0.5, a, c);
}

/* For exp: c += T'(w)[v] a for sign -1, T'(w)^T[v] a for sign 1. With s_k' = (k s_(k+2) -
 * s_(k+1))/2 it is 2 w.v (s1' a +- s2' w x a + s3' w (w.a)) +- s2 v x a + s3 (v (w.a) + w (v.a)).
 */
static void add_tangent_slope(struct graph *g, const int *w, const int *v, int sign, const int *a,
                              int *c) {
    const int t = dot3(g, w, w), twice = graph_mul(g, graph_number(g, 2), dot3(g, w, v));
    int s[6], slope[4], sum[3], crossed[3];
    for (int k = 1; k <= 5; k++) s[k] = stumpff(g, k, t);
    for (int k = 1; k <= 3; k++) {
        const int upper = graph_mul(g, graph_number(g, k), s[k + 2]);
        slope[k] = graph_mul(g, graph_number(g, (real)0.5), graph_sub(g, upper, s[k + 1]));
    }
    turn_tangent(g, &(const struct turn){slope[1], slope[2], slope[3]}, w, sign, a, sum);
    add3(g, c, twice, sum, c);
    cross3(g, v, a, crossed);
    add3(g, c, graph_mul(g, graph_number(g, sign), s[2]), crossed, c);
    add3(g, c, graph_mul(g, s[3], dot3(g, w, a)), v, c);
    add3(g, c, graph_mul(g, s[3], dot3(g, v, a)), w, c);
}

/* T on poses: exp (T a, T b + T'[v] a), others (T a, K^T b + (T a) x v/2). */
static void pose_tangent(struct graph *g, int tau, const int *x, const int *y, int *Ty) {
    const int *v = x + 3, half = graph_number(g, (real)0.5);
    int crossed[3];
    so3_tangent(g, tau, x, -1, y, Ty);
    carry(g, tau, x, -1, y + 3, Ty + 3);
    if (tau == TAU_EXP) {
        add_tangent_slope(g, x, v, -1, y, Ty + 3);
    } else {
        cross3(g, Ty, v, crossed);
        add3(g, Ty + 3, half, crossed, Ty + 3);
    }
}

/* T^T on poses: exp (T^T m + T'^T[v] f, T^T f), others (T^T (m + v x f/2), K f). */
static void pose_tangent_dual(struct graph *g, int tau, const int *x, const int *m, int *Tm) {
    const int *v = x + 3, *f = m + 3, half = graph_number(g, (real)0.5);
    int crossed[3];
    carry(g, tau, x, 1, f, Tm + 3);
    if (tau == TAU_EXP) {
        so3_tangent(g, tau, x, 1, m, Tm);
        add_tangent_slope(g, x, v, 1, f, Tm);
    } else {
        cross3(g, v, f, crossed);
        add3(g, m, half, crossed, crossed);
        so3_tangent(g, tau, x, 1, crossed, Tm);
    }
}

static void factor_tangent(struct graph *g, int tau, bool of_pose, const int *x, const int *y,
                           int *Ty) {
    if (of_pose)
        pose_tangent(g, tau, x, y, Ty);
    else
        so3_tangent(g, tau, x, -1, y, Ty);
}

static void make_slope(struct transcribe_slope *slope, int tau, bool of_pose) {
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
    factor_tangent(g, tau, of_pose, x, y, Ty);
    int sum = graph_number(g, 0);
    for (int i = 0; i < size; i++) sum = graph_add(g, sum, graph_mul(g, m[i], Ty[i]));
    graph_gradient(g, sum, GRAPH_POINT, size, slope->slope);
}

void transcribe_space_make(struct transcribe_space *space, struct graph *graph, int tau,
                           int nfactors, const struct noe_factor *factor) {
    space->graph = graph;
    space->tau = tau;
    space->nfactors = nfactors;
    space->factor = factor;
    make_slope(&space->rotation, tau, false);
    make_slope(&space->pose, tau, true);
    graph->failed |= space->rotation.graph.failed | space->pose.graph.failed;
}

void transcribe_space_clear(struct transcribe_space *space) {
    graph_clear(&space->rotation.graph);
    graph_clear(&space->pose.graph);
}

/* --- The product. */

void transcribe_retract(const struct transcribe_space *space, int tau, const int *g0, const int *x,
                        int *g1) {
    struct graph *g = space->graph;
    for (int f = 0; f < space->nfactors; f++) {
        const struct noe_factor *factor = &space->factor[f];
        const int size = factor->size;
        if (!factor->space->frame) {
            for (int i = 0; i < size; i++) g1[i] = graph_add(g, g0[i], x[i]);
        } else {
            int carried[3];
            compose(g, tau, g0, x, g1);
            if (is_pose(factor)) {
                carry(g, tau, x, 1, x + 3, carried);
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
            factor_tangent(space->graph, space->tau, is_pose(factor), x, y, Ty);
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
            pose_tangent_dual(space->graph, space->tau, x, m, Tm);
        else
            so3_tangent(space->graph, space->tau, x, 1, m, Tm);
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
            turn_part(g, space->tau, x, 1, m, at_start);
        else
            memcpy(at_start, m, (size_t)size * sizeof *m);
        if (factor->space->frame && is_pose(factor)) {
            int carried[3], moment[3];
            carry(g, space->tau, x, 1, x + 3, carried);
            turn_part(g, space->tau, x, 1, m + 3, at_start + 3);
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
