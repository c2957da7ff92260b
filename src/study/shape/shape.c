/* Shapes on the sphere: real spherical harmonics, and the correlation of two shapes over SO(3). */
/* SPDX-License-Identifier: MIT */
#include "study/shape/shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"

static const real PI = (real)3.14159265358979323846264338327950288L;

enum noe_status noe_shape_create(struct noe_shape **shape, int band, struct noe_error *error) {
    *shape = NULL;
    if (band < 1 || band > NOE_SHAPE_BAND_MAX)
        return status_set(error, NOE_BAD_INPUT,
                          "the band of a shape must be within 1 .. %d, not %d", NOE_SHAPE_BAND_MAX,
                          band);
    struct noe_shape *made = calloc(1, sizeof *made);
    if (made) made->c = calloc((size_t)band * (size_t)band, sizeof *made->c);
    if (!made || !made->c) {
        free(made);
        return status_set(error, NOE_NO_MEMORY, "out of memory for a shape");
    }
    made->band = band;
    *shape = made;
    return NOE_OK;
}

void noe_shape_free(struct noe_shape *shape) {
    if (shape) free(shape->c);
    free(shape);
}

enum noe_status noe_shape_relief(struct noe_shape **shape, int band, unsigned long seed,
                                 struct noe_error *error) {
    const enum noe_status status = noe_shape_create(shape, band, error);
    for (int l = 1; status == NOE_OK && l < band; l++) {
        struct splitmix stream = splitmix_open(seed, l);
        const real size = 1 / noe_sqrt((real)l * (l + 1) * (2 * l + 1));
        for (int m = -l; m <= l; m++)
            (*shape)->c[shape_at(l, m)] = size * (real)splitmix_normal(&stream);
    }
    return status;
}

/* Normalised Legendre functions without their factor sin^m, which is contained in the real and
 * imaginary part of (x + i y)^m. They are polynomials in x, y, z, so that nothing is singular at
 * the poles.
 *   P_{l+1,m} = e_{l+1} (z P_lm - P_{l-1,m}/e_l),  e_l = sqrt((4 l^2 - 1)/(l^2 - m^2)). */
void shape_harmonics(int band, const real *x, real *y) {
    real diagonal = 1 / noe_sqrt(4 * PI), cosine = 1, sine = 0;
    for (int m = 0; m < band; m++) {
        real last = 0, now = m ? noe_sqrt((real)2) * diagonal : diagonal, inverse = 0;
        for (int l = m; l < band; l++) {
            const real factor =
                noe_sqrt((real)(2 * l + 1) * (2 * l + 3) / ((real)(l + 1 - m) * (l + 1 + m)));
            const real next = factor * (x[2] * now - inverse * last);
            y[shape_at(l, m)] = now * cosine;
            if (m) y[shape_at(l, -m)] = now * sine;
            last = now;
            now = next;
            inverse = 1 / factor;
        }
        const real turned = x[0] * cosine - x[1] * sine;
        sine = x[0] * sine + x[1] * cosine;
        cosine = turned;
        diagonal *= noe_sqrt((real)(2 * m + 3) / (2 * m + 2));
    }
}

noe_real noe_shape_value(const struct noe_shape *shape, const noe_real *x) {
    const size_t count = (size_t)shape->band * (size_t)shape->band;
    const real size = noe_sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    const real direction[3] = {x[0] / size, x[1] / size, x[2] / size};
    real *y = malloc(count * sizeof *y), sum = 0;
    if (!y) return (real)NAN;
    shape_harmonics(shape->band, direction, y);
    for (size_t i = 0; i < count; i++) sum += shape->c[i] * y[i];
    free(y);
    return sum;
}

real shape_power(const struct noe_shape *shape, int l) {
    real sum = 0;
    for (int m = -l; m <= l; m++) sum += shape->c[shape_at(l, m)] * shape->c[shape_at(l, m)];
    return sum;
}

/* Rotates by applying the transpose for the inverse rotation. */
enum noe_status noe_shape_rotate(struct noe_shape **turned, const struct noe_shape *shape,
                                 const noe_real *R, struct noe_error *error) {
    const real inverse[9] = {R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]};
    struct shape_turn turn;
    enum noe_status status = noe_shape_create(turned, shape->band, error);
    if (status != NOE_OK) return status;
    if (shape_turn_make(&turn, shape->band)) {
        shape_turn_back(&turn, inverse, shape->c, (*turned)->c);
    } else {
        noe_shape_free(*turned);
        *turned = NULL;
        status = status_set(error, NOE_NO_MEMORY, "out of memory to turn a shape");
    }
    shape_turn_clear(&turn);
    return status;
}

struct objective {
    struct noe_objective public; /* must be first: its address is that of the struct */
    struct noe_factor factor;
    int band;
    struct shape_turn turn;
    const real *f, *g;
    real *rate[3]; /* derivatives of f by rotation about the three axes */
    real *h;       /* g rotated by the inverse */
};

static real dot_from_degree_1(int band, const real *a, const real *b) {
    real sum = 0;
    for (int i = 1; i < band * band; i++) sum += a[i] * b[i];
    return sum;
}

/* C(R) = <g, U(R) f> = <U(R)^T g, f>. The derivative of U(R exp(t e_i)) f is U(R) A_i f, so the
 * left trivialised gradient is <U(R)^T g, A_i f>. Neither involves Euler angles. */
static noe_real evaluate(const struct noe_objective *public, const noe_real *R,
                         noe_real *gradient) {
    struct objective *o = (struct objective *)public;
    shape_turn_back(&o->turn, R, o->g, o->h);
    for (int i = 0; i < 3; i++) gradient[i] = -dot_from_degree_1(o->band, o->h, o->rate[i]);
    return -dot_from_degree_1(o->band, o->h, o->f);
}

static void release(struct noe_objective *public) {
    struct objective *o = (struct objective *)public;
    shape_turn_clear(&o->turn);
    free(o->h);
    free(o);
}

enum noe_status noe_shape_objective(struct noe_objective **objective, const struct noe_shape *f,
                                    const struct noe_shape *g, int band, struct noe_error *error) {
    const int both = f->band < g->band ? f->band : g->band;
    if (band <= 0 || band > both) band = both;
    const size_t count = (size_t)band * (size_t)band;
    struct objective *o = calloc(1, sizeof *o);
    *objective = NULL;
    real *room = calloc(4 * count, sizeof *room);
    if (!o || !room || !shape_turn_make(&o->turn, band)) {
        if (o) shape_turn_clear(&o->turn);
        free(room);
        free(o);
        return status_set(error, NOE_NO_MEMORY, "out of memory for a correlation");
    }
    o->band = band;
    o->f = f->c;
    o->g = g->c;
    o->h = room;
    for (int i = 0; i < 3; i++) {
        o->rate[i] = room + (size_t)(i + 1) * count;
        shape_rate(band, i, f->c, o->rate[i]);
    }
    o->factor = (struct noe_factor){noe_space_find("so3"), 1};
    o->public = (struct noe_objective){.n = 3,
                                       .np = 9,
                                       .nfactors = 1,
                                       .factors = &o->factor,
                                       .evaluate = evaluate,
                                       .release = release};
    *objective = &o->public;
    return NOE_OK;
}
