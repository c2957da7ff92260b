/* Constraints: the cost of steps relative to loops by hand, and its growth with the length of a
 * chain. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/work.h"
#include "hand_constraints.h"
#include "noether_model.h"
#include "timing.h"

enum { NUMBERS = 6 };

struct contest {
    const char *name, *model, *method;
    double step;
    int n;
    double q[NUMBERS], v[NUMBERS];
    void (*hand)(double h, long steps, double *q, double *v);
};

static const struct contest contests[] = {
    {"double spherical pendulum",
     "coord a[3], b[3]\nL = dot(a', a')/2 + dot(b', b')/2 - 9.81*(a[3] + b[3])\n"
     "constraint dot(a, a)/2 = 1/2\nconstraint dot(b - a, b - a)/2 = 1/2\n"
     "start a = [0.6, 0, -0.8], b = [0.6, 0.6, -1.6]\n",
     "lobatto stages=2",
     0.01,
     6,
     {0.6, 0, -0.8, 0.6, 0.6, -1.6},
     {0, 1, 0, 0, 1, 0},
     hand_links},
    {"Chaplygin's sleigh",
     "param J = 0.5, a = 0.5\ncoord x, y, f\nL = (x'^2 + y'^2)/2 + J/2*f'^2\n"
     "nonholonomic y'*cos(f) - x'*sin(f) = a*f'\n",
     "lobatto stages=2 multiplier=recompute",
     0.01,
     3,
     {0, 0, 0},
     {0.4, 0.5, 1},
     hand_sleigh},
};

struct racer {
    const struct contest *contest;
    struct noe_problem problem;
    struct noe_work *work; /* NULL: the loop by hand */
    long steps;
    double q[NUMBERS];
};

static void take_steps(struct racer *racer) {
    const struct contest *contest = racer->contest;
    if (racer->work) {
        noe_work_start(racer->work, 0, contest->q, contest->v, NULL);
        noe_work_steps(racer->work, racer->steps, NULL);
        memcpy(racer->q, noe_work_state(racer->work)->q, sizeof(double) * (size_t)contest->n);
        return;
    }
    double v[NUMBERS];
    memcpy(racer->q, contest->q, sizeof racer->q);
    memcpy(v, contest->v, sizeof v);
    contest->hand(contest->step, racer->steps, racer->q, v);
}

static double take_round(void *data) {
    struct racer *racer = data;
    take_steps(racer);
    return 1.0 / (double)racer->steps;
}

static void fail(const struct noe_error *error) {
    fprintf(stderr, "constraints: %s\n", error->text);
    exit(1);
}

static void open_run(struct racer *racer, const struct noe_model *model, bool is_specialised) {
    const struct contest *contest = racer->contest;
    struct noe_error error;
    if (noe_problem_init(&racer->problem, model->system, contest->method, contest->step, &error) !=
            NOE_OK ||
        (is_specialised &&
         noe_problem_specialise(&racer->problem, model, NULL, &error) != NOE_OK) ||
        noe_work_create(&racer->work, &racer->problem, &error) != NOE_OK)
        fail(&error);
}

/* By hand, by a specialised stepper, by the library. */
static void race(const struct contest *contest) {
    enum { RACERS = 3, STEPS = 20000, CHECK = 100 };
    static const char *const names[RACERS] = {"by hand", "specialised", "generic"};
    struct racer racers[RACERS] = {0};
    struct timing_entry entries[RACERS];
    struct noe_model *model;
    struct noe_error error;
    if (noe_model_open_text(&model, contest->name, contest->model, NULL, &error) != NOE_OK)
        fail(&error);
    for (int i = 0; i < RACERS; i++) racers[i].contest = contest;
    open_run(&racers[1], model, true);
    open_run(&racers[2], model, false);
    for (int i = 0; i < RACERS; i++) {
        racers[i].steps = CHECK;
        take_steps(&racers[i]);
        racers[i].steps = STEPS;
        entries[i] = (struct timing_entry){take_round, &racers[i], {0}};
    }
    double off[RACERS] = {0};
    for (int i = 1; i < RACERS; i++)
        for (int k = 0; k < contest->n; k++)
            off[i] = fmax(off[i], fabs(racers[i].q[k] - racers[0].q[k]));
    timing_interleave(RACERS, entries);
    for (int i = 0; i < RACERS; i++) {
        const struct timing_spread time = timing_of(&entries[i]);
        const struct timing_spread ratio = timing_ratio(&entries[i], &entries[0]);
        timing_row("%s|%s|%.1f|%.2f [%.2f %.2f]|%.0e", contest->name, names[i], 1e9 * time.median,
                   ratio.median, ratio.low, ratio.high, off[i]);
    }
    for (int i = 1; i < RACERS; i++) {
        noe_work_free(racers[i].work);
        noe_problem_clear(&racers[i].problem);
    }
    noe_model_free(model);
}

/* --- A chain. */

struct chain {
    int n;
    double *q, *v, *work;
};

static struct chain make_chain(int n) {
    struct chain chain = {n, calloc((size_t)(14 * n), sizeof(double)), NULL, NULL};
    double x = 0, y = 0;
    chain.v = chain.q + 2 * n;
    chain.work = chain.v + 2 * n;
    for (int i = 0; i < n; i++) {
        const double angle = -1.57 + 0.3 * sin(0.1 * i);
        chain.q[2 * i] = x += cos(angle);
        chain.q[2 * i + 1] = y += sin(angle);
    }
    return chain;
}

/* The text of the model; release it with free(). */
static char *chain_text(int n, const double *q) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "coord r[%d][2]\nL = sum(i=1..%d, dot(r[i]', r[i]')/2 - r[i][2])\n", n, n);
    fputs("constraint dot(r[1], r[1]) = 1\n", out);
    for (int i = 2; i <= n; i++)
        fprintf(out, "constraint dot(r[%d] - r[%d], r[%d] - r[%d]) = 1\n", i, i - 1, i, i - 1);
    fputs("start r = [", out);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s[%.17g, %.17g]", i ? ", " : "", q[2 * i], q[2 * i + 1]);
    fputs("]\n", out);
    fclose(out);
    return text;
}

static void race_chain(int n) {
    enum { STEPS = 50 };
    const struct noe_model_settings settings = {.interpret = true}; /* compiling takes longer */
    struct chain chain = make_chain(n);
    char *text = chain_text(n, chain.q);
    struct noe_model *model;
    struct noe_problem problem;
    struct noe_work *work;
    struct noe_error error;
    if (noe_model_open_text(&model, "chain", text, &settings, &error) != NOE_OK ||
        noe_problem_init(&problem, model->system, "lobatto stages=2", 0.001, &error) != NOE_OK ||
        noe_work_create(&work, &problem, &error) != NOE_OK ||
        noe_work_start(work, 0, chain.q, chain.v, &error) != NOE_OK)
        fail(&error);
    double begin = timing_seconds();
    if (noe_work_steps(work, STEPS, &error) != NOE_OK) fail(&error);
    const double seconds = (timing_seconds() - begin) / STEPS;
    begin = timing_seconds();
    hand_chain_links(n, 0.001, STEPS, chain.q, chain.v, chain.work);
    const double hand = (timing_seconds() - begin) / STEPS;
    double off = 0;
    for (int i = 0; i < 2 * n; i++) off = fmax(off, fabs(chain.q[i] - noe_work_state(work)->q[i]));
    timing_row("%d|%s|%.3f|%.2f|%.4f|%.0e", n, work_solver(work), 1e3 * seconds, 1e6 * seconds / n,
               1e3 * hand, off);
    noe_work_free(work);
    noe_problem_clear(&problem);
    noe_model_free(model);
    free(text);
    free(chain.q);
}

int main(void) {
    static const int sizes[] = {50, 100, 200, 500, 1000};
    timing_report_open("constraints", "Systems with constraints: steps beside loops by hand");
    timing_head("system                   |solver      |ns a step |to the hand    |difference");
    for (size_t i = 0; i < sizeof contests / sizeof *contests; i++) race(&contests[i]);
    timing_head("links|solver |ms a step|us a link|by hand, ms|difference");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) race_chain(sizes[i]);
    timing_report_close();
    return 0;
}
