/* First and second derivatives of a Lagrangian: generated from text against written by hand. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forces.h"
#include "noether_model.h"
#include "problem.h"
#include "race.h"
#include "timing.h"

enum { POINTS = 16, PARTICLES = 200 };
static const double seconds_a_round = 0.02;

#define ARGUMENTS const struct noe_system *s, double t, const double *q, const double *v
#define UNUSED    (void)s, (void)t, (void)q, (void)v
#define PASSED    s, t, q, v

/* --- Double pendulum; dense blocks of four. */

static void pendulum_first(ARGUMENTS, double *p, double *w) {
    UNUSED;
    forces_pendulum_first(q, v, p, w);
}

static void pendulum_second(ARGUMENTS, double *p, double *w, double *d) {
    UNUSED;
    forces_pendulum_second(q, v, p, w, d);
}

/* --- Outer solar system; dense blocks of 18 by 18, mostly zero. */

enum { N = 3 * BODIES };
static double mass[BODIES];

static void planets_first(ARGUMENTS, double *p, double *w) {
    UNUSED;
    double a[N];
    forces_planets(q, a);
    for (int i = 0; i < N; i++) {
        p[i] = mass[i / 3] * v[i];
        w[i] = mass[i / 3] * a[i];
    }
}

static void planets_second(ARGUMENTS, double *p, double *w, double *d) {
    UNUSED;
    planets_first(PASSED, p, w);
    memset(d, 0, 4 * N * N * sizeof *d);
    for (int i = 0; i < N; i++) d[i * N + i] = mass[i / 3];
    double *wq = d + 3 * N * N;
    for (int i = 1; i < BODIES; i++) {
        for (int j = 0; j < i; j++) {
            const double *x = q + 3 * i, *y = q + 3 * j;
            const double e[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
            const double r2 = e[0] * e[0] + e[1] * e[1] + e[2] * e[2], inverse = 1 / r2;
            const double f = forces_gravity[j] * mass[i] * inverse / sqrt(r2), g = 3 * f * inverse;
            for (int k = 0; k < 9; k++) {
                const double value = f * (k % 4 == 0) - g * e[k / 3] * e[k % 3];
                double *on_i = wq + (3 * i + k / 3) * N + k % 3;
                double *on_j = wq + (3 * j + k / 3) * N + k % 3;
                on_i[3 * j] = on_j[3 * i] = value;
                on_i[3 * i] -= value;
                on_j[3 * j] -= value;
            }
        }
    }
}

/* --- Toda lattice on a ring; row by row at i-1, i, i+1 in the order of the columns. */

static void toda_first(ARGUMENTS, double *p, double *w) {
    UNUSED;
    double before = exp(q[PARTICLES - 1] - q[0]);
    for (int i = 0; i < PARTICLES; i++) {
        const double after = exp(q[i] - q[(i + 1) % PARTICLES]);
        p[i] = v[i];
        w[i] = before - after;
        before = after;
    }
}

static void toda_second(ARGUMENTS, double *p, double *w, double *d) {
    UNUSED;
    const int nz = 3 * PARTICLES, last = PARTICLES - 1;
    double before = exp(q[last] - q[0]), *wq = d + 3 * nz;
    memset(d, 0, 3 * (size_t)nz * sizeof *d);
    for (int i = 0; i < PARTICLES; i++) {
        const double after = exp(q[i] - q[i < last ? i + 1 : 0]);
        const int diagonal = i == 0 ? 0 : i == last ? 2 : 1; /* the ring's ends are out of order */
        p[i] = v[i];
        w[i] = before - after;
        d[3 * i + diagonal] = 1;
        wq[3 * i + (i == 0 ? 2 : i == last ? 1 : 0)] = before;
        wq[3 * i + diagonal] = -before - after;
        wq[3 * i + (i == 0 ? 1 : i == last ? 0 : 2)] = after;
        before = after;
    }
}

static const char toda_model[] =
    "param n = 200\n"
    "coord q[200]\n"
    "L = sum(i = 1..n, q[i]'^2/2) - sum(i = 1..n-1, exp(q[i] - q[i+1])) - exp(q[n] - q[1])\n";

/* --- Races. */

struct subject {
    const struct noe_system *system;
    void (*first)(ARGUMENTS, double *p, double *w); /* one of the two */
    void (*second)(ARGUMENTS, double *p, double *w, double *d);
    double *q, *v, *p, *w, *d; /* POINTS points; one set of results */
    long repeats;
};

static double evaluate(void *data) {
    const struct subject *at = data;
    const int n = at->system->n;
    for (long k = 0; k < at->repeats; k++) {
        const double *q = at->q + k % POINTS * n, *v = at->v + k % POINTS * n;
        if (at->first)
            at->first(at->system, 0, q, v, at->p, at->w);
        else
            at->second(at->system, 0, q, v, at->p, at->w, at->d);
    }
    return 1.0 / (double)at->repeats;
}

static double *reserve(size_t count) {
    double *room = calloc(count, sizeof *room);
    if (!room) abort();
    return room;
}

/* Points near q, all different, so that no evaluation can reuse the previous one. */
static struct subject subject(const struct noe_system *system, const double *q) {
    const size_t n = (size_t)system->n;
    struct subject at = {.system = system, .repeats = POINTS};
    at.q = reserve(2 * POINTS * n);
    at.v = at.q + POINTS * n;
    at.p = reserve(2 * n + 4 * (size_t)system->nz);
    at.w = at.p + n;
    at.d = at.w + n;
    for (size_t i = 0; i < POINTS * n; i++) {
        at.q[i] = (q ? q[i % n] : 0) + 0.1 * sin((double)i);
        at.v[i] = cos((double)i);
    }
    return at;
}

static void race(const char *name, const char *what, struct subject *by_hand,
                 struct subject *generated) {
    struct timing_entry entries[2] = {{evaluate, by_hand, {0}}, {evaluate, generated, {0}}};
    for (int i = 0; i < 2; i++) {
        struct subject *at = entries[i].data;
        at->repeats = POINTS;
        const double begin = timing_seconds();
        evaluate(at);
        const double seconds = fmax(timing_seconds() - begin, 1e-7) / POINTS;
        at->repeats = POINTS * (1 + (long)(seconds_a_round / seconds / POINTS));
    }
    const int count = 2 * by_hand->system->n + (by_hand->first ? 0 : 4 * by_hand->system->nz);
    const double error = race_difference(count, generated->p, by_hand->p);
    timing_interleave(2, entries);
    const struct timing_spread hand = timing_of(&entries[0]), time = timing_of(&entries[1]);
    const struct timing_spread ratio = timing_ratio(&entries[1], &entries[0]);
    timing_row("%s|%s|%.1f|%.1f|%.2f [%.2f %.2f]|%.0e", name, what, 1e9 * hand.median,
               1e9 * time.median, ratio.median, ratio.low, ratio.high, error);
}

static void study(const char *name, const char *text, const double *q, const struct subject *hand) {
    struct noe_model *model;
    struct noe_error error;
    if (noe_model_open_text(&model, name, text, NULL, &error) != NOE_OK) {
        fprintf(stderr, "%s: %s\n", name, error.text);
        exit(1);
    }
    struct subject by_hand = subject(model->system, q), generated = subject(model->system, q);
    by_hand.first = hand->first;
    generated.first = model->system->first;
    race(name, "first", &by_hand, &generated);
    by_hand.first = generated.first = NULL;
    by_hand.second = hand->second;
    generated.second = model->system->second;
    race(name, "second", &by_hand, &generated);
    free(by_hand.q), free(by_hand.p), free(generated.q), free(generated.p);
    noe_model_free(model);
}

int main(void) {
    for (int i = 0; i < BODIES; i++) mass[i] = forces_gravity[i] / 2.95912208286e-4;
    timing_report_open("derivatives", "First and second derivatives: generated and by hand");
    timing_head("system    |derivatives|by hand ns|generated ns|                 ratio|difference");
    study("pendulum", problem_pendulum.model, problem_pendulum.q,
          &(struct subject){.first = pendulum_first, .second = pendulum_second});
    study("planets", problem_planets.model, problem_planets.q,
          &(struct subject){.first = planets_first, .second = planets_second});
    study("toda 200", toda_model, NULL,
          &(struct subject){.first = toda_first, .second = toda_second});
    timing_report_close();
    return 0;
}
