/* Work and precision: the time in which each method reaches a given error at a given time. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "race.h"
#include "references.h"
#include "solver.h"
#include "timing.h"

enum { SOLVERS_MAX = 64, LEVELS = 26, ROUNDS = 5, ERRORS = 10 };
static const double enough = 3e-3; /* seconds: shorter runs are repeated */
static const double slowest = 0.1; /* seconds: finer levels of a solver are not tried */

struct task {
    const struct problem *problem;
    double until;
    const double *reference;
    double steps_least; /* steps of the coarsest level; each level has sqrt(2) times as many */
    const char *const *methods; /* methods of the library; ends with NULL */
};

/* One solver with one step size or tolerance. */
struct point {
    bool is_done;
    double parameter, error, seconds;
    double rounds[ROUNDS];
};

struct curve {
    struct solver solver;
    struct point point[LEVELS];
};

/* --- Measuring. */

static struct run run_of(const struct task *task, const struct solver *solver, int level) {
    struct run run = {.until = task->until};
    if (solver->is_adaptive) {
        run.tolerance = pow(10, -2.5 - 0.5 * level);
    } else {
        run.steps = lround(task->steps_least * pow(2, 0.5 * level));
        run.step = task->until / (double)run.steps;
    }
    return run;
}

static bool integrate(const struct solver *solver, void *self, struct run *run, double *seconds) {
    const double begin = timing_seconds();
    const bool is_done = solver->run(self, run);
    *seconds = run->seconds > 0 ? run->seconds : timing_seconds() - begin;
    return is_done;
}

/* Times an integration without its set-up. A short one is repeated, after a first run that warms
 * the caches. True if it succeeded. */
static bool measure(const struct task *task, const struct solver *solver, int level, double *error,
                    double *seconds) {
    struct run run = run_of(task, solver, level);
    void *self = solver->open(solver, task->problem, &run);
    if (!self) return false;
    double numbers[2 * 64], sum = 0;
    run.q = numbers;
    run.v = numbers + 64;
    bool is_done = integrate(solver, self, &run, seconds);
    *error = race_difference(task->problem->n, run.q, task->reference);
    int repeats = 0;
    for (; is_done && sum < enough && *seconds < 2 * enough; repeats++) {
        is_done = integrate(solver, self, &run, seconds);
        sum += *seconds;
    }
    if (repeats > 0) *seconds = sum / repeats;
    solver->close(self);
    return is_done && isfinite(*error);
}

/* The first round finds the levels to measure: none beyond the first slow one. */
static void explore(const struct task *task, struct curve *curve) {
    for (int level = 0; level < LEVELS; level++) {
        struct point *point = &curve->point[level];
        const struct run run = run_of(task, &curve->solver, level);
        double seconds = 0;
        point->parameter = curve->solver.is_adaptive ? run.tolerance : run.step;
        point->is_done = measure(task, &curve->solver, level, &point->error, &seconds);
        if (seconds > slowest && level > 6) break; /* coarse tolerances may fail */
    }
}

static void repeat(const struct task *task, int count, struct curve *curves) {
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < count; i++) {
            for (int level = 0; level < LEVELS; level++) {
                struct point *point = &curves[i].point[level];
                if (!point->is_done) continue;
                measure(task, &curves[i].solver, level, &point->error, &point->rounds[round]);
            }
        }
    }
    for (int i = 0; i < count; i++)
        for (int level = 0; level < LEVELS; level++)
            curves[i].point[level].seconds =
                timing_spread(ROUNDS, curves[i].point[level].rounds).median;
}

/* --- Reading the curves. */

/* Seconds to an error: log-log interpolation between two levels; infinite if no level reaches
 * the error. */
static double seconds_to(const struct curve *curve, double error) {
    const struct point *before = NULL;
    double best = HUGE_VAL;
    for (int level = 0; level < LEVELS; level++) {
        const struct point *point = &curve->point[level];
        if (!point->is_done) continue;
        if (point->error <= error && point->seconds < best) best = point->seconds;
        if (point->error <= error && before && before->error > error) {
            const double share = log(before->error / error) / log(before->error / point->error);
            const double seconds = before->seconds * pow(point->seconds / before->seconds, share);
            if (seconds < best) best = seconds;
        }
        before = point;
    }
    return best;
}

static bool is_ours(const struct curve *curve) {
    return strcmp(curve->solver.package, "noether") == 0;
}

static const struct curve *best_of(int count, const struct curve *curves, bool ours, double error) {
    const struct curve *best = NULL;
    for (int i = 0; i < count; i++) {
        if (is_ours(&curves[i]) != ours || seconds_to(&curves[i], error) == HUGE_VAL) continue;
        if (!best || seconds_to(&curves[i], error) < seconds_to(best, error)) best = &curves[i];
    }
    return best;
}

/* --- Writing. */

static const char *milliseconds(char *text, double seconds) {
    sprintf(text, seconds == HUGE_VAL ? "-" : "%.3f", 1e3 * seconds);
    return text;
}

static void write_table(const struct task *task, int count, const struct curve *curves) {
    timing_say("\n%s to t = %g: milliseconds to a relative error of the configuration",
               task->problem->name, task->until);
    timing_head("solver                          |    1e-3|    1e-6|    1e-9|   1e-12");
    for (int i = 0; i < count; i++) {
        const struct solver *solver = &curves[i].solver;
        char text[4][32];
        for (int k = 0; k < 4; k++)
            milliseconds(text[k], seconds_to(&curves[i], pow(10, -3 - 3 * k)));
        timing_row("%s %s|%s|%s|%s|%s", solver->package, solver->method, text[0], text[1], text[2],
                   text[3]);
    }
}

static void write_best(int count, const struct curve *curves) {
    timing_head("error   |ours              |ms        |best peer                       |ms        "
                "|ours/peer");
    for (int k = 0; k < ERRORS; k++) {
        const double error = pow(10, -3 - k);
        const struct curve *ours = best_of(count, curves, true, error);
        const struct curve *peer = best_of(count, curves, false, error);
        const double a = ours ? seconds_to(ours, error) : HUGE_VAL;
        const double b = peer ? seconds_to(peer, error) : HUGE_VAL;
        char name[80] = "-", text[2][32], ratio[32] = "-";
        if (peer) snprintf(name, sizeof name, "%s %s", peer->solver.package, peer->solver.method);
        if (ours && peer) sprintf(ratio, "%.2f", a / b);
        timing_row("%.0e|%s|%s|%s|%s|%s", error, ours ? ours->solver.method : "-",
                   milliseconds(text[0], a), name, milliseconds(text[1], b), ratio);
    }
}

/* Every point, in blocks that gnuplot takes by index. */
static void write_points(const struct task *task, int count, const struct curve *curves) {
    char name[64];
    snprintf(name, sizeof name, "precision-%s", task->problem->name);
    FILE *file = fopen(timing_path(name, "dat"), "w");
    if (!file) return;
    fprintf(file, "# step or tolerance, relative error, seconds\n");
    for (int i = 0; i < count; i++) {
        fprintf(file, "\"%s %s\"\n", curves[i].solver.package, curves[i].solver.method);
        for (int level = 0; level < LEVELS; level++) {
            const struct point *point = &curves[i].point[level];
            if (point->is_done)
                fprintf(file, "%.6e %.6e %.6e\n", point->parameter, point->error, point->seconds);
        }
        fprintf(file, "\n\n");
    }
    fclose(file);
}

/* Only curves that are best at some error are drawn. */
static bool is_drawn(int count, const struct curve *curves, const struct curve *curve) {
    double min = HUGE_VAL;
    for (double error = 1e-2; error > 1e-13; error /= 10) {
        const struct curve *best = best_of(count, curves, is_ours(curve), error);
        if (best) min = fmin(min, seconds_to(curve, error) / seconds_to(best, error));
    }
    return min < 1.5;
}

static void draw(const struct task *task, int count, const struct curve *curves) {
    char name[64];
    snprintf(name, sizeof name, "precision-%s", task->problem->name);
    FILE *gnuplot = popen("gnuplot 2>/dev/null", "w");
    if (!gnuplot) return;
    fprintf(gnuplot, "set terminal pngcairo size 900,600 font ',11'\n");
    fprintf(gnuplot, "set output '%s'\n", timing_path(name, "png"));
    fprintf(gnuplot, "set logscale xy\nset format '10^{%%T}'\nset grid\nset key outside\nunset "
                     "mxtics\nunset mytics\n");
    fprintf(gnuplot, "set xrange [1:1e-14] reverse\nset xlabel 'relative error at t = %g'\n",
            task->until);
    fprintf(gnuplot, "set ylabel 'seconds'\nset title '%s'\nplot ", task->problem->name);
    for (int i = 0; i < count; i++)
        if (is_drawn(count, curves, &curves[i]))
            fprintf(
                gnuplot,
                "'%s' index %d using 2:3 with linespoints dashtype %d title '%s %s' noenhanced, ",
                timing_path(name, "dat"), i, is_ours(&curves[i]) ? 1 : 2, curves[i].solver.package,
                curves[i].solver.method);
    fprintf(gnuplot, "\n");
    if (pclose(gnuplot) != 0) timing_say("no picture: gnuplot failed or is not there");
}

static void study(const struct task *task) {
    static struct curve curves[SOLVERS_MAX];
    int count = 0;
    memset(curves, 0, sizeof curves);
    for (int i = 0; task->methods[i]; i++)
        curves[count++].solver = solver_library(task->methods[i]);
    for (int i = 0; solver_at(i) && count < SOLVERS_MAX; i++) {
        const bool is_served = task->problem->is_separable || !solver_at(i)->needs_separable;
        if (is_served) curves[count++].solver = *solver_at(i);
    }
    for (int i = 0; i < count; i++) explore(task, &curves[i]);
    repeat(task, count, curves);
    write_table(task, count, curves);
    write_best(count, curves);
    write_points(task, count, curves);
    draw(task, count, curves);
}

/* --- The tasks. */

static const char *const separable[] = {
    "verlet",
    "splitting order=4",
    "splitting order=6",
    "splitting order=8",
    "splitting order=10",
    "gauss stages=2",
    "gauss stages=4",
    "gauss stages=6",
    "gauss stages=8",
    "gauss stages=12",
    NULL,
};
static const char *const general[] = {
    "midpoint",
    "gauss stages=2",
    "gauss stages=3",
    "gauss stages=4",
    "gauss stages=6",
    "gauss stages=8",
    "gauss stages=10",
    "gauss stages=12",
    "rk4",
    NULL,
};

static const struct task tasks[] = {
    {&problem_planets, 200000, references_planets, 100, separable},
    {&problem_pendulum, 10, references_pendulum, 20, general},
};

/* The model text with the exact start values, for a run in another precision. */
static void write_start(const char *name, int n, int columns, const double *x) {
    printf("start %s = [", name);
    for (int i = 0; i < n; i++) {
        if (i > 0) printf(", ");
        if (columns > 1 && i % columns == 0) printf("[");
        printf("%.40g", x[i]);
        if (columns > 1 && i % columns == columns - 1) printf("]");
    }
    printf("]\n");
}

static int write_model(const char *name) {
    const bool is_planets = strcmp(name, "planets") == 0;
    const struct problem *problem = is_planets ? &problem_planets : &problem_pendulum;
    const int columns = is_planets ? 3 : 1;
    printf("%s", problem->model);
    write_start(is_planets ? "x" : "theta", problem->n, columns, problem->q);
    write_start(is_planets ? "x'" : "theta'", problem->n, columns, problem->v);
    return 0;
}

int main(int count, char **words) {
    if (count == 3 && strcmp(words[1], "--model") == 0) return write_model(words[2]);
    timing_report_open("precision", "Time to reach a given error, against quadruple precision");
    timing_say("here:     %d rounds; what is made once is not counted", ROUNDS);
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) study(&tasks[i]);
    if (*solver_missing()) timing_say("skipped, because they were not found: %s", solver_missing());
    timing_report_close();
    return 0;
}
