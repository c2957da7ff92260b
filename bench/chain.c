/* Chains of coupled pendulums: the cost of a step must grow linearly with their number. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "forces.h"
#include "hand.h"
#include "noether.h"
#include "race.h"
#include "timing.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum { SOLVERS = 7 };
static const int lengths[] = {10, 30, 100, 300, 1000, 10000, 100000};
static const double step = 0.05;

/* --- The chain as callbacks: L = sum v_i^2/2 + g cos q_i - k/2 (q_i - q_(i-1))^2. */

#define ARGUMENTS const struct noe_system *s, double t, const double *q, const double *v
#define UNUSED    (void)s, (void)t, (void)q, (void)v

static double lagrangian(ARGUMENTS) {
    UNUSED;
    double sum = 0;
    for (int i = 0; i < s->n; i++) {
        const double stretch = i > 0 ? q[i] - q[i - 1] : 0;
        sum += v[i] * v[i] / 2 + CHAIN_GRAVITY * cos(q[i]) - CHAIN_SPRING / 2 * stretch * stretch;
    }
    return sum;
}

static void force(ARGUMENTS, double *w) {
    UNUSED;
    forces_chain(s->n, q, w);
}

static void first(ARGUMENTS, double *p, double *w) {
    UNUSED;
    for (int i = 0; i < s->n; i++) p[i] = v[i];
    forces_chain(s->n, q, w);
}

static void second(ARGUMENTS, double *p, double *w, double *d) {
    UNUSED;
    const int n = s->n;
    double *pv = d, *wq = d + 3 * s->nz, left = 0;
    for (int i = 0; i < n; i++) { /* p_q, w_v and p_v beside the diagonal are zero */
        const double x = q[i], sine = sin(x), cosine = cos(x); /* compilers fuse the two */
        const double right = i + 1 < n ? CHAIN_SPRING * (q[i + 1] - x) : 0;
        const double stiffness = ((i > 0) + (i + 1 < n)) * CHAIN_SPRING;
        p[i] = v[i];
        w[i] = right - left - CHAIN_GRAVITY * sine;
        left = right;
        if (i > 0) *wq++ = CHAIN_SPRING, pv++;
        *wq++ = -stiffness - CHAIN_GRAVITY * cosine;
        *pv++ = 1;
        if (i + 1 < n) *wq++ = CHAIN_SPRING, pv++;
    }
}

static struct noe_system callbacks(int n) {
    int *row = malloc(6 * (size_t)n * sizeof *row), *col = row + 3 * n, nz = 0;
    if (!row) abort();
    for (int i = 0; i < n; i++) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++, nz++) {
            row[nz] = i;
            col[nz] = j;
        }
    }
    return (struct noe_system){
        .name = "chain",
        .n = n,
        .traits = NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE | NOE_AUTONOMOUS | NOE_UNFORCED,
        .nz = nz,
        .row = row,
        .col = col,
        .lagrangian = lagrangian,
        .force = force,
        .first = first,
        .second = second,
    };
}

/* --- Races. */

static void race(const char *method, const struct solver *by_hand, const char *const *peers, int n,
                 struct race_result *results) {
    struct problem *chain = problem_chain(n);
    const struct noe_system system = callbacks(n);
    const struct solver library = solver_library(method);
    const struct solver generic = solver_generic(method);
    const struct solver own = solver_callbacks(method, &system);
    const struct solver *solvers[SOLVERS] = {by_hand, &library, &generic, &own};
    for (int i = 4; i < SOLVERS; i++, peers += 2) solvers[i] = solver_peer(peers[0], peers[1]);
    race_run(chain, step, SOLVERS, solvers, results);
    free((void *)system.row);
    problem_chain_free(chain);
}

static const char *cell(char *text, double value) {
    sprintf(text, isnan(value) ? "-" : "%.2f", value);
    return text;
}

/* Nanoseconds of a step divided by the length; constant if the growth is linear. */
static void write_growth(const char *method, struct race_result (*results)[SOLVERS]) {
    timing_say("\n%s: nanoseconds of a step and degree of freedom, and ratios to by hand", method);
    timing_head("length         |by "
                "hand|noether|generic|callbacks|noether/hand|generic/hand|callbacks/hand");
    for (int i = 0; i < COUNT(lengths); i++) {
        const struct race_result *r = results[i];
        const double unit = 1e9 / lengths[i];
        char text[8][32];
        timing_row("%s %d|%s|%s|%s|%s|%s|%s|%s", method, lengths[i],
                   cell(text[0], unit * r[0].seconds), cell(text[1], unit * r[1].seconds),
                   cell(text[2], unit * r[2].seconds), cell(text[3], unit * r[3].seconds),
                   cell(text[4], r[1].ratio), cell(text[5], r[2].ratio), cell(text[6], r[3].ratio));
    }
}

static void study(const char *method, const struct solver *by_hand, const char *const *peers) {
    struct race_result results[COUNT(lengths)][SOLVERS];
    race_head();
    for (int i = 0; i < COUNT(lengths); i++) race(method, by_hand, peers, lengths[i], results[i]);
    write_growth(method, results);
}

int main(void) {
    static const char *const explicit_peers[] = {"sundials", "erk heun", "gsl",
                                                 "rk2",      "odeint",   "velocity_verlet"};
    static const char *const implicit_peers[] = {"sundials", "dirk midpoint", "", "", "", ""};
    timing_report_open("chain", "Chains of coupled pendulums, Verlet and midpoint");
    study("verlet", &hand_chain_verlet, explicit_peers);
    study("midpoint", &hand_chain_midpoint, implicit_peers);
    race_foot();
    timing_report_close();
    return 0;
}
