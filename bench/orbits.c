/* Sections of many orbits: 64 orbits of Kirchhoff's vehicle, by the library in SIMD lanes and
 * two threads or in threads alone, and one after another by a loop written by hand. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "noether_model.h"
#include "study/section/section_ensemble.h"
#include "timing.h"

enum { MEMBERS = 64, STEPS = 400000, ROUNDS = 7, THREADS = 2 };

static const double I[3] = {1.09, 2.16, 2.68}, M[3] = {3.72, 7.42, 4.29}, h = 0.05;

static const char kirchhoff[] =
    "param J = diag(1.09, 2.16, 2.68), M = diag(3.72, 7.42, 4.29), phi = 0.6, s = 0.9, H = 4\n"
    "param p = 5.2*[cos(phi), sin(phi), 0]\n"
    "param rest = H - p[1]^2/(2*M[1][1]) - p[2]^2/(2*M[2][2])\n"
    "           - s^2*(sin(phi)^2/(2*J[1][1]) + cos(phi)^2/(2*J[2][2]))\n"
    "pose R, x, W, V\n"
    "L = dot(W, J*W)/2 + dot(V, M*V)/2\n"
    "let Pi = J*W\n"
    "start W = [s*sin(phi)/J[1][1], -s*cos(phi)/J[2][2], sqrt(2*rest/J[3][3])]\n"
    "start V = [p[1]/M[1][1], p[2]/M[2][2], 0]\n"
    "vary s = 0.3 .. 0.9, 64\n"
    "section cut : V[3] = 0 record Pi[1], Pi[3]\n";

/* --- By hand: (Pi, p) alone, crossings by linear interpolation between the ends of a step. */

struct pair {
    double Pi[3], p[3];
};

static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* x + a x x = r, with the cross product. */
static void solve(const double *a, const double *r, double *x) {
    const double dot = a[0] * r[0] + a[1] * r[1] + a[2] * r[2];
    const double factor = 1 / (1 + a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    double c[3];
    cross(a, r, c);
    for (int i = 0; i < 3; i++) x[i] = (r[i] + a[i] * dot - c[i]) * factor;
}

/* Q' - Q = (h/2) ad*_v (Q + Q') with v = M^-1 m: the momentum p, then Pi. */
static void coadjoint_step(struct pair *Q, const struct pair *m) {
    double a[3], v[3], c[3], r[3], p[3];
    for (int i = 0; i < 3; i++) {
        a[i] = h / 2 * m->Pi[i] / I[i];
        v[i] = h / 2 * m->p[i] / M[i];
    }
    cross(a, Q->p, c);
    for (int i = 0; i < 3; i++) r[i] = Q->p[i] - c[i];
    solve(a, r, p);
    for (int i = 0; i < 3; i++) r[i] = Q->p[i] + p[i];
    cross(r, v, c);
    for (int i = 0; i < 3; i++) Q->p[i] = p[i];
    cross(a, Q->Pi, r);
    for (int i = 0; i < 3; i++) r[i] = Q->Pi[i] - r[i] + c[i];
    solve(a, r, Q->Pi);
}

/* The midpoint rule's momentum after half a step, by iteration. */
static struct pair half_step(const struct pair *m) {
    struct pair Q = *m;
    for (int pass = 0; pass < 60; pass++) {
        double w[3], v[3], a[3], b[3], c[3];
        for (int i = 0; i < 3; i++) {
            w[i] = Q.Pi[i] / I[i];
            v[i] = Q.p[i] / M[i];
        }
        cross(Q.Pi, w, a);
        cross(Q.p, v, b);
        cross(Q.p, w, c);
        for (int i = 0; i < 3; i++) {
            Q.Pi[i] = m->Pi[i] + h / 2 * (a[i] + b[i]);
            Q.p[i] = m->p[i] + h / 2 * c[i];
        }
    }
    return Q;
}

static struct pair start(double s) {
    const double phi = 0.6;
    struct pair m = {{s * sin(phi), -s * cos(phi), 0}, {5.2 * cos(phi), 5.2 * sin(phi), 0}};
    double rest = 4;
    for (int i = 0; i < 2; i++)
        rest -= m.Pi[i] * m.Pi[i] / (2 * I[i]) + m.p[i] * m.p[i] / (2 * M[i]);
    m.Pi[2] = sqrt(2 * rest * I[2]);
    return m;
}

static void next(struct pair *m, const struct pair *Q) {
    for (int i = 0; i < 3; i++) {
        m->Pi[i] = 2 * Q->Pi[i] - m->Pi[i];
        m->p[i] = 2 * Q->p[i] - m->p[i];
    }
}

static long hand_orbit(double s, double *sum) {
    struct pair m = start(s), Q = half_step(&m);
    long count = 0;
    next(&m, &Q);
    for (long k = 1; k < STEPS; k++) {
        const struct pair before = m;
        coadjoint_step(&Q, &m);
        next(&m, &Q);
        if (before.p[2] * m.p[2] >= 0) continue;
        const double part = before.p[2] / (before.p[2] - m.p[2]);
        *sum += before.Pi[0] + part * (m.Pi[0] - before.Pi[0]);
        *sum += before.Pi[2] + part * (m.Pi[2] - before.Pi[2]);
        count++;
    }
    return count;
}

/* --- The library. */

struct found {
    long count;
    double sum;
};

static enum noe_status take(void *data, long member, const struct section_point *point,
                            struct noe_error *error) {
    struct found *found = data;
    (void)member, (void)error;
    found->count++;
    found->sum += point->recorded[0] + point->recorded[1];
    return NOE_OK;
}

static void must(enum noe_status status, const struct noe_error *error) {
    if (status == NOE_OK) return;
    fprintf(stderr, "%s\n", error->text);
    abort();
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The variants: lanes and threads; threads alone; by hand. */
enum solver { LANES, ALONE, HAND, SOLVERS };

/* Processor and wall seconds of one round of each. */
struct round {
    double seconds[SOLVERS][2];
    long count[SOLVERS];
};

static void solve_all(struct round *round, enum solver solver,
                      const struct section_members *settings) {
    struct section_members own = *settings;
    struct found found = {0};
    struct noe_error error = {0};
    own.data = &found;
    own.lanes = solver == LANES ? 0 : -1;
    const double wall = timing_wall_seconds(), start = processor_seconds();
    if (solver == HAND)
        for (int i = 0; i < MEMBERS; i++)
            found.count += hand_orbit(0.3 + 0.6 * i / (MEMBERS - 1), &found.sum);
    else
        must(section_members_run(&own, &error), &error);
    round->seconds[solver][0] = processor_seconds() - start;
    round->seconds[solver][1] = timing_wall_seconds() - wall;
    round->count[solver] = found.count;
    if (!isfinite(found.sum)) abort();
}

static double median(const struct round *rounds, enum solver solver, int clock) {
    double values[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) values[i] = rounds[i].seconds[solver][clock];
    return timing_spread(ROUNDS, values).median;
}

/* The throughput of two cores relative to the loop by hand on one core, round by round. */
static double gain(const struct round *rounds, enum solver solver, int clock) {
    double values[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        values[i] = rounds[i].seconds[HAND][clock] / rounds[i].seconds[solver][clock];
    return (clock == 0 ? THREADS : 1) * timing_spread(ROUNDS, values).median;
}

static void report(const struct round *rounds) {
    static const char *const name[] = {"noether, lanes", "noether", "by hand"};
    const double steps = (double)MEMBERS * STEPS;
    timing_report_open("orbits", "64 orbits of Kirchhoff's vehicle, flv, 4e5 steps each");
    timing_head("solver          | threads | processor, s | ns a step | wall, s | crossings");
    for (int i = 0; i < SOLVERS; i++) {
        const double own = median(rounds, i, 0);
        timing_row("%-15s | %7d | %12.3f | %9.1f | %7.3f | %9ld", name[i], i == HAND ? 1 : THREADS,
                   own, 1e9 * own / steps, median(rounds, i, 1), rounds[0].count[i]);
    }
    for (int i = 0; i < HAND; i++)
        timing_say("%s: throughput of two cores over that of one by hand: %.2f by processor time, "
                   "%.2f on the wall",
                   name[i], gain(rounds, i, 0), gain(rounds, i, 1));
    timing_report_close();
}

int main(void) {
    struct noe_model *model;
    struct noe_problem problem;
    struct noe_error error = {0};
    static struct round rounds[ROUNDS];
    must(noe_model_open_text(&model, "orbits", kirchhoff, NULL, &error), &error);
    must(noe_problem_init(&problem, model->system, "flv", h, &error), &error);
    must(noe_problem_specialise(&problem, model, NULL, &error), &error);
    const struct section_members settings = {
        .model = model,
        .course = {.problem = &problem, .steps = STEPS},
        .members = MEMBERS,
        .threads = THREADS,
        .take = take,
    };
    solve_all(&rounds[0], LANES, &settings); /* compiles */
    for (int i = 0; i < ROUNDS; i++)
        for (int k = 0; k < SOLVERS; k++) solve_all(&rounds[i], k, &settings);
    report(rounds);
    noe_problem_clear(&problem);
    noe_model_free(model);
    return 0;
}
