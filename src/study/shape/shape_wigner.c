/* Wigner d-functions by recursion over the degree, and the rotation of spherical harmonics. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "study/shape/shape.h"

bool shape_wigner_make(struct shape_wigner *w, int band) {
    const size_t plane = (size_t)band * (size_t)band, line = (size_t)band + 1;
    *w = (struct shape_wigner){.band = band};
    w->block = calloc(6 * plane + 4 * line, sizeof *w->block);
    if (!w->block) return false;
    w->p = w->block;
    w->n = w->p + plane;
    w->p_last = w->n + plane;
    w->n_last = w->p_last + plane;
    w->p_before = w->n_last + plane;
    w->n_before = w->p_before + plane;
    w->edge = w->n_before + plane;
    w->inverse = w->edge + 2 * line;
    w->root = w->inverse + line;
    return true;
}

void shape_wigner_clear(struct shape_wigner *w) {
    free(w->block);
    *w = (struct shape_wigner){0};
}

void shape_wigner_begin(struct shape_wigner *w, real cosine, real sine) {
    const size_t plane = (size_t)w->band * (size_t)w->band;
    memset(w->block, 0, 6 * plane * sizeof *w->block);
    w->l = 0;
    w->cosine = cosine;
    /* The half angle lies in [0, pi/2]. Both formulas avoid cancellation. */
    w->half_cosine = cosine >= 0 ? noe_sqrt((1 + cosine) / 2) : sine / noe_sqrt(2 * (1 - cosine));
    w->half_sine = cosine < 0 ? noe_sqrt((1 - cosine) / 2) : sine / noe_sqrt(2 * (1 + cosine));
    w->p[0] = w->n[0] = w->edge[w->band] = 1;
}

/* d^l_lk = sqrt(C(2l, l+k)) cos^(l+k) (-sin)^(l-k) of the half angle, up to the sign, from that of
 * degree l - 1. */
static void next_edge(struct shape_wigner *w) {
    const int l = w->l;
    const real c = w->half_cosine, s = w->half_sine;
    real *edge = w->edge + w->band;
    const real first = edge[1 - l], last = edge[l - 1];
    for (int k = 1 - l; k < l; k++)
        edge[k] *= noe_sqrt((real)(2 * l) * (2 * l - 1) / ((real)(l + k) * (l - k))) * c * s;
    edge[l] = c * c * last;
    edge[-l] = s * s * first;
}

static void set_edges(struct shape_wigner *w) {
    const int l = w->l, band = w->band;
    const real *edge = w->edge + w->band;
    for (int k = 0; k <= l; k++) {
        const real sign_l = l % 2 ? -1 : 1, sign_k = k % 2 ? -1 : 1;
        w->p[l * band + k] = edge[k];
        w->p[k * band + l] = sign_l * sign_k * edge[k];
        w->n[l * band + k] = sign_k * edge[-k];
        w->n[k * band + l] = sign_l * edge[-k];
    }
}

static void swap_planes(struct shape_wigner *w) {
    real *p = w->p_before, *n = w->n_before;
    w->p_before = w->p_last, w->n_before = w->n_last;
    w->p_last = w->p, w->n_last = w->n;
    w->p = p, w->n = n;
}

/* From degrees l and l - 1 to l + 1, which is stable for increasing l (Kostelec and Rockmore 2008):
 * d^{l+1}_mk sqrt(((l+1)^2 - m^2)((l+1)^2 - k^2)) = (l+1)(2l+1)(cos - mk/(l(l+1))) d^l_mk
 *                                        - (l+1)/l sqrt((l^2 - m^2)(l^2 - k^2)) d^{l-1}_mk.
 * If m or k is l + 1, the closed form applies. */
void shape_wigner_next(struct shape_wigner *w) {
    const int l = w->l++, band = w->band;
    swap_planes(w);
    next_edge(w);
    for (int m = 0; m <= l; m++) {
        w->inverse[m] = 1 / noe_sqrt((real)(l + 1 - m) * (l + 1 + m));
        w->root[m] = noe_sqrt((real)(l - m) * (l + m));
    }
    const real share = l ? 1 / ((real)l * (l + 1)) : 0, before = l ? (real)(l + 1) / l : 0;
    for (int m = 0; m <= l; m++) {
        const real scale = (real)(l + 1) * (2 * l + 1) * w->inverse[m];
        const real slope = m * share * scale, back = before * w->root[m] * w->inverse[m];
        const int row = m * band;
        for (int k = 0; k <= l; k++) {
            const real level = scale * w->cosine, tilt = slope * k, past = back * w->root[k];
            w->p[row + k] =
                w->inverse[k] * ((level - tilt) * w->p_last[row + k] - past * w->p_before[row + k]);
            w->n[row + k] =
                w->inverse[k] * ((level + tilt) * w->n_last[row + k] - past * w->n_before[row + k]);
        }
    }
    set_edges(w);
}

bool shape_turn_make(struct shape_turn *turn, int band) {
    *turn = (struct shape_turn){0};
    turn->row = calloc(8 * ((size_t)band + 1), sizeof *turn->row);
    return turn->row && shape_wigner_make(&turn->wigner, band);
}

void shape_turn_clear(struct shape_turn *turn) {
    shape_wigner_clear(&turn->wigner);
    free(turn->row);
    turn->row = NULL;
}

/* cos and sin of multiples of an angle, band + 1 of each. */
static void multiples(int band, real cosine, real sine, real *c, real *s) {
    c[0] = 1;
    s[0] = 0;
    const real angle = noe_atan2(sine, cosine);
    for (int m = 1; m <= band; m++) {
        c[m] = noe_cos(m * angle);
        s[m] = noe_sin(m * angle);
    }
}

/* Euler angles, R = Rz(alpha) Ry(beta) Rz(gamma). If beta is 0 or pi, only alpha +- gamma is
 * determined: alpha is chosen, and gamma follows from R. */
struct euler {
    real alpha[2], beta[2], gamma[2]; /* cosine and sine */
};

static struct euler euler_of(const real *R) {
    struct euler e = {{1, 0}, {R[8], 0}, {1, 0}};
    e.beta[1] = noe_sqrt(R[2] * R[2] + R[5] * R[5]);
    if (e.beta[1] > 0) {
        e.alpha[0] = R[2] / e.beta[1];
        e.alpha[1] = R[5] / e.beta[1];
    }
    const real size = noe_sqrt(e.beta[0] * e.beta[0] + e.beta[1] * e.beta[1]);
    e.beta[0] /= size;
    e.beta[1] /= size;
    e.gamma[1] = e.alpha[0] * R[3] - e.alpha[1] * R[0];
    e.gamma[0] = e.alpha[0] * R[4] - e.alpha[1] * R[1];
    return e;
}

/* U(R) = Z(alpha) T(beta) Z(gamma) on cosine and sine orders. Z rotates the two components of order
 * m by m times the angle. T combines cosines by p + n and sines by p - n, with order 0 counted
 * half. */
void shape_turn_back(struct shape_turn *turn, const real *R, const real *g, real *h) {
    const real half = noe_sqrt((real)0.5);
    const int band = turn->wigner.band, line = band + 1;
    const struct euler e = euler_of(R);
    real *ca = turn->row, *sa = ca + line, *cg = sa + line, *sg = cg + line;
    real *even = sg + line, *odd = even + line;
    multiples(band, e.alpha[0], e.alpha[1], ca, sa);
    multiples(band, e.gamma[0], e.gamma[1], cg, sg);
    shape_wigner_begin(&turn->wigner, e.beta[0], e.beta[1]);
    for (int l = 0; l < band; l++) {
        if (l) shape_wigner_next(&turn->wigner);
        const real *gl = g + shape_at(l, 0);
        real *hl = h + shape_at(l, 0);
        memset(even, 0, 2 * (size_t)line * sizeof *even);
        for (int m = 0; m <= l; m++) {
            const real c = m ? ca[m] * gl[m] + sa[m] * gl[-m] : half * gl[0];
            const real s = m ? ca[m] * gl[-m] - sa[m] * gl[m] : 0;
            const real *p = turn->wigner.p + m * band, *n = turn->wigner.n + m * band;
            for (int k = 0; k <= l; k++) {
                even[k] += c * (p[k] + n[k]);
                odd[k] += s * (p[k] - n[k]);
            }
        }
        hl[0] = half * even[0];
        for (int k = 1; k <= l; k++) {
            hl[k] = cg[k] * even[k] + sg[k] * odd[k];
            hl[-k] = cg[k] * odd[k] - sg[k] * even[k];
        }
    }
}

/* Derivatives of rotations. About z: (a_m, a_-m) -> (-m a_-m, m a_m). About y: the ladder of
 * orders, with order 0 weighted by sqrt(2). About x: the commutator of the two, because they
 * represent so(3). */

static void rate_z(int band, const real *a, real *b) {
    for (int l = 0; l < band; l++)
        for (int m = 0; m <= l; m++) {
            const real cosine = a[shape_at(l, m)], sine = a[shape_at(l, -m)];
            b[shape_at(l, m)] = -m * sine;
            b[shape_at(l, -m)] = m * cosine;
        }
}

static void rate_y(int band, const real *a, real *b) {
    memset(b, 0, (size_t)band * (size_t)band * sizeof *b);
    for (int l = 1; l < band; l++)
        for (int m = 0; m < l; m++) {
            const real up = noe_sqrt((real)(l - m) * (l + m + 1)) / 2;
            const real step = m ? up : noe_sqrt((real)2) * up;
            b[shape_at(l, m + 1)] += step * a[shape_at(l, m)];
            b[shape_at(l, m)] -= step * a[shape_at(l, m + 1)];
            if (m == 0) continue;
            b[shape_at(l, -m - 1)] += step * a[shape_at(l, -m)];
            b[shape_at(l, -m)] -= step * a[shape_at(l, -m - 1)];
        }
}

static void rate_x(int band, const real *a, real *b) {
    memset(b, 0, (size_t)band * (size_t)band * sizeof *b);
    for (int l = 1; l < band; l++)
        for (int m = 0; m < l; m++) {
            const real up = noe_sqrt((real)(l - m) * (l + m + 1)) / 2;
            const real step = m ? up : noe_sqrt((real)2) * up;
            b[shape_at(l, -m - 1)] -= step * a[shape_at(l, m)];
            b[shape_at(l, m)] += step * a[shape_at(l, -m - 1)];
            if (m == 0) continue;
            b[shape_at(l, m + 1)] += step * a[shape_at(l, -m)];
            b[shape_at(l, -m)] -= step * a[shape_at(l, m + 1)];
        }
}

void shape_rate(int band, int axis, const real *a, real *b) {
    if (axis == 0) rate_x(band, a, b);
    if (axis == 1) rate_y(band, a, b);
    if (axis == 2) rate_z(band, a, b);
}
